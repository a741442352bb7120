/** The record of climbing the ladder of rungs. */
import { CccError } from '../ir/diagnostic.ts';
import type { Determinism, Finding, Verdict, Verification } from '../ir/verification.ts';
import type { CheckFindings } from './explain/findings.ts';

/** What was found so far, while the ladder is climbed. */
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

  /** Another record that goes on from here. */
  copy(): CheckRecord {
    const copy = new CheckRecord(this.inflight);
    copy.findings.push(...this.findings);
    copy.proved.push(...this.proved);
    return copy;
  }

  /** Notes a rung's findings; true if it passed. */
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
