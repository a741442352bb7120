/** Explains whether all ranks get the same bits. */
import type { Determinism } from '../../ir/verification.ts';
import { CheckFindings } from './findings.ts';

/** The line of a report about identical bits. */
export function determinismText({ identical }: Determinism): string {
  return identical
    ? 'deterministic: identical on all ranks'
    : 'deterministic for each rank, but not identical on all ranks (see the warning)';
}

/** A warning if ranks combine a chunk differently. @param bitwise makes it an error: identical bits were requested */
export function describeDeterminism(determinism: Determinism, bitwise: boolean): CheckFindings {
  const findings = new CheckFindings('not-bitwise', bitwise ? 'error' : 'warning');
  if (determinism.identical) return findings;
  const chunks = determinism.differing.length;
  const [{ chunk, ranks }] = determinism.differing;
  const shown = ranks.slice(0, 4).join(', ') + (ranks.length > 4 ? ` and ${ranks.length - 4} more` : '');
  findings.add(() => ({
    message:
      `${chunks === 1 ? 'One chunk is' : `${chunks} chunks are`} not combined with the same tree everywhere: floating-point results may ` +
      `differ in their last bits. For example, chunk ${chunk} is combined differently on ${ranks.length === 1 ? 'rank' : 'ranks'} ${shown}.`,
  }));
  return findings;
}
