/**
 * Whether a collective can be done in a shape. Moves are searched on the machine itself; reductions are moves turned round
 * (derive.ts), and what is made of two moves shares its steps and rounds out between them.
 */
import { type Collective, collectiveFacts, isIdempotent, messageChunks } from '../../ir/collective.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { transpose } from '../../ir/topology.ts';
import { gatherThenReduce } from '../../passes/index.ts';
import { assembleSchedule, type Derivation, type DerivedPart, derivationsOf } from '../derive.ts';
import { chunksWithoutWaste, minRounds, ruledOut, type ShapeBounds, shapeBounds } from './bounds.ts';
import {
  type InstanceAnswer,
  type InstanceShape,
  type SearchControl,
  type SolverFinding,
  scheduleName,
  shapeName,
} from './instance.ts';
import { type UnitMachine, unitMachineOf } from './machine.ts';
import { answerMove } from './moves.ts';
import { answerBySolver } from './solver-answer.ts';
import { maxSummedRanks } from './sums.ts';

/** What is known of a collective in a shape; a schedule for it, with `multiple` chunks for each of the shape's, is made when asked for. */
export type ShapeVerdict = SolverFinding<(multiple: number) => Schedule>;

const gathering: DerivedPart = { kind: 'allgather', reversed: false };

/** What is known of a move, on the machine that it is searched on. */
interface KnownMove {
  readonly machine: UnitMachine;
  /** Of the move, which are those of its reversal too. */
  readonly bounds: ShapeBounds;
  readonly answers: Answers;
}

export class Oracle {
  readonly collective: Collective;
  readonly bounds: ShapeBounds;
  private readonly routes: Routes;
  private readonly control: SearchControl;
  private readonly machines: readonly [asItIs: UnitMachine, turned: UnitMachine];
  private readonly moves = new Map<string, KnownMove>();
  private readonly sums = new Answers();

  /** @param collective of a kind that `derivationsOf` knows; its C is of no account */
  constructor(collective: Collective, routes: Routes, control: SearchControl) {
    this.collective = collective;
    this.routes = routes;
    this.control = control;
    this.machines = [unitMachineOf(routes, false), unitMachineOf(routes, true)];
    this.bounds = shapeBounds(collective, routes.topology, this.machines[0]);
  }

  /** What can be said of one shape. */
  query(shape: InstanceShape): ShapeVerdict {
    const proof = ruledOut(this.bounds, shape);
    if (proof !== undefined) return { status: 'infeasible', proof };
    const derivations = derivationsOf(this.collective.kind);
    const [usual] = derivations;
    // What is one move, or one turned round, is decided by it.
    if (usual.parts.length === 1) {
      const answer = this.answer(usual.parts[0], shape);
      return answer.status === 'feasible' ? this.found(usual, shape, [answer]) : answer;
    }
    const reasons: string[] = [];
    for (const derivation of derivations) {
      const verdict = this.askTwo(derivation, shape);
      if (verdict !== undefined) return verdict;
      reasons.push(`${derivation.name} was not found`);
    }
    const gathered = this.askGathered(shape);
    if (gathered !== undefined) return gathered;
    if (this.collective.ranks <= maxSummedRanks) {
      const verdict = this.askSums(shape);
      if (verdict.status !== 'unknown') return verdict;
      reasons.push(verdict.reason);
    }
    return { status: 'unknown', reason: `no composition of moves does it: ${reasons.join('; ')}` };
  }

  /** C up to which the frontier is looked at if nobody says: where whole rounds cost nothing any more. */
  usualChunks(): number {
    const { kind, ranks } = this.collective;
    // What is done in two moves of shards has N times as many chunks as a shard.
    if (kind === 'allreduce') return ranks * chunksWithoutWaste(this.known(gathering).bounds);
    return chunksWithoutWaste(this.bounds);
  }

  /** An allreduce of two moves, one after the other: for every number of steps of the first, the fewest rounds that it takes. */
  private askTwo(derivation: Derivation, shape: InstanceShape): ShapeVerdict | undefined {
    const message = messageChunks({ ...this.collective, chunks: shape.chunks });
    const { parts } = derivation;
    const chunks = message / (collectiveFacts[parts[0].kind].sharded ? this.collective.ranks : 1);
    if (!Number.isInteger(chunks)) return undefined;
    const [first, second] = parts.map((part) => this.known(part).bounds);
    const choices: number[] = [];
    for (let steps = first.minSteps; steps <= shape.steps - second.minSteps; steps++) choices.push(steps);
    // Halves first: the two moves are often each other's reversal, and then neither needs more than the other.
    choices.sort((a, b) => Math.abs(2 * a - shape.steps) - Math.abs(2 * b - shape.steps) || a - b);
    for (const steps of choices) {
      const left = shape.rounds - minRounds(second, chunks);
      for (let rounds = Math.max(steps, minRounds(first, chunks)); rounds <= left; rounds++) {
        const one = this.answer(parts[0], { chunks, steps, rounds }, true);
        if (one.status !== 'feasible') continue;
        const rest = shape.rounds - rounds;
        const other = this.answer(parts[1], { chunks, steps: Math.min(shape.steps - steps, rest), rounds: rest }, true);
        if (other.status === 'feasible') return this.found(derivation, shape, [one, other]);
        break;
      }
    }
    return undefined;
  }

