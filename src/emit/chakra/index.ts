/**
 * Writes a folder that ASTRA-sim runs as it is: the plan as a custom collective in Chakra execution traces, one for each rank, with a workload that
 * calls it once, and configurations of the system and the network.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { operationCount } from '../../ir/plan.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import { type EmittedFile, type Emitter, type OpenBundle, opened, type PlanBundle } from '../emitter.ts';
import { emitLimits } from '../limits.ts';
import { MessageTags } from '../message-tags.ts';
import { networkText } from './network.ts';
import { programTrace, type TraceCosts, workloadTrace } from './trace.ts';

/** By collective: the CollectiveCommType of Chakra, and the key of the system file under which ASTRA-sim looks for the custom collective. */
const collectives: Partial<Readonly<Record<CollectiveKind, { readonly type: number; readonly key: string }>>> = {
  allreduce: { type: 0, key: 'all-reduce-implementation-custom' },
  allgather: { type: 2, key: 'all-gather-implementation-custom' },
  alltoall: { type: 6, key: 'all-to-all-implementation-custom' },
  reducescatter: { type: 7, key: 'reduce-scatter-implementation-custom' },
};

export const chakra: Emitter = {
  name: 'chakra',
  about: 'a folder for ASTRA-sim: Chakra traces of every rank as a custom collective, workload, system and network',
  check,
  emit: (bundle) => [runText(opened(bundle))],
  files: (bundle) => filesOf(opened(bundle)),
};

function check({ proved: { plan }, topology, size }: PlanBundle): readonly string[] {
  const { kind, counts } = plan.collective;
  const lacking: string[] = [];
  if (collectives[kind] === undefined) lacking.push(`ASTRA-sim takes no custom ${kind}`);
  if (counts !== undefined) lacking.push('it is written for shards of equal size only');
  if (size === undefined) lacking.push('its messages have bytes, which needs a size (--size)');
  if (topology === undefined) lacking.push('its network is that of a machine (--topo)');
  else if (networkText(topology) === undefined) {
    lacking.push(
      `ASTRA-sim shares links in networks of one dimension only, a ring, a full mesh or one switch with equal links, and ${topology.name} is none`,
    );
  }
  const nodes = operationCount(plan) * plan.bulks;
  if (nodes > emitLimits.nodes) lacking.push(`${nodes} nodes are more than ${emitLimits.nodes} (--bulks makes fewer)`);
  return lacking;
}

function filesOf(bundle: OpenBundle): readonly EmittedFile[] {
  const { plan, topology, size = 0 } = bundle;
  const call = collectives[plan.collective.kind];
  const network = topology && networkText(topology);
  if (call === undefined || topology === undefined || network === undefined) throw new Error('check() refuses this');
  const tags = new MessageTags(plan);
  const chunkBytes = chunkBytesOf(plan, size, topology.messages?.alignment);
  const traces = plan.buffers.flatMap((_, rank): EmittedFile[] => {
    const throughput = topology.nodes[topology.chips[rank]].reduce?.throughput ?? Number.POSITIVE_INFINITY;
    const costs: TraceCosts = {
      bytes: (chunks) => Math.max(1, Math.round(chunks * chunkBytes)),
      reduction: (chunks) => (chunks * chunkBytes) / throughput,
    };
    return [
      { path: `collective.${rank}.et`, content: programTrace(plan, rank, tags, costs) },
      { path: `workload.${rank}.et`, content: workloadTrace(plan.collective.kind, call.type, Math.round(size)) },
    ];
  });
  const system = {
    'scheduling-policy': 'FIFO',
    'preferred-dataset-splits': 1,
    [call.key]: ['collective'],
    'local-mem-bw': 50,
  };
  return [
    ...traces,
    { path: 'system.json', content: `${JSON.stringify(system, undefined, 2)}\n` },
    { path: 'memory.json', content: `${JSON.stringify({ 'memory-type': 'NO_MEMORY_EXPANSION' })}\n` },
    { path: 'network.yml', content: network },
    { path: 'run.sh', content: runText(bundle) },
  ];
}

/** The shell command that runs the folder. */
function runText({ plan }: Pick<OpenBundle, 'plan'>): string {
  return `#!/bin/sh
# ${oneLine(plan.name).replaceAll(/[^\w .:,()+-]/g, '_')}, written by ccc. Takes the path of ASTRA-sim's analytical simulator.
cd "$(dirname "$0")" || exit 1
exec "\${1:-AstraSim_Analytical_Congestion_Aware}" \\
  --workload-configuration=workload --system-configuration=system.json \\
  --remote-memory-configuration=memory.json --network-configuration=network.yml
`;
}
