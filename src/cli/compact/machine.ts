/** From the topology options to a machine as one of its chips sees it. */

import { withSymmetricGamma, withSymmetricLink, withSymmetricOverlap } from '../../compact/machine/edits.ts';
import { resolveSymmetricTopology } from '../../compact/machine/resolve.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { parseGamma, parseLinkSpec } from '../../read/index.ts';
import { machineSource } from '../machine.ts';
import type { TopologyOptions } from '../options.ts';

/** The machine that the options describe. @throws CccError 'usage' for options that make chips unlike each other */
export async function symmetricTopologyFrom(options: TopologyOptions, limits: Limits): Promise<SymmetricTopology> {
  if (options.topo === undefined || options.topo === '') {
    throw new CccError(
      'usage',
      'say on which topology: --topo torus:200x200, or another that looks the same from every chip',
    );
  }
  for (const option of ['without', 'map', 'group'] as const) {
    if (options[option] === undefined) continue;
    throw new CccError('usage', `--${option} makes chips unlike each other: it cannot be used with compact plans`);
  }
  const source = await machineSource(options.topo, options, limits);
  const read = source === undefined ? { limits } : { limits, read: () => source };
  let topology = resolveSymmetricTopology(options.topo, read);
  if (options.link !== undefined) topology = withSymmetricLink(topology, parseLinkSpec(options.link));
  if (options.gamma !== undefined) topology = withSymmetricGamma(topology, parseGamma(options.gamma));
  if (options.overlap !== undefined) topology = withSymmetricOverlap(topology, options.overlap === 'on');
  return topology;
}