  /** Allreduce: all vectors to everyone, who reduce on their own. */
  private askGathered(shape: InstanceShape): ShapeVerdict | undefined {
    const answer = this.answer(gathering, shape, true);
    if (answer.status !== 'feasible') return undefined;
    const schedule = (multiple: number) => {
      const target = this.inChunks(shape, multiple);
      const gather: Collective = { ...target, kind: 'allgather', ordered: false };
      return gatherThenReduce(answer.schedule(this.nameOf(shape), gather, multiple), target);
    };
    return { status: 'feasible', method: `${answer.method}, gathered and then reduced`, schedule };
  }

  /** Allreduce by partial sums, made up wherever they meet. */
  private askSums(shape: InstanceShape): ShapeVerdict {
    const { root, op } = this.collective;
    const instance = { ...shape, kind: 'allreduce', machine: this.machines[0], root } as const;
    const answer = this.sums.of(shape, () => answerBySolver(instance, this.control));
    // Where it does not matter how often a contribution is counted, sums that overlap could be added, too.
    if (answer.status === 'infeasible' && isIdempotent(op)) {
      return { status: 'unknown', reason: `disjoint partial sums: ${answer.proof}` };
    }
    if (answer.status !== 'feasible') return answer;
    const schedule = (multiple: number) =>
      answer.schedule(this.nameOf(shape), this.inChunks(shape, multiple), multiple);
    return { status: 'feasible', method: `partial sums: ${answer.method}`, schedule };
  }

  private found(
    derivation: Derivation,
    shape: InstanceShape,
    answers: readonly Extract<InstanceAnswer, { status: 'feasible' }>[],
  ): ShapeVerdict {
    const schedule = (multiple: number) =>
      assembleSchedule(this.inChunks(shape, multiple), derivation, (move, part) =>
        answers[derivation.parts.indexOf(part)].schedule(this.nameOf(shape), move, multiple),
      );
    const methods = [...new Set(answers.map(({ method }) => method))].join(', ');
    return { status: 'feasible', method: [derivation.name, methods].filter(Boolean).join(': '), schedule };
  }

  /** @param inComposition where a "no" proves nothing: where moves can be constructed, the solver is not asked as well */
  private answer(part: DerivedPart, shape: InstanceShape, inComposition = false): InstanceAnswer {
    const { machine, bounds, answers } = this.known(part);
    const proof = ruledOut(bounds, shape);
    if (proof !== undefined) return { status: 'infeasible', proof };
    const control = inComposition && machine.areInterchangeable ? { ...this.control, solver: undefined } : this.control;
    const instance = { ...shape, kind: part.kind, machine, root: this.collective.root };
    return answers.of(shape, () => answerMove(instance, control));
  }

  private known({ kind, reversed }: DerivedPart): KnownMove {
    const key = `${kind} ${reversed}`;
    const known = this.moves.get(key);
    if (known !== undefined) return known;
    const { topology } = this.routes;
    const machine = this.machines[reversed ? 1 : 0];
    const collective = { ...this.collective, kind, ordered: false };
    const bounds = shapeBounds(collective, reversed ? transpose(topology) : topology, machine);
    const move = { machine, bounds, answers: new Answers() };
    this.moves.set(key, move);
    return move;
  }

  private inChunks({ chunks }: InstanceShape, multiple: number): Collective {
    return { ...this.collective, chunks: chunks * multiple };
  }

  private nameOf(shape: InstanceShape): string {
    return scheduleName(this.collective.kind, shape);
  }
}

/**
 * Answers that are known. What is impossible is so with more chunks (drop one of a solution's), with fewer rounds (leave one empty) and
 * with fewer steps (cut a step of several rounds in two).
 */
class Answers {
  private readonly known = new Map<string, InstanceAnswer>();
  private readonly impossible: { readonly shape: InstanceShape; readonly proof: string }[] = [];

  of(shape: InstanceShape, find: () => InstanceAnswer): InstanceAnswer {
    const key = shapeName(shape);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const harder = this.impossible.find(({ shape: { chunks, steps, rounds } }) => {
      return shape.chunks >= chunks && shape.steps <= steps && shape.rounds <= rounds;
    });
    if (harder !== undefined) {
      return { status: 'infeasible', proof: `${shapeName(harder.shape)} is impossible: ${harder.proof}` };
    }
    const answer = find();
    this.known.set(key, answer);
    if (answer.status === 'infeasible') this.impossible.push({ shape, proof: answer.proof });
    return answer;
  }
}
