import type { SymmetricTopology } from '../../ir/compact.ts';
import type { ReadOptions } from '../../read/options.ts';
import { findTopology } from '../../read/topology/resolve.ts';
import { parseSymmetricTopology } from './read.ts';

/**
 * The machine named on the command line, as the view from one chip.
 * @throws CccError as `resolveTopology`, and 'unsupported' for a machine that does not look the same from every chip
 */
export function resolveSymmetricTopology(spec: string, options: ReadOptions = {}): SymmetricTopology {
  const { source, request } = findTopology(spec, options);
  return parseSymmetricTopology(source, request, options);
}
