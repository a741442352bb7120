/**
 * Nodes of the best-first search: anything that may lead to a better plan, from an engine that has not been run to a plan whose pipeline
 * can be tuned further.
 */
import type { Seconds } from '../ir/units.ts';

/** An open node of the search. Times are in seconds. */
export interface SearchNode {
  /** Name for reports. */
  readonly name: string;
  /** No plan that results from this node is faster. */
  readonly lowerBound: Seconds;
  /** Expected time of the plan after the next refinements, and the scale of the error of its logarithm. */
  readonly estimate: Seconds;
  readonly spread: number;
  /** Approximate work of the next refinement, in operations of a plan. */
  readonly work: number;
  /** The node wins ties: it is worth refining even if it can only equal the incumbent. */
  readonly winsTies?: boolean;
  /** The node is an engine, whose proposals are not known yet. */
  readonly isEngine?: true;
  /** The node is a candidate that its next refinement turns into a plan. */
  readonly isCandidate?: true;
  /** `--explain` shows it, even if it cannot be the best. */
  readonly isShown?: boolean;
  /** The node is refined only if there is a plan already, or no other node. */
  readonly waits?: boolean;
  /** Performs one refinement and returns the nodes that follow from it. Plans that it finds are reported to the search. */
  refine(): readonly SearchNode[];
}

/** Whether a candidate of this engine wins ties: textbook algorithms do, on machines small enough for people to read the schedule. */
export function winsTies(engine: string, ranks: number): boolean {
  return engine === 'library' && ranks <= 8;
}

/**
 * The expected gain of a refinement as a fraction of the incumbent's time: the mean of ln(best / T), clamped to 0 … ln(best / floor), for a
 * time T whose logarithm has a logistic distribution around the estimate. It equals the integral of the distribution function from the
 * floor to the best time.
 * @param best the incumbent's time in seconds
 * @param floor a lower bound on T in seconds
 */
export function gainOf({ estimate, spread }: SearchNode, best: Seconds, floor: Seconds): number {
  const likely = Math.max(estimate, floor);
  return spread * (softplus(logRatio(best, likely) / spread) - softplus(logRatio(floor, likely) / spread));
}

function softplus(x: number): number {
  return x > 30 ? x : Math.log1p(Math.exp(x));
}

/** ln(a / b) for times that may be 0. */
function logRatio(a: Seconds, b: Seconds): number {
  return Math.log(Math.max(a, Number.MIN_VALUE)) - Math.log(Math.max(b, Number.MIN_VALUE));
}
