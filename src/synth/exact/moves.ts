/** One move in a shape: bounds first, then construction, and the solver for what these leave open. */
import { type Answer, type Instance, shapeName } from './instance.ts';
import type { SearchControl } from './search-control.ts';
import { constructSpread, isSpread } from './spread.ts';

/** Answers an instance that no bound rules out. */
export function answerMove(instance: Instance, control: SearchControl): Answer {
  const { kind } = instance;
  if (isSpread(kind)) {
    const moves = constructSpread({ ...instance, kind }, control.seed, control.shouldStop);
    if (moves !== undefined) return { status: 'feasible', moves, method: 'constructed' };
  }
  return { status: 'unknown', reason: `no ${kind} in ${shapeName(instance)} was found` };
}
