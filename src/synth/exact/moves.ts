/** One move in a shape, by construction; and by the solver where that leaves it open. */

import { isSpread } from '../list/problem.ts';
import type { Answer, MoveInstance } from './instance.ts';
import { answerScatter } from './scatter.ts';
import type { SearchControl } from './search-control.ts';
import { solveRouted, solveSpread } from './solver-answer.ts';
import { constructSpread } from './spread.ts';

/** Chunks of all ranks together that are looked at. */
const mostItems = 16_384;

/** Answers an instance that no bound rules out. */
export function answerMove(instance: MoveInstance, control: SearchControl): Answer {
  const { kind, chunks, machine } = instance;
  if (chunks * machine.ranks > mostItems) {
    return {
      status: 'unknown',
      reason: `${chunks} chunks for each of ${machine.ranks} ranks are more than ${mostItems}`,
    };
  }
  if (isSpread(kind)) {
    const moves = constructSpread({ ...instance, kind }, control.seed, control.shouldStop);
    if (moves !== undefined) return { status: 'feasible', solution: moves, method: 'constructed' };
    return solveSpread({ ...instance, kind }, control);
  }
  if (kind === 'scatter' && machine.apart !== undefined) {
    return answerScatter(instance, control.seed, control.shouldStop);
  }
  return solveRouted(instance, control);
}
