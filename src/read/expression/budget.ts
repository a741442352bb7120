import { CccError, type SourceRange } from '../../ir/diagnostic.ts';

/** The evaluations that are left for expanding a file: a hostile or mistyped file ends with an error instead of running for hours. */
export class ExpansionBudget {
  private readonly evaluations: number;
  private left: number;

  constructor(evaluations: number) {
    this.evaluations = evaluations;
    this.left = evaluations;
  }

  /** Spends evaluations. @throws CccError 'limit' if fewer are left */
  spend(evaluations: number, range: SourceRange): void {
    this.left -= evaluations;
    if (this.left < 0) {
      const message = `expanding this takes more evaluations than the limit evaluations = ${this.evaluations}`;
      throw new CccError('limit', message, range);
    }
  }

  /** Refuses a loop that cannot end within the budget, before it starts. */
  checkLoop(times: number, range: SourceRange): void {
    if (times <= this.left) return;
    const message = `this loop runs ${times} times, more than is left of the limit evaluations = ${this.evaluations}`;
    throw new CccError('limit', message, range);
  }
}
