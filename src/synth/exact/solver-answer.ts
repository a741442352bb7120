/**
 * What a solver says of an instance, in questions of growing size: whether the links could carry it if chunks could be divided, whether
 * there is a schedule that looks the same from several chips, and whether there is any. The second one cannot say no.
 */
import type { SpreadKind } from '../list/problem.ts';
import type { LinearModel, Solver, SolverAnswer } from '../solver/index.ts';
import { answerDivided } from './divided-chunks.ts';
import { type Answer, type Instance, shapeName } from './instance.ts';
import { type FoldedModel, foldedModel } from './models/folded-model.ts';
import type { InstanceModel } from './models/instance-model.ts';
import { partialSumsModel } from './models/partial-sums-model.ts';
import { routedModel } from './models/routed-model.ts';
import { spreadModel } from './models/spread-model.ts';
import type { SearchControl } from './search-control.ts';
import type { SumMoves } from './sums/partial-sums.ts';
import { freeSymmetry, type Renumbering } from './symmetry.ts';

/** Columns and rows of the largest model that is given to a solver. */
const mostColumns = 60_000;
/** What a solver may do for one model, counted in work, not in time; what is not decided by then stays open. */
const workWhole = { nodes: 1000, iterations: 100_000 };
const workSymmetric = { nodes: 100, iterations: 20_000 };
/** Partial sums make models with weak bounds: they are decided soon, or not at all. */
const workSums = { nodes: 20, iterations: 4_000 };
const mostSumColumns = 3_500;

/** Allgather or broadcast. Most of what construction does not find is impossible even with divided chunks: that is asked first. */
export function solveSpread(instance: Instance & { readonly kind: SpreadKind }, control: SearchControl): Answer {
  const questions = questionsFor(instance, control);
  if ('status' in questions) return questions;
  const carried = questions.carries();
  if (carried !== undefined) return carried;
  const model = spreadModel(instance);
  return questions.symmetric(model) ?? questions.any(model);
}

/** Alltoall, or a scatter on a machine with switches. Nothing has been tried before: what can be found is asked for first. */
export function solveRouted(instance: Instance, control: SearchControl): Answer {
  const questions = questionsFor(instance, control);
  if ('status' in questions) return questions;
  const model = routedModel(instance, 'whole');
  return questions.symmetric(model) ?? questions.divided(routedModel(instance, 'divided')) ?? questions.any(model);
}

/**
 * Allreduce on a small machine, by partial sums.
 * @returns 'infeasible' where there is no schedule in which what travels are sums of contributions, none of them counted twice
 */
export function solveSums(instance: Instance, control: SearchControl): Answer<SumMoves> {
  const questions = questionsFor(instance, control);
  if ('status' in questions) return questions;
  const { symmetry } = questions;
  const impossible = questions.divided(partialSumsModel(instance, 'divided', symmetry));
  if (impossible !== undefined) return impossible;
  const model = partialSumsModel(instance, 'whole', symmetry);
  if (model.model.columns > mostSumColumns) {
    return { status: 'unknown', reason: `partial sums ${shapeName(instance)}: ${sizeOf(model.model)} are too many` };
  }
  return questions.symmetric(model, workSums) ?? questions.any(model, workSums);
}

function questionsFor(instance: Instance, control: SearchControl): Questions | Unknown {
  const what = `${instance.kind} ${shapeName(instance)}`;
  const { solver } = control;
  if (solver === undefined) return { status: 'unknown', reason: `${what} was not found, and no solver was asked` };
  const size = instance.machine.ways.length * instance.steps * instance.chunks * instance.machine.ranks;
  if (size > 8 * mostColumns) {
    const limit = `its model would have about ${size} columns, more than ${mostColumns}`;
    return { status: 'unknown', reason: `${what} is too large for a solver: ${limit}` };
  }
  return new Questions(instance, what, solver, control);
}

type Impossible = Extract<Answer, { status: 'infeasible' }>;
type Unknown = Extract<Answer, { status: 'unknown' }>;

