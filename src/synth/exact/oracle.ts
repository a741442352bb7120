/**
 * Whether a collective can be done in a shape. Moves are searched on the machine itself; reductions are moves turned round
 * (derive.ts), and what is made of two moves shares its steps and rounds out between them.
 */
import {
  type Collective,
  type CollectiveKind,
  collectiveFacts,
  isIdempotent,
  messageChunks,
} from '../../ir/collective.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { transpose } from '../../ir/topology.ts';
import { fold } from '../../passes/index.ts';
import { assemble, type Derivation, derivationsOf, type Part } from '../derive.ts';
import { scheduleOf } from '../list/spread.ts';
import { alltoallSchedule } from './alltoall-schedule.ts';
import { leastRounds, ruledOut, type ShapeBounds, shapeBounds } from './bounds.ts';
import { type Answer, type MoveInstance, type Shape, scheduleName, shapeName } from './instance.ts';
import { KnownImpossible } from './known-impossible.ts';
import { type UnitMachine, unitMachineOf } from './machine.ts';
import { answerMove } from './moves.ts';
import type { SearchControl } from './search-control.ts';
import { solveSums } from './solver-answer.ts';
import { mostSummedRanks, type SumMoves } from './sums/partial-sums.ts';
import { sumsSchedule } from './sums/sums-schedule.ts';

/** What is known of a collective in a shape; a schedule for it, with `multiple` chunks for each of the shape's, is made when asked for. */
export type Verdict =
  | { readonly status: 'feasible'; readonly method: string; readonly schedule: (multiple: number) => Schedule }
  | { readonly status: 'infeasible'; readonly proof: string }
  | { readonly status: 'unknown'; readonly reason: string };

/** A part of a collective with the bounds of what it becomes: of the move, or of its reversal. */
interface KnownPart {
  readonly part: Part;
  readonly bounds: ShapeBounds;
}

export class Oracle {
  readonly collective: Collective;
  readonly bounds: ShapeBounds;
  private readonly routes: Routes;
  private readonly control: SearchControl;
  private readonly machines = new Map<boolean, UnitMachine>();
  private readonly answers = new Map<string, Answer>();
  private readonly sums = new Map<string, Answer<SumMoves>>();
  private readonly impossible = new Map<string, KnownImpossible>();
  private readonly partBounds = new Map<string, ShapeBounds>();

  /** @param collective of a kind that `derivationsOf` knows; its C is of no account */
  constructor(collective: Collective, routes: Routes, control: SearchControl) {
    this.collective = collective;
    this.routes = routes;
    this.control = control;
    this.bounds = shapeBounds(collective, routes.topology, this.machine(false));
  }

  /** What can be said of one shape. */
  ask(shape: Shape): Verdict {
    const proof = ruledOut(this.bounds, shape);
    if (proof !== undefined) return { status: 'infeasible', proof };
    const { kind } = this.collective;
    const reasons: string[] = [];
    const [only, ...others] = derivationsOf(kind);
    if (others.length === 0 && only.parts.length === 1) return this.askMove(only, shape);
    for (const derivation of derivationsOf(kind)) {
      const verdict = derivation.parts.length === 1 ? this.askMove(derivation, shape) : this.askTwo(derivation, shape);
      if (verdict.status === 'feasible') return verdict;
      // A move that is all of a collective decides it; a composition that fails does not.
      if (verdict.status === 'infeasible' && derivation.parts.length === 1) return verdict;
      reasons.push(verdict.status === 'infeasible' ? verdict.proof : verdict.reason);
    }
    if (kind === 'allreduce') {
      const verdict = this.askGathered(shape);
      if (verdict.status === 'feasible') return verdict;
    }
    if (kind === 'allreduce' && this.collective.ranks <= mostSummedRanks) {
      const verdict = this.askSums(shape);
      if (verdict.status !== 'unknown') return verdict;
      reasons.push(verdict.reason);
    }
    return { status: 'unknown', reason: `no composition of moves does it: ${reasons.join('; ')}` };
  }

  /** The bounds of the allgather that an allreduce ends with. */
  boundsOfShards(): ShapeBounds {
    return this.known({ kind: 'allgather', reversed: false }).bounds;
  }

  /** A collective that is one move, or one turned round: what is said of one holds for the other. */
  private askMove(derivation: Derivation, shape: Shape): Verdict {
    const [part] = derivation.parts;
    const answer = this.answer(part, shape);
    if (answer.status !== 'feasible') return answer;
    return this.found(derivation, shape, [answer]);
  }

  /** Two moves, one after the other: for every number of steps of the first, the fewest rounds that it takes. */
  private askTwo(derivation: Derivation, shape: Shape): Verdict {
    const message = messageChunks({ ...this.collective, chunks: shape.chunks });
    const chunks = derivation.parts.map(({ kind }) => this.chunksOf(kind, message));
    if (!chunks.every(Number.isInteger)) {
      return { status: 'unknown', reason: `${derivation.name}: ${message} chunks are not a whole number per rank` };
    }
    const [first, second] = derivation.parts.map((part) => this.known(part));
    const most = Math.max(first.bounds.leastSteps - 1, shape.steps - second.bounds.leastSteps);
    const choices = Array.from({ length: most - first.bounds.leastSteps + 1 }, (_, i) => first.bounds.leastSteps + i);
    // Halves first: the two moves are often each other's reversal, and then neither needs more than the other.
    choices.sort((a, b) => Math.abs(2 * a - shape.steps) - Math.abs(2 * b - shape.steps) || a - b);
    for (const steps of choices) {
      const left = shape.rounds - leastRounds(second.bounds, chunks[1]);
      for (let rounds = Math.max(steps, leastRounds(first.bounds, chunks[0])); rounds <= left; rounds++) {
        const one = this.answer(first.part, { chunks: chunks[0], steps, rounds }, 'quick');
        if (one.status !== 'feasible') continue;
        const rest = { chunks: chunks[1], steps: shape.steps - steps, rounds: shape.rounds - rounds };
        const other = this.answer(second.part, { ...rest, steps: Math.min(rest.steps, rest.rounds) }, 'quick');
        if (other.status === 'feasible') return this.found(derivation, shape, [one, other]);
        break;
      }
    }
    return { status: 'unknown', reason: `${derivation.name} was not found` };
  }

