/** Verification of MSCCL XML: errors that no plan can express decide first, then the verifier. */
import type { SourceText } from '../ir/diagnostic.ts';
import type { Verdict, Verification } from '../ir/verification.ts';
import { type MscclDocument, type MscclOptions, readMsccl } from '../read/msccl/index.ts';
import { judgePlan, type VerifyOptions } from '../verify/index.ts';

/** Verdicts of checks that precede the deadlock check. They take precedence over a deadlock that the reader found. */
const below: readonly Verdict[] = ['malformed', 'mismatched', 'uninitialised'];

export interface MscclVerdict {
  readonly document: MscclDocument;
  readonly verification: Verification;
}

/**
 * Verifies an algorithm for channels of its protocol's depth, unless `inflight` says otherwise, and for memory that may contain data of earlier
 * calls.
 */
export function verifyMsccl(source: SourceText, options: MscclOptions & VerifyOptions): MscclVerdict {
  const document = readMsccl(source, options);
  return { document, verification: verdictOn(document, options) };
}

/** Verifies an algorithm for each use that its file permits, in place first. */
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