/** Each is answered, or left open for the next one: undefined. */
class Questions {
  private readonly instance: Instance;
  private readonly what: string;
  private readonly solver: Solver;
  private readonly control: SearchControl;
  readonly symmetry: readonly Renumbering[];

  constructor(instance: Instance, what: string, solver: Solver, control: SearchControl) {
    this.instance = instance;
    this.what = what;
    this.solver = solver;
    this.control = control;
    this.symmetry = freeSymmetry(instance.machine);
  }

  /** Whether links carry an allgather or a broadcast of chunks that are divided. */
  carries(): Impossible | undefined {
    const symmetry = this.instance.kind === 'broadcast' ? this.symmetry.slice(0, 1) : this.symmetry;
    let size = '';
    const answer = answerDivided(this.instance, symmetry, (model) => {
      size = sizeOf(model);
      return this.ask(model, `with chunks divided, ${size}`, workWhole);
    });
    return answer === 'impossible' ? this.impossibleDivided(size) : undefined;
  }

  /** Whether a model of divided chunks has a solution; if it has, there is one that looks the same from several chips. */
  divided(model: InstanceModel<unknown>): Impossible | undefined {
    const mean = this.folded(model)?.model ?? model.model;
    if (!fits(mean)) return undefined;
    const { status } = this.ask(mean, `with chunks divided, ${sizeOf(mean)}`, workWhole);
    return status === 'infeasible' ? this.impossibleDivided(sizeOf(mean)) : undefined;
  }

  /** Whether there is a schedule that looks the same from several chips. */
  symmetric<Solution>(whole: InstanceModel<Solution>, work = workSymmetric): Answer<Solution> | undefined {
    const folded = this.folded(whole);
    if (folded === undefined || !fits(folded.model)) return undefined;
    const instead = `${sizeOf(folded.model)} by symmetry instead of ${sizeOf(whole.model)}`;
    const answer = this.ask(folded.model, instead, work);
    if (answer.status !== 'optimal' && answer.status !== 'feasible') return undefined;
    const solution = whole.solutionOf(folded.unfolded(answer.values));
    return { status: 'feasible', solution, method: `${this.solver.name} by symmetry` };
  }

  /** Whether there is any schedule. */
  any<Solution>({ model, solutionOf }: InstanceModel<Solution>, work = workWhole): Answer<Solution> {
    if (!fits(model)) {
      const limit = `its model has ${sizeOf(model)}, more than ${mostColumns}`;
      return { status: 'unknown', reason: `${this.what} is too large for a solver: ${limit}` };
    }
    const answer = this.ask(model, sizeOf(model), work);
    switch (answer.status) {
      case 'optimal':
      case 'feasible':
        return { status: 'feasible', solution: solutionOf(answer.values), method: this.solver.name };
      case 'infeasible':
        return { status: 'infeasible', proof: `${this.solver.name} (${sizeOf(model)})` };
      case 'unknown':
        return { status: 'unknown', reason: `${this.what}: ${this.solver.name}: ${answer.reason}` };
    }
  }

  private ask(model: LinearModel, about: string, work: typeof workWhole): SolverAnswer {
    this.control.onModel?.(model, `${this.what}, ${about}`);
    return this.solver.solve(model, { ...work, shouldStop: this.control.shouldStop, relativeGap: 1 });
  }

  private impossibleDivided(size: string): Impossible {
    return { status: 'infeasible', proof: `${this.solver.name}: not even with divided chunks (${size})` };
  }

  /** The model of what looks the same under all renumberings; undefined if only the identity fits it. */
  private folded({ model, columnImages }: InstanceModel<unknown>): FoldedModel | undefined {
    const images = this.symmetry.slice(1).flatMap((renumbering) => columnImages(renumbering) ?? []);
    return images.length > 0 && images.length === this.symmetry.length - 1 ? foldedModel(model, images) : undefined;
  }
}

function fits({ columns, rows }: LinearModel): boolean {
  return columns <= mostColumns && rows <= mostColumns;
}

function sizeOf({ columns, rows }: LinearModel): string {
  return `${columns} columns, ${rows} rows`;
}
