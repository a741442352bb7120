/** Verification of compact plans: proved on rank 0's program, without writing the others out. */
import type { SymmetricTopology } from '../../ir/compact.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { compactVerification } from '../../jobs/compact.ts';
import type { FileReport, VerifyRequest } from '../../jobs/verify-file.ts';
import { readAnyPlan } from '../../read/plan/index.ts';

/** What a compact plan is verified for. */
export type CompactVerifyRequest = Pick<
  VerifyRequest,
  'ranks' | 'inflight' | 'size' | 'bitwise' | 'ownership' | 'limits'
>;

/**
 * The verdict on a compact plan; undefined for a file that is none.
 * @param machineFor called for a compact plan only, since it takes time to read a large machine
 * @throws CccError as the readers of plans and machines, 'limit' for a plan that its program alone does not decide
 */
export async function verifyCompactText(
  source: SourceText,
  { ranks, limits, size, bitwise, ownership, ...asked }: CompactVerifyRequest,
  machineFor: () => Promise<SymmetricTopology | undefined>,
): Promise<FileReport | undefined> {
  if (!/^\s*\{/.test(source.text)) return undefined;
  const document = readAnyPlan(source, { limits });
  if (!('compact' in document)) return undefined;
  if (ranks !== undefined) {
    throw new CccError('usage', '--ranks is for schedules: a plan has its own number of ranks');
  }
  const machine = await machineFor();
  const { inflight = machine?.inflight } = asked;
  const own = { shape: machine?.shape, inflight, bitwise, ownership, size, limits };
  const { collective, name } = document.compact;
  const verdict = { collective, plan: { name }, verification: compactVerification(document, machine, own) };
  return { kind: 'plan', verdicts: [verdict], skipped: [], document: undefined };
}
