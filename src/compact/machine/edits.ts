/** Changes parameters of a machine given by the view from one chip, as `edits.ts` does for a whole machine. */
import type { SymmetricTopology } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { type BytesPerSecond, formatBytesPerSecond, formatSeconds } from '../../ir/units.ts';
import type { LinkSpec } from '../../read/topology/edits.ts';

/** Gives all links the same latency and bandwidth, keeping their units. */
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

/** Gives every chip a reduce engine of that throughput; a new engine does not overlap with communication. */
export function withSymmetricGamma(topology: SymmetricTopology, throughput: BytesPerSecond): SymmetricTopology {
  const isFree = throughput === Number.POSITIVE_INFINITY;
  const reduce = isFree ? undefined : { throughput, overlap: topology.reduce?.overlap ?? false };
  const note = `reduce throughput set to ${formatBytesPerSecond(throughput)}`;
  return { ...topology, reduce, notes: [...topology.notes, note] };
}

/**
 * Sets whether reducing and communicating can overlap.
 * @throws CccError 'topology' if no chip has a reduce engine
 */
export function withSymmetricOverlap(topology: SymmetricTopology, overlap: boolean): SymmetricTopology {
  if (topology.reduce === undefined) {
    const message = `${topology.name} has no reduce engines: reducing takes no time there; --gamma sets one`;
    throw new CccError('topology', message);
  }
  const note = `overlap of reducing and communicating set to ${overlap ? 'on' : 'off'}`;
  return { ...topology, reduce: { ...topology.reduce, overlap }, notes: [...topology.notes, note] };
}
