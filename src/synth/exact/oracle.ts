/**
 * Decides whether a collective is possible in a shape. Data movement is searched on the machine itself; a reduction is
 * a reversed movement (derive.ts), and a composition of two movements distributes steps and rounds between them.
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

/**
 * What is known about a collective in a shape; its schedule, with `multiple` chunks for each of the shape's, is built
 * on demand.
 */
export type ShapeVerdict = SolverFinding<(multiple: number) => Schedule>;

const gathering: DerivedPart = { kind: 'allgather', reversed: false };

/** What is known about one moving collective on the machine on which it is searched. */
interface KnownMove {
  readonly machine: UnitMachine;
  /** Bounds of the movement, which also hold for its reversal. */
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

  /** @param collective of a kind that `derivationsOf` knows; its C is ignored */
  constructor(collective: Collective, routes: Routes, control: SearchControl) {
    this.collective = collective;
    this.routes = routes;
    this.control = control;
    this.machines = [unitMachineOf(routes, false), unitMachineOf(routes, true)];
    this.bounds = shapeBounds(collective, routes.topology, this.machines[0]);
  }

  /** Decides one shape. */
  query(shape: InstanceShape): ShapeVerdict {
    const proof = ruledOut(this.bounds, shape);
    if (proof !== undefined) return { status: 'infeasible', proof };
    const derivations = derivationsOf(this.collective.kind);
    const [usual] = derivations;
    // A collective that is a single movement, or the reversal of one, is decided by it.
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

  /** Default maximum C of the frontier: where rounding up rounds costs nothing any more. */
  usualChunks(): number {
    const { kind, ranks } = this.collective;
    // Two movements of shards have N times as many chunks as a shard.
    if (kind === 'allreduce') return ranks * chunksWithoutWaste(this.known(gathering).bounds);
    return chunksWithoutWaste(this.bounds);
  }

  /** An allreduce of two movements one after the other: for every number of steps of the first, its minimum rounds. */
  private askTwo(derivation: Derivation, shape: InstanceShape): ShapeVerdict | undefined {
    const message = messageChunks({ ...this.collective, chunks: shape.chunks });
    const { parts } = derivation;
    const chunks = message / (collectiveFacts[parts[0].kind].sharded ? this.collective.ranks : 1);
    if (!Number.isInteger(chunks)) return undefined;
    const [first, second] = parts.map((part) => this.known(part).bounds);
    const choices: number[] = [];
    for (let steps = first.minSteps; steps <= shape.steps - second.minSteps; steps++) choices.push(steps);
    // Even splits first: the two movements are often each other's reversal, and then need equally many steps.
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

  /** Allreduce by gathering all vectors at every rank, which reduces them locally. */
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

  /** Allreduce by partial sums that are combined wherever they meet. */
  private askSums(shape: InstanceShape): ShapeVerdict {
    const { root, op } = this.collective;
    const instance = { ...shape, kind: 'allreduce', machine: this.machines[0], root } as const;
    const answer = this.sums.of(shape, () => answerBySolver(instance, this.control));
    // With idempotent operators, overlapping sums could be combined as well, so infeasibility is not proved.
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

  /**
   * @param inComposition a negative answer would prove nothing there: for movements that can be constructed, the solver
   * is not used
   */
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
 * Cached answers. What is impossible stays impossible with more chunks (remove one from a solution), with fewer rounds
 * (leave one empty) and with fewer steps (split a step of several rounds).
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
