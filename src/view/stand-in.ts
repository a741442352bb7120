/** A machine for plans that come without one: ranks are nodes, and pairs of ranks that talk are links. */
import { OperationCode, type Plan } from '../ir/plan.ts';
import type { Topology } from '../ir/topology.ts';
import { ranksOfOperations } from './partners.ts';

const unlimited = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };

export function standInFor(plan: Plan): Topology {
  const ranks = plan.buffers.length;
  const rankOf = ranksOfOperations(plan);
  const pairs = new Set<number>();
  plan.ops.kind.forEach((kind, operation) => {
    const peer = plan.ops.peer[operation];
    if (kind === OperationCode.send && peer >= 0 && peer < ranks) pairs.add(rankOf[operation] * ranks + peer);
  });
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
