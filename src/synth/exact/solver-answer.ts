/**
 * What a solver says of an instance, in questions of growing size: whether the links could carry it if chunks could be divided, whether
 * there is a schedule that looks the same from several chips, and whether there is any. The second one cannot say no.
 */
import type { LinearModel, Solver, SolverAnswer } from '../../solver/index.ts';
import { answerDivided } from './divided-chunks.ts';
import { type Answer, type Instance, type SearchControl, shapeName } from './instance.ts';
import { type InstanceModel, routedModel, spreadModel, sumsModel } from './models.ts';
import type { SumMoves } from './sums.ts';
import { freeSymmetry, identityOf, type Renumbering } from './symmetry.ts';

/** Columns and rows of the largest model that is given to a solver. */
const mostColumns = 60_000;
/** What a solver may do for one model, counted in work, not in time; what is not decided by then stays open. */
const workWhole = { nodes: 1000, iterations: 100_000 };
const workSymmetric = { nodes: 100, iterations: 20_000 };
/** Partial sums make models with weak bounds: they are decided soon, or not at all. */
const workSums = { nodes: 20, iterations: 4_000 };
const mostSumColumns = 3_500;

/** Allgather or broadcast. Most of what construction does not find is impossible even with divided chunks: that is asked first. */
export function solveSpread(instance: Instance, control: SearchControl): Answer {
  return answerOf(instance, control, (questions) => {
    const model = (symmetry: readonly Renumbering[]) => spreadModel(instance, symmetry);
    return questions.carries() ?? questions.symmetric(model) ?? questions.any(model);
  });
}

/** Alltoall, or a scatter on a machine with switches. Nothing has been tried before: what can be found is asked for first. */
export function solveRouted(instance: Instance, control: SearchControl): Answer {
  return answerOf(instance, control, (questions) => {
    const model = (symmetry: readonly Renumbering[]) => routedModel(instance, symmetry, 'whole');
    const divided = (symmetry: readonly Renumbering[]) => routedModel(instance, symmetry, 'divided');
    return questions.symmetric(model) ?? questions.divided(divided) ?? questions.any(model);
  });
}

/**
 * Allreduce on a small machine, by partial sums.
 * @returns 'infeasible' where there is no schedule in which what travels are sums of contributions, none of them counted twice
 */
export function solveSums(instance: Instance, control: SearchControl): Answer<SumMoves> {
  return answerOf(instance, control, (questions) => {
    const model = (symmetry: readonly Renumbering[]) => sumsModel(instance, symmetry);
    return questions.symmetric(model, workSums) ?? questions.any(model, workSums, mostSumColumns);
  });
}

function answerOf<Solution>(
  instance: Instance,
  control: SearchControl,
  answer: (questions: Questions) => Answer<Solution>,
): Answer<Solution> {
  const what = `${instance.kind} ${shapeName(instance)}`;
  const { solver } = control;
  if (solver === undefined) return { status: 'unknown', reason: `${what} was not found, and no solver was asked` };
  const size = instance.machine.ways.length * instance.steps * instance.chunks * instance.machine.ranks;
  return size > 8 * mostColumns
    ? tooLarge(what, `would have about ${size} columns`, mostColumns)
    : answer(new Questions(instance, what, solver, control));
}

function tooLarge(what: string, size: string, most: number): Unknown {
  return { status: 'unknown', reason: `${what} is too large for a solver: its model ${size}, more than ${most}` };
}

type Impossible = Extract<Answer, { status: 'infeasible' }>;
type Unknown = Extract<Answer, { status: 'unknown' }>;
type ModelFor<Solution> = (symmetry: readonly Renumbering[]) => InstanceModel<Solution>;

/** Each is answered, or left open for the next one: undefined. */
class Questions {
  private readonly instance: Instance;
  private readonly what: string;
  private readonly solver: Solver;
  private readonly control: SearchControl;
  /** Under which chunks follow: none that moves a root, nor one with more images than there are chunks of partial sums. */
  private readonly symmetry: readonly Renumbering[];
  private readonly alone: readonly Renumbering[];

  constructor(instance: Instance, what: string, solver: Solver, control: SearchControl) {
    this.instance = instance;
    this.what = what;
    this.solver = solver;
    this.control = control;
    const { kind, machine, chunks } = instance;
    this.alone = [identityOf(machine)];
    const group = kind === 'broadcast' || kind === 'scatter' ? this.alone : freeSymmetry(machine);
    this.symmetry = kind === 'allreduce' && chunks % group.length !== 0 ? this.alone : group;
  }

  /** Whether links carry an allgather or a broadcast of chunks that are divided. */
  carries(): Impossible | undefined {
    let size = '';
    const answer = answerDivided(this.instance, this.symmetry, (model) => {
      size = sizeOf(model);
      return this.ask(model, `with chunks divided, ${size}`, workWhole);
    });
    return answer === 'impossible' ? this.impossibleDivided(size) : undefined;
  }

  /** Whether a model of divided chunks has a solution; if it has, there is one that looks the same from several chips. */
  divided(modelFor: ModelFor<unknown>): Impossible | undefined {
    const { model } = modelFor(this.symmetry);
    if (!fits(model)) return undefined;
    const { status } = this.ask(model, `with chunks divided, ${sizeOf(model)}`, workWhole);
    return status === 'infeasible' ? this.impossibleDivided(sizeOf(model)) : undefined;
  }

  /** Whether there is a schedule that looks the same from several chips. */
  symmetric<Solution>(modelFor: ModelFor<Solution>, work = workSymmetric): Answer<Solution> | undefined {
    if (this.symmetry.length === 1) return undefined;
    const { model, solutionOf } = modelFor(this.symmetry);
    if (!fits(model)) return undefined;
    const answer = this.ask(model, `${sizeOf(model)} by symmetry, for ${this.symmetry.length} times as many`, work);
    if (answer.status !== 'optimal' && answer.status !== 'feasible') return undefined;
    return { status: 'feasible', solution: solutionOf(answer.values), method: `${this.solver.name} by symmetry` };
  }

  /** Whether there is any schedule. */
  any<Solution>(modelFor: ModelFor<Solution>, work = workWhole, most = mostColumns): Answer<Solution> {
    const { model, solutionOf } = modelFor(this.alone);
    if (!fits(model, most)) return tooLarge(this.what, `has ${sizeOf(model)}`, most);
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
}

function fits({ columns, rows }: LinearModel, most = mostColumns): boolean {
  return columns <= most && rows <= mostColumns;
}

function sizeOf({ columns, rows }: LinearModel): string {
  return `${columns} columns, ${rows} rows`;
}
