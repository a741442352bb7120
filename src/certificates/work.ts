/** How much a check may do: certificates come from files that anybody may have written. */

/** Links looked at, contributions counted and the like: some seconds. */
const mostSteps = 1e9;
/** For a contribution that is kept in mind. */
export const trackedContributionBytes = 50;

/** Thrown within a check whose certificate asks for more; `judge` tells it as a verdict. */
export class TooMuchWork extends Error {}

export class Work {
  private left = mostSteps;

  /** @throws TooMuchWork */
  spend(steps: number): void {
    this.left -= steps;
    if (!(this.left >= 0)) throw new TooMuchWork(`more than ${mostSteps} steps`);
  }
}