  /** Allreduce: all vectors to everyone, who reduce on their own. */
  private askGathered(shape: Shape): Verdict {
    const answer = this.answer({ kind: 'allgather', reversed: false }, shape, 'quick');
    if (answer.status !== 'feasible') return answer;
    const schedule = (multiple: number) => {
      const target = { ...this.collective, chunks: shape.chunks * multiple };
      const gather: Collective = { ...target, kind: 'allgather', ordered: false };
      return fold(scheduleOf(answer.solution, this.nameOf(shape), gather, multiple), target);
    };
    return { status: 'feasible', method: `${answer.method}, gathered and then reduced`, schedule };
  }

  /** Allreduce by partial sums, made up wherever they meet. */
  private askSums(shape: Shape): Verdict {
    const machine = this.machine(false);
    const impossible = this.impossibleFor('sums');
    const earlier = impossible.proofFor(shape);
    if (earlier !== undefined) return { status: 'infeasible', proof: earlier };
    const { kind, root, op } = this.collective;
    const name = shapeName(shape);
    const answer = this.sums.get(name) ?? solveSums({ ...shape, kind, machine, root }, this.control);
    this.sums.set(name, answer);
    if (answer.status === 'infeasible') {
      // Where it does not matter how often a contribution is counted, sums that overlap could be added, too.
      if (isIdempotent(op)) return { status: 'unknown', reason: `disjoint partial sums: ${answer.proof}` };
      impossible.add(shape, answer.proof);
    }
    if (answer.status !== 'feasible') return answer;
    const schedule = (multiple: number) =>
      sumsSchedule(
        machine,
        answer.solution,
        this.nameOf(shape),
        { ...this.collective, chunks: shape.chunks * multiple },
        multiple,
      );
    return { status: 'feasible', method: `partial sums: ${answer.method}`, schedule };
  }

  private found(
    derivation: Derivation,
    shape: Shape,
    answers: readonly Extract<Answer, { status: 'feasible' }>[],
  ): Verdict {
    const name = this.nameOf(shape);
    const schedule = (multiple: number) =>
      assemble({ ...this.collective, chunks: shape.chunks * multiple }, derivation, (move, part) =>
        (part.kind === 'alltoall' ? alltoallSchedule : scheduleOf)(
          answers[derivation.parts.indexOf(part)].solution,
          name,
          move,
          multiple,
        ),
      );
    const methods = [...new Set(answers.map(({ method }) => method))].join(', ');
    return { status: 'feasible', method: [derivation.name, methods].filter(Boolean).join(': '), schedule };
  }

  private answer(part: Part, shape: Shape, search: 'all' | 'quick' = 'all'): Answer {
    const { bounds } = this.known(part);
    const proof = ruledOut(bounds, shape);
    if (proof !== undefined) return { status: 'infeasible', proof };
    const move = `${part.kind} ${part.reversed}`;
    const impossible = this.impossibleFor(move);
    const earlier = impossible.proofFor(shape);
    if (earlier !== undefined) return { status: 'infeasible', proof: earlier };
    const instance = this.instance(part, shape);
    // In compositions a "no" proves nothing: where moves can be constructed, the solver is not asked as well.
    const quick = search === 'quick' && instance.machine.apart !== undefined;
    const key = `${move} ${shapeName(shape)} ${quick}`;
    const control = quick ? { ...this.control, solver: undefined } : this.control;
    const known = this.answers.get(key) ?? answerMove(instance, control);
    this.answers.set(key, known);
    if (known.status === 'infeasible') impossible.add(shape, known.proof);
    return known;
  }

  private impossibleFor(what: string): KnownImpossible {
    const known = this.impossible.get(what) ?? new KnownImpossible();
    this.impossible.set(what, known);
    return known;
  }

  private instance({ kind, reversed }: Part, shape: Shape): MoveInstance {
    return { ...shape, kind, machine: this.machine(reversed), root: this.collective.root };
  }

  /** Bounds of a move on the machine that it is searched on, which are those of its reversal too. */
  private known(part: Part): KnownPart {
    const key = `${part.kind} ${part.reversed}`;
    const machine = this.machine(part.reversed);
    const collective = { ...this.collective, kind: part.kind, ordered: false };
    const bounds =
      this.partBounds.get(key) ??
      shapeBounds(collective, part.reversed ? transpose(this.routes.topology) : this.routes.topology, machine);
    this.partBounds.set(key, bounds);
    return { part, bounds };
  }

  private machine(reversed: boolean): UnitMachine {
    const known = this.machines.get(reversed) ?? unitMachineOf(this.routes, reversed);
    this.machines.set(reversed, known);
    return known;
  }

  private chunksOf(kind: CollectiveKind, message: number): number {
    return collectiveFacts[kind].sharded ? message / this.collective.ranks : message;
  }

  private nameOf(shape: Shape): string {
    return scheduleName(this.collective.kind, shape);
  }
}
