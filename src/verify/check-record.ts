/** Records the results of the checks while they run in order. */
import { CccError } from '../ir/diagnostic.ts';
import type { Determinism, Finding, Verdict, Verification } from '../ir/verification.ts';
import type { CheckFindings } from './explain/findings.ts';

/** What the checks that have run so far have shown and found. */
export class CheckRecord {
  readonly findings: Finding[] = [];
  readonly proved: string[] = [];
  readonly inflight: number | undefined;
  verdict: Verdict = 'correct';
  smallestInflight: number | undefined = undefined;
  determinism: Determinism | undefined = undefined;

  /** @throws CccError `range` for a limit in flight that is no number */
  constructor(inflight: number | undefined) {
    if (inflight !== undefined && !(Number.isSafeInteger(inflight) && inflight >= 0)) {
      throw new CccError(
        'range',
        `The limit of transfers in flight must be a whole number, 0 or more, not ${inflight}.`,
      );
    }
    this.inflight = inflight;
  }

  /** A second record with the same contents, for a run that may be discarded. */
  copy(): CheckRecord {
    const copy = new CheckRecord(this.inflight);
    copy.findings.push(...this.findings);
    copy.proved.push(...this.proved);
    return copy;
  }

  /**
   * Records the findings of a check.
   * @param proved the line for reports if the check passes
   * @returns whether the check found no error
   */
  passes(found: CheckFindings, proved: string): boolean {
    const findings = found.list();
    this.findings.push(...findings);
    const error = findings.find((finding) => finding.severity === 'error');
    if (error === undefined) this.proved.push(proved);
    else this.verdict = error.code;
    return error === undefined;
  }

  verification(): Verification {
    const { verdict, findings, inflight, smallestInflight, determinism, proved } = this;
    return { verdict, findings, inflight, smallestInflight, determinism, proved };
  }
}
