/** The work limit of a check. Certificates come from untrusted files, so a check has to end whatever they contain. */

/** Elementary steps that one check may take, such as links relaxed and contributions counted: some seconds of work. */
const mostSteps = 1e9;
/** Steps charged for a contribution that a check keeps in memory, where it takes about so many bytes. */
export const trackedContributionBytes = 50;

/** Thrown by a check that exceeds its work limit; `judgeWitness` turns it into the verdict `too much work`. */
export class TooMuchWork extends Error {}

export class Work {
  private left = mostSteps;

  /** Charges steps to the limit. @throws TooMuchWork if fewer are left */
  spend(steps: number): void {
    this.left -= steps;
    if (!(this.left >= 0)) throw new TooMuchWork(`more than ${mostSteps} steps`);
  }
}
