/** `ccc verify` of compact plans: proved on rank 0's program, without writing the others out. */

import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Bytes } from '../../ir/units.ts';
import { compactVerification } from '../../jobs/compact.ts';
import type { FileReport } from '../../jobs/verify-file.ts';
import { readAnyPlan } from '../../read/plan/index.ts';
import type { Ownership } from '../../verify/index.ts';
import type { TopologyOptions } from '../options.ts';
import { symmetricTopologyFrom } from './machine.ts';

export interface CompactVerifyRequest extends TopologyOptions {
  readonly ranks?: unknown;
  readonly inflight?: number;
  readonly size?: Bytes;
  readonly bitwise?: boolean;
  readonly ownership: Ownership;
}

/**
 * The verdict on a compact plan, on the machine that the options name, if any; undefined for a file that is none.
 * @throws CccError as the readers of plans and topologies, 'limit' for a plan that its program alone does not decide
 */
export async function verifyCompactText(
  source: SourceText,
  options: CompactVerifyRequest,
  limits: Limits,
): Promise<FileReport | undefined> {
  if (!/^\s*\{/.test(source.text)) return undefined;
  const document = readAnyPlan(source, { limits });
  if (!('compact' in document)) return undefined;
  if (options.ranks !== undefined) {
    throw new CccError('usage', '--ranks is for schedules: a plan has its own number of ranks');
  }
  const machine = options.topo === undefined ? undefined : await symmetricTopologyFrom(options, limits);
  const { bitwise, ownership, size, inflight = machine?.inflight } = options;
  const own = { shape: machine?.shape, inflight, bitwise, ownership, size, limits };
  const { collective, name } = document.compact;
  const verdict = { collective, plan: { name }, verification: compactVerification(document, machine, own) };
  return { kind: 'plan', verdicts: [verdict], skipped: [], document: undefined };
}
