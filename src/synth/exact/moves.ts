/** One move in a shape, by construction; and by the solver where that leaves it open. */
import { type Answer, type Instance, shapeName } from './instance.ts';
import type { MoveModel } from './move-model.ts';
import { routedModel } from './routed-model.ts';
import { answerScatter } from './scatter.ts';
import type { SearchControl } from './search-control.ts';
import { constructSpread, isSpread } from './spread.ts';
import { spreadModel } from './spread-model.ts';

/** Chunks of all ranks together that are looked at. */
const mostItems = 16_384;
/** Columns and rows of the largest model that is given to a solver. */
const mostColumns = 60_000;
/** What a solver may do for one instance, counted in work, not in time; what is not decided by then stays open. */
const work = { nodes: 1000, iterations: 20_000 };

/** Answers an instance that no bound rules out. */
export function answerMove(instance: Instance, control: SearchControl): Answer {
  const { kind, chunks, machine } = instance;
  if (chunks * machine.ranks > mostItems) {
    return {
      status: 'unknown',
      reason: `${chunks} chunks for each of ${machine.ranks} ranks are more than ${mostItems}`,
    };
  }
  if (isSpread(kind)) {
    const moves = constructSpread({ ...instance, kind }, control.seed, control.shouldStop);
    if (moves !== undefined) return { status: 'feasible', moves, method: 'constructed' };
    return answerBySolver(instance, () => spreadModel({ ...instance, kind }), control);
  }
  if (kind === 'scatter' && machine.apart !== undefined) {
    return answerScatter(instance, control.seed, control.shouldStop);
  }
  return answerBySolver(instance, () => routedModel(instance), control);
}

/** Asks the solver about a model whose solutions are all the schedules of the instance. */
function answerBySolver(instance: Instance, modelOf: () => MoveModel, control: SearchControl): Answer {
  const { solver, shouldStop, onModel } = control;
  const what = `${instance.kind} ${shapeName(instance)}`;
  if (solver === undefined) return { status: 'unknown', reason: `${what} was not found, and no solver was asked` };
  const size = instance.machine.ways.length * instance.steps * instance.chunks * instance.machine.ranks;
  if (size > 8 * mostColumns) return { status: 'unknown', reason: `${what} is too large for a solver` };
  const { model, movesOf } = modelOf();
  if (model.columns > mostColumns || model.rows > mostColumns) {
    const limit = `its model has ${model.columns} columns and ${model.rows} rows, more than ${mostColumns}`;
    return { status: 'unknown', reason: `${what} is too large for a solver: ${limit}` };
  }
  onModel?.(model, what);
  const answer = solver.solve(model, { ...work, shouldStop, relativeGap: 1 });
  switch (answer.status) {
    case 'optimal':
    case 'feasible':
      return { status: 'feasible', moves: movesOf(answer.values), method: solver.name };
    case 'infeasible':
      return { status: 'infeasible', proof: `${solver.name} (${model.columns} columns, ${model.rows} rows)` };
    case 'unknown':
      return { status: 'unknown', reason: `${what}: ${solver.name}: ${answer.reason}` };
  }
}
