/** The machine that is drawn for a plan without one: its nodes are ranks, and its links are pairs of ranks that exchange messages. */
import type { Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import type { Topology } from '../ir/topology.ts';

const unlimited = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };

export function standInFor(plan: Plan): Topology {
  const ranks = plan.buffers.length;
  const { sender, receiver } = PlanIndex.of(plan).ends;
  const pairs = new Set(Array.from(sender, (from, connection) => from * ranks + receiver[connection]));
  const speed = { latency: 0, bandwidth: Number.POSITIVE_INFINITY, occupancy: 'pipelined', units: 1 } as const;
  return {
    name: '',
    nodes: plan.buffers.map((_, rank) => ({
      kind: 'chip',
      name: `rank ${rank}`,
      ports: unlimited,
      reduce: undefined,
      copy: undefined,
      multicast: false,
      origin: undefined,
    })),
    links: [...pairs]
      .sort((a, b) => a - b)
      .map((pair) => ({ from: Math.floor(pair / ranks), to: pair % ranks, ...speed, origin: undefined })),
    chips: plan.buffers.map((_, rank) => rank),
    inflight: undefined,
    shape: undefined,
    groups: [],
    notes: [],
  };
}
