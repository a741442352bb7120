/**
 * Decides an instance by a solver, in questions of increasing size: (1) the relaxation in which chunks may be divided,
 * which can only refute; (2) schedules that are invariant under a symmetry of the machine, which can only confirm; (3)
 * any schedule. If the relaxation is infeasible so are whole chunks, since averaging a schedule over the chunks of a
 * shard solves the relaxation. Averaging over the images under renumberings does as well, so one shard per orbit is
 * enough.
 */
import { type Instance, type InstanceAnswer, type SearchControl, shapeName } from './instance.ts';
import { modelOf } from './models.ts';
import { freeSymmetry, identityOf, type Renumbering } from './symmetry.ts';

/** Maximum columns and rows of a model. */
const mostColumns = 60_000;
/** Work limits of the solver per model (not time); what is undecided then stays open. */
const workWhole = { nodes: 1000, iterations: 100_000 };
const workSymmetric = { nodes: 100, iterations: 20_000 };
/** Models of partial sums have weak relaxations: they are decided soon, or not at all. */
const workSums = { nodes: 20, iterations: 4_000 };
const mostSumColumns = 3_500;

interface Question {
  readonly kind: 'divided' | 'symmetric' | 'any';
  readonly symmetry: readonly Renumbering[];
  readonly work: typeof workWhole;
  readonly most: number;
}

/**
 * @returns 'infeasible' for an allreduce if there is no schedule whose messages are sums that count no contribution
 * twice; for other collectives if there is no schedule at all
 */
export function answerBySolver(instance: Instance, { solver, shouldStop, onModel }: SearchControl): InstanceAnswer {
  const what = `${instance.kind} ${shapeName(instance)}`;
  if (solver === undefined) return { status: 'unknown', reason: `${what} was not found, and no solver was asked` };
  const tooLarge = (size: string, most: number): InstanceAnswer => {
    return { status: 'unknown', reason: `${what} is too large for a solver: its model ${size}, more than ${most}` };
  };
  const { machine, steps, chunks } = instance;
  const columns = machine.routes.length * steps * chunks * machine.ranks;
  if (columns > 8 * mostColumns) return tooLarge(`would have about ${columns} columns`, mostColumns);
  for (const { kind, symmetry, work, most } of questionsOn(instance)) {
    const { model, scheduleOf } = modelOf(instance, symmetry, kind === 'divided');
    const size = `${model.columns} columns, ${model.rows} rows`;
    if (model.columns > most || model.rows > mostColumns) {
      if (kind === 'any') return tooLarge(`has ${size}`, most);
      continue;
    }
    onModel?.(model, `${what}, ${aboutQuestion(kind, symmetry)}${size}`);
    const answer = solver.solve(model, { ...work, shouldStop, relativeGap: 1 });
    if (answer.status === 'infeasible') {
      if (kind === 'symmetric') continue;
      const even = kind === 'divided' ? ': not even with divided chunks' : '';
      return { status: 'infeasible', proof: `${solver.name}${even} (${size})` };
    }
    if (answer.status === 'unknown') {
      if (kind === 'any') return { status: 'unknown', reason: `${what}: ${solver.name}: ${answer.reason}` };
    } else if (kind !== 'divided') {
      const method = kind === 'symmetric' ? `${solver.name} by symmetry` : solver.name;
      return { status: 'feasible', schedule: scheduleOf(answer.values), method };
    }
  }
  return { status: 'unknown', reason: what };
}

/**
 * The order of questions: if construction has failed, the instance is probably infeasible, so refutation comes first;
 * otherwise the question that can confirm.
 */
function questionsOn({ kind, machine, chunks }: Instance): readonly Question[] {
  const alone = [identityOf(machine)];
  const isRooted = kind === 'broadcast' || kind === 'scatter';
  const group = isRooted ? alone : freeSymmetry(machine);
  const divided: Question = { kind: 'divided', symmetry: group, work: workWhole, most: mostColumns };
  const any: Question = { kind: 'any', symmetry: alone, work: workWhole, most: mostColumns };
  const symmetric: Question = { kind: 'symmetric', symmetry: group, work: workSymmetric, most: mostColumns };
  const bySymmetry = group.length > 1 ? [symmetric] : [];
  switch (kind) {
    case 'allgather':
    case 'broadcast':
      return [divided, ...bySymmetry, any];
    case 'scatter':
    case 'alltoall':
      return [...bySymmetry, divided, any];
    case 'allreduce':
      // Chunks are permuted with the ranks.
      return [...(chunks % group.length === 0 ? bySymmetry : []), { ...any, most: mostSumColumns }].map((question) => {
        return { ...question, work: workSums };
      });
  }
}

function aboutQuestion(kind: Question['kind'], { length }: readonly Renumbering[]): string {
  if (kind === 'divided') return 'with chunks divided, ';
  return kind === 'symmetric' ? `by symmetry, for ${length} times as many: ` : '';
}
