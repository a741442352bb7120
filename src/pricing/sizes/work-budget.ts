/** What the search for sizes may take, counted in operations simulated, so that results do not depend on the clock. */
export class WorkBudget {
  private left: number;
  private readonly shouldStop: (() => boolean) | undefined;

  constructor(operations: number, shouldStop: (() => boolean) | undefined) {
    this.left = operations;
    this.shouldStop = shouldStop;
  }

  /** Takes so much; false where it is not there any more, or the time is up. */
  spend(operations: number): boolean {
    if (operations > this.left || this.shouldStop?.() === true) return false;
    this.left -= operations;
    return true;
  }
}
