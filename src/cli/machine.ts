/** Loads the machine that the options of a command describe. */
import type { SymmetricTopology } from '../ir/compact.ts';
import type { SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import type { Topology } from '../ir/topology.ts';
import type { Machine } from '../session/machine/machine.ts';
import type { TopologyOptions } from './options.ts';

/** Loads a machine. @param source the text of the machine's file, if it has been read already */
export async function machineFrom(options: TopologyOptions, limits: Limits, source?: SourceText): Promise<Machine> {
  const { Machine } = await import('../session/machine/machine.ts');
  return Machine.read(options, limits, source);
}

/** Loads the topology, for commands that need one process group and one protocol. @throws CccError 'usage' for several */
export async function topologyFrom(options: TopologyOptions, limits: Limits, source?: SourceText): Promise<Topology> {
  return (await machineFrom(options, limits, source)).single;
}

/** Loads the machine by the links of one chip, for compact plans. */
export async function symmetricTopologyFrom(options: TopologyOptions, limits: Limits): Promise<SymmetricTopology> {
  const { Machine } = await import('../session/machine/machine.ts');
  return (await Machine.readCompact(options, limits)).symmetric();
}
