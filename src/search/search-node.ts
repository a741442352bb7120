/** Prospects: what could become the best plan, from an engine that has not been asked to a plan that could be tuned once more. */
import type { Seconds } from '../ir/units.ts';

export interface SearchNode {
  /** For people. */
  readonly name: string;
  /** Nothing made of it can be faster. */
  readonly lowerBound: Seconds;
  /** About what the next refinements make of it, and the scale of what that is off by, in its logarithm. */
  readonly estimate: Seconds;
  readonly spread: number;
  /** About what the next refinement takes, in operations of a plan. */
  readonly work: number;
  /** As good as the best plan is good enough: of equals it is the one to have. */
  readonly winsTies?: boolean;
  /** An engine: what it will propose is not known. */
  readonly isEngine?: true;
  /** A plan can be made of it at once. */
  readonly isCandidate?: true;
  /** To be shown by `--explain`, good or not. */
  readonly isShown?: boolean;
  /** Waits until there is a plan, or nothing else to do. */
  readonly waits?: boolean;
  /** Does one step, and says what could be done next. Plans that it finds it hands to the search. */
  refine(): readonly SearchNode[];
}

/** Of equals, textbook algorithms are to be had where people can still read them. */
export function winsTies(engine: string, ranks: number): boolean {
  return engine === 'library' && ranks <= 8;
}

/**
 * What a refinement is expected to gain, in parts of the best time: the mean of ln(best / T), between 0 and ln(best / floor), for a T whose
 * logarithm has a logistic distribution around the estimate. That is the integral of the distribution function from the floor to the best time.
 */
export function gainOf({ estimate, spread }: SearchNode, best: Seconds, floor: Seconds): number {
  const likely = Math.max(estimate, floor);
  return spread * (softplus(logRatio(best, likely) / spread) - softplus(logRatio(floor, likely) / spread));
}

function softplus(x: number): number {
  return x > 30 ? x : Math.log1p(Math.exp(x));
}

/** Of times that may be 0. */
function logRatio(a: Seconds, b: Seconds): number {
  return Math.log(Math.max(a, Number.MIN_VALUE)) - Math.log(Math.max(b, Number.MIN_VALUE));
}
