/** Changes of numbers to a machine seen from one chip, as `edits.ts` makes them to the whole machine. */
import type { SymmetricTopology } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { type BytesPerSecond, formatBytesPerSecond, formatSeconds } from '../../ir/units.ts';
import type { LinkSpec } from '../../read/topology/edits.ts';

/** Gives all links the same latency and bandwidth; units stay as they are. */
export function withSymmetricLink(topology: SymmetricTopology, spec: LinkSpec): SymmetricTopology {
  const { latency, bandwidth } = spec;
  const generators = topology.generators.map((generator) => ({
    ...generator,
    latency: generator.latency === 0 ? 0 : latency,
    bandwidth: bandwidth * generator.units,
    occupancy: spec.occupancy ?? generator.occupancy,
  }));
  const occupancy = spec.occupancy === undefined ? '' : `, ${spec.occupancy}`;
  const note = `all links set to ${formatSeconds(latency)}, ${formatBytesPerSecond(bandwidth)}${occupancy}`;
  return { ...topology, generators, notes: [...topology.notes, note] };
}

/** Gives every chip a reduce engine of that throughput; where there was none, it does not overlap with communication. */
export function withSymmetricGamma(topology: SymmetricTopology, throughput: BytesPerSecond): SymmetricTopology {
  const isFree = throughput === Number.POSITIVE_INFINITY;
  const reduce = isFree ? undefined : { throughput, overlap: topology.reduce?.overlap ?? false };
  const note = `reduce throughput set to ${formatBytesPerSecond(throughput)}`;
  return { ...topology, reduce, notes: [...topology.notes, note] };
}

/**
 * Says whether reducing and communicating can happen together.
 * @throws CccError 'topology' when no chip has a reduce engine
 */
export function withSymmetricOverlap(topology: SymmetricTopology, overlap: boolean): SymmetricTopology {
  if (topology.reduce === undefined) {
    const message = `${topology.name} has no reduce engines: reducing takes no time there; --gamma sets one`;
    throw new CccError('topology', message);
  }
  const note = `overlap of reducing and communicating set to ${overlap ? 'on' : 'off'}`;
  return { ...topology, reduce: { ...topology.reduce, overlap }, notes: [...topology.notes, note] };
}
