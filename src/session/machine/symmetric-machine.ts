/** Reads a machine whose chips all see the same links, as compact plans need it: by the links of one chip. */

import { withSymmetricGamma, withSymmetricLink, withSymmetricOverlap } from '../../compact/machine/edits.ts';
import { resolveSymmetricTopology } from '../../compact/machine/resolve.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { parseGamma, parseLinkSpec } from '../../read/index.ts';
import type { MachineOptions } from './machine-options.ts';

/**
 * The machine that the options describe.
 * @param source the text of the machine's file, unless it is a shipped one
 * @throws CccError 'usage' for options after which chips differ from each other, 'unsupported' for a machine whose chips differ
 */
export function symmetricMachine(
  options: MachineOptions,
  limits: Limits,
  source: SourceText | undefined,
): SymmetricTopology {
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
  const read = source === undefined ? { limits } : { limits, read: () => source };
  let topology = resolveSymmetricTopology(options.topo, read);
  if (options.link !== undefined) topology = withSymmetricLink(topology, parseLinkSpec(options.link));
  if (options.gamma !== undefined) topology = withSymmetricGamma(topology, parseGamma(options.gamma));
  if (options.overlap !== undefined) topology = withSymmetricOverlap(topology, options.overlap === 'on');
  return topology;
}
