/** Files as proved plans, for programs. */

import type { PlanBundle } from '../emit/index.ts';
import { defaultLimits } from '../ir/limits.ts';
import { readSource } from '../read/index.ts';
import { type ConvertRequest, convert } from './convert.ts';

/** How to take a file; what is left out is as on the command line: root 0, sum, out of place. */
export type LoadRequest = Partial<ConvertRequest>;

/**
 * Reads a plan (JSON, full or compact with `expand`), a schedule (YAML; `ranks` or `topology` says for how many), or an MSCCL (XML) or
 * SCCL (JSON) algorithm, and proves it.
 * @throws CccError 'unproved' with what is wrong, 'file' where it cannot be read, and whatever its format's reader throws
 */
export async function load(path: string, request: LoadRequest = {}): Promise<PlanBundle> {
  const { limits = defaultLimits } = request;
  const defaults = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, limits } as const;
  const { bundle } = await convert(readSource(path, limits), { ...defaults, ...request, limits });
  return bundle;
}
