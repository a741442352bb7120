/** The algorithms that a level can use: what other engines propose for its communicators alone. */
import { type Collective, type CollectiveKind, messageChunks } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { transfersPerOperation } from '../../ir/effort.ts';
import { type Schedule, scheduleBuffers } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { withCounts } from '../../passes/index.ts';
import type { Engine, Problem } from '../engine.ts';
import { mostRanksFor } from '../limits.ts';
import type { Aim, Communicator, Composition, Level } from './composition.ts';
import { type Estimate, estimate } from './estimate.ts';
import { routesAmong } from './machine-among.ts';

/** Who is asked for algorithms. */
export interface LevelEngines {
  readonly quick: readonly Engine[];
  /** Asked for communicators of few members only. */
  readonly thorough: readonly Engine[];
  /** Asked for the lines of a grid. */
  readonly along: readonly Engine[];
}

interface Algorithm {
  readonly schedule: Schedule;
  readonly cost: Estimate;
}

/** Communicators that are alike, what they want, and what has been proposed for that. */
interface Kind {
  readonly communicators: readonly Communicator[];
  readonly local: Problem;
  readonly options: Algorithm[];
}

/** Communicators of a level that are alike, and the algorithm for all of them. */
export interface Choice extends Algorithm {
  readonly communicators: readonly Communicator[];
}

/** On large machines few messages of few chunks count for more than time, up to so much more of it. */
const worthMessages = 1.25;

/** What engines propose for a level, for each kind of communicators in it. */
export class LevelAlgorithms {
  private readonly problem: Problem;
  private readonly kinds: readonly Kind[];

  constructor(problem: Problem, { units }: Composition, { kind, communicators }: Level) {
    this.problem = problem;
    this.kinds = alike(communicators).map((some) => {
      const local = problemAmong(problem, poorest(some, problem.routes.topology), kind, units);
      return { communicators: some, local, options: [] };
    });
  }

  ask(engines: readonly Engine[]): void {
    for (const kind of this.kinds) for (const engine of engines) this.askOne(kind, engine);
  }

  /**
   * Engines that take long are asked for few ranks only; in a quick search only where messages pass third chips: textbook
   * algorithms suit switches.
   */
  askThorough(engines: readonly Engine[]): void {
    const isQuick = this.problem.effort === 'quick';
    for (const kind of this.kinds) {
      if (kind.local.collective.ranks > mostRanksFor.programs || (isQuick && areAllNear(kind.local))) continue;
      for (const engine of engines) this.askOne(kind, engine);
    }
  }

  /** What an aim chooses; undefined where a kind of communicators has no algorithm. */
  chosen(aim: Aim): readonly Choice[] | undefined {
    if (this.kinds.some(({ options }) => options.length === 0)) return undefined;
    const compare = (a: Estimate, b: Estimate): number => {
      const [seconds, busiest] = [less(a.seconds, b.seconds), less(a.busiest, b.busiest)];
      return aim === 'size' ? seconds || busiest : busiest || seconds;
    };
    const isLarge = this.problem.collective.ranks > mostRanksFor.messages;
    return this.kinds.map(({ communicators, options }) => {
      const best = options.reduce((least, option) => (compare(option.cost, least.cost) < 0 ? option : least));
      const good = options.filter(({ cost }) => isLarge && cost.seconds <= best.cost.seconds * worthMessages);
      const chosen = good.reduce((least, option) => (piecesOf(option) < piecesOf(least) ? option : least), best);
      return { communicators, ...chosen };
    });
  }

  private askOne({ communicators, local, options }: Kind, engine: Engine): void {
    const sets = communicators.map(({ members }) => members);
    const [{ counts }] = communicators;
    for (const proposal of engine.propose(local)) {
      if (options.length > 0 && this.problem.shouldStop?.() === true) return;
      if (proposal.kind === 'dismissed') continue;
      const made = unlessTooLarge(() => proposal.candidate.build(1));
      if (made === undefined) continue;
      this.problem.shouldStop?.((made.steps.transferCount * sets.length) / transfersPerOperation);
      if (!worksOnDataOnly(made)) continue;
      if (counts !== undefined && !keepsPlaces(made)) continue;
      const schedule = counts === undefined ? made : withCounts(made, counts);
      // Each is sent and received.
      if (2 * schedule.steps.transferCount * sets.length > this.problem.limits.operations) continue;
      const cost = estimate(schedule, sets, this.problem.routes, bytesIn(schedule.collective, local));
      options.push({ schedule: { ...schedule, name: proposal.candidate.name }, cost });
    }
  }
}

