/** From the topology options to the topology: read it, then apply the edits in the order people expect. */
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import type { Topology } from '../ir/topology.ts';
import {
  parseChipMap,
  parseGamma,
  parseLinkSpec,
  parseRemoval,
  resolveTopology,
  withGamma,
  withLink,
  withMap,
  withOverlap,
  withoutChip,
  withoutLink,
} from '../read/index.ts';
import type { TopologyOptions } from './options.ts';

/**
 * The topology that the options describe. Numbers are set first, then links and chips removed by their names as shown
 * before any removal, then ranks placed. `source` is the text of `--topo` where it has been read already.
 */
export function topologyFrom(options: TopologyOptions, limits: Limits, source?: SourceText): Topology {
  if (options.topo === undefined || options.topo === '') {
    throw new CccError(
      'usage',
      'say on which topology: --topo NAME (ccc list topologies shows what there is) or a file',
    );
  }
  let topology = resolveTopology(options.topo, source === undefined ? { limits } : { limits, read: () => source });
  if (options.link !== undefined) topology = withLink(topology, parseLinkSpec(options.link));
  if (options.gamma !== undefined) topology = withGamma(topology, parseGamma(options.gamma));
  if (options.overlap !== undefined) topology = withOverlap(topology, options.overlap === 'on');
  const removals = (options.without ?? []).map((text) => parseRemoval(text));
  for (const removal of removals) {
    if (removal.kind === 'link') topology = withoutLink(topology, removal.a, removal.b);
  }
  const chips = removals.flatMap((removal) => (removal.kind === 'chip' ? [removal.chip] : []));
  // From the highest down, so that the ranks named on the command line stay what they were.
  for (const chip of [...new Set(chips)].sort((a, b) => b - a)) topology = withoutChip(topology, chip);
  if (options.map !== undefined) topology = withMap(topology, parseChipMap(options.map));
  return topology;
}
