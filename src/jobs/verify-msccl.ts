/** Verification of MSCCL XML: what no plan can express decides first, then the verifier. */
import type { SourceText } from '../ir/diagnostic.ts';
import type { Verdict, Verification } from '../ir/verification.ts';
import { type MscclDocument, type MscclOptions, readMsccl } from '../read/msccl/index.ts';
import { judgePlan, type VerifyOptions } from '../verify/index.ts';

/** Verdicts of the checks before that of deadlock: an operation that never runs does not excuse them. */
const below: readonly Verdict[] = ['malformed', 'mismatched', 'uninitialised'];

export interface MscclVerdict {
  readonly document: MscclDocument;
  readonly verification: Verification;
}

/**
 * An algorithm is proved for channels of its protocol's depth unless `inflight` says otherwise, and for memory that may
 * hold anything from earlier calls.
 */
export function verifyMsccl(source: SourceText, options: MscclOptions & VerifyOptions): MscclVerdict {
  const document = readMsccl(source, options);
  return { document, verification: verdictOn(document, options) };
}

/** An algorithm in each of the ways in which its file says that it may be used, in place first. */
export function verifyMscclUses(source: SourceText, options: MscclOptions & VerifyOptions): readonly MscclVerdict[] {
  const first = verifyMsccl(source, options);
  return first.document.hasBothUses ? [first, verifyMsccl(source, { ...options, use: 'out of place' })] : [first];
}

/** The verdict on an algorithm that has been read. */
export function verdictOn({ plan, flaws, inflight: depth }: MscclDocument, options: VerifyOptions): Verification {
  const inflight = options.inflight ?? depth;
  const malformed = flaws.filter(({ code }) => code === 'malformed');
  if (malformed.length > 0) return failed('malformed', malformed, inflight);
  const verification = judgePlan(plan, { ...options, inflight, unwritten: 'unknown' });
  if (flaws.length === 0 || below.includes(verification.verdict)) return verification;
  return failed('deadlock', flaws, inflight);
}

function failed(verdict: Verdict, findings: Verification['findings'], inflight: number): Verification {
  return { verdict, findings, inflight, smallestInflight: undefined, determinism: undefined, proved: [] };
}