/** What it costs to make, prove and run it, roughly. */
function piecesOf({ schedule }: Algorithm): number {
  return schedule.steps.transferCount * messageChunks(schedule.collective);
}

/** Communicators of one size with the root at one place, and shards of the same sizes, can use the same schedule. */
function alike(communicators: readonly Communicator[]): readonly (readonly Communicator[])[] {
  const kinds = new Map<string, Communicator[]>();
  for (const communicator of communicators) {
    const key = `${communicator.members.length} ${communicator.root} ${communicator.counts?.join()}`;
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, [communicator]);
    else kind.push(communicator);
  }
  return [...kinds.values()];
}

/** Negative where a is less by more than sums of doubles differ by. */
function less(a: number, b: number): number {
  return Math.abs(a - b) <= 1e-9 * Math.max(a, b) ? 0 : a - b;
}

/** Of communicators that are to use the same schedule, the one with the fewest links: what suits it suits the others too. */
function poorest(communicators: readonly Communicator[], { links, chips }: Topology): Communicator {
  const degrees = new Map<number, number>();
  for (const { from } of links) degrees.set(from, (degrees.get(from) ?? 0) + 1);
  const linksOf = ({ members }: Communicator): number =>
    members.reduce((sum, rank) => sum + (degrees.get(chips[rank]) ?? 0), 0);
  return communicators.reduce((least, other) => (linksOf(other) < linksOf(least) ? other : least));
}

/** Whether no message between two members passes a third one. */
function areAllNear({ routes, collective: { ranks } }: Problem): boolean {
  for (let from = 0; from < ranks; from++) {
    for (let to = 0; to < ranks; to++) if (from !== to && routes.hop(from, to) === undefined) return false;
  }
  return true;
}

/** A level's collective among some ranks, as a problem of its own. */
function problemAmong(
  problem: Problem,
  { members, root, units, counts }: Communicator,
  kind: CollectiveKind,
  of: number,
): Problem {
  const { op, ordered, inPlace } = problem.collective;
  const sizes = counts === undefined ? {} : { counts: counts.map((count) => (problem.size * count) / of) };
  return {
    ...problem,
    collective: { ...{ kind, ranks: members.length, chunks: 1, root, op, ordered, inPlace }, ...sizes },
    routes: routesAmong(problem.routes, members),
    size: (problem.size * units.length) / of,
    chunks: undefined,
    parameters: {},
  };
}

/** An algorithm that exceeds a limit is none for this level. */
function unlessTooLarge(build: () => Schedule): Schedule | undefined {
  try {
    return build();
  } catch (error) {
    if (error instanceof CccError && error.code === 'limit') return undefined;
    throw error;
  }
}

/** Bytes of a number of chunks: those of a shard weigh as much as it does. */
function bytesIn(
  made: Collective,
  { collective: { counts }, size }: Problem,
): (offset: number, chunks: number) => Bytes {
  const chunk = size / messageChunks(made);
  if (counts === undefined) return (_, chunks) => chunks * chunk;
  // Up to each chunk.
  const before = new Float64Array(messageChunks(made) + 1);
  for (let c = 1; c < before.length; c++)
    before[c] = before[c - 1] + counts[Math.floor((c - 1) / made.chunks)] / made.chunks;
  return (offset, chunks) => before[offset + chunks] - before[offset];
}

/** Where chunks are not of one size, none can take another's place. */
function keepsPlaces({ scratch, steps: { fromOffset, toOffset } }: Schedule): boolean {
  return scratch === 0 && fromOffset.every((offset, piece) => offset === toOffset[piece]);
}

/** Input and output of a part are not those of the whole. */
function worksOnDataOnly({ steps }: Schedule): boolean {
  const placeable = (code: number): boolean => scheduleBuffers[code] === 'data' || scheduleBuffers[code] === 'scratch';
  return steps.from.every(placeable) && steps.to.every(placeable);
}
