/** The algorithms that a level can use: what other engines propose for its communicators alone. */
import { leastTime, steppedTime } from '../../cost/index.ts';
import { type CollectiveKind, messageChunks } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { transfersPerOperation } from '../../ir/effort.ts';
import { Routes } from '../../ir/routes.ts';
import { type Schedule, scheduleBuffers } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import { type Seconds, sumError } from '../../ir/units.ts';
import { withCounts } from '../../passes/index.ts';
import { candidatesOf, type Engine, type Problem } from '../engine.ts';
import { mostRanksFor } from '../limits.ts';
import { inSuitedBulks } from '../pipeline.ts';
import type { Communicator, Composition, Level } from './composition.ts';
import { type Choice, inSequence, leastChunks } from './in-sequence.ts';

/** Who is asked for algorithms. */
export interface LevelEngines {
  readonly quick: readonly Engine[];
  /** Asked for communicators of few members only. */
  readonly thorough: readonly Engine[];
  /** Asked for the lines of a grid. */
  readonly along: readonly Engine[];
}

/** An algorithm for communicators that are alike, and what it costs among all of them at once: enough to choose, and then all levels are simulated. */
export interface PricedChoice extends Choice {
  /** Step after step, in as many bulks as suit it. */
  readonly seconds: Seconds;
  /** How long its bytes keep the busiest link or port: what counts when many bulks follow each other closely. */
  readonly busiest: Seconds;
}

/** Communicators that are alike, what they want, and what has been proposed for that. */
interface Kind {
  readonly composition: Composition;
  readonly level: Level;
  readonly communicators: readonly Communicator[];
  readonly local: Problem;
  readonly options: PricedChoice[];
}

/** On large machines few messages of few chunks count for more than time, up to so much more of it. */
const worthMessages = 1.25;

/** What engines propose for the levels of some compositions. */
export class LevelAlgorithms {
  private readonly problem: Problem;
  /** Compositions have levels in common. */
  private readonly kinds = new Map<string, Kind>();
  private readonly machines = new Map<string, Routes>();

  constructor(problem: Problem, engines: LevelEngines, compositions: readonly Composition[]) {
    this.problem = problem;
    for (const composition of compositions) {
      for (const level of composition.levels) for (const some of alike(level)) this.kindOf(composition, level, some);
    }
    const kinds = [...this.kinds.values()];
    for (const kind of kinds) this.ask(kind, kind.level.where === 'along' ? engines.along : engines.quick);
    for (const kind of kinds) if (this.isWorthThorough(kind)) this.ask(kind, engines.thorough);
  }

  /** The best for a level; undefined where a kind of communicators has no algorithm. */
  chosen(composition: Composition, level: Level): readonly PricedChoice[] | undefined {
    const choices: PricedChoice[] = [];
    for (const communicators of alike(level)) {
      const { options } = this.kindOf(composition, level, communicators);
      if (options.length === 0) return undefined;
      choices.push({ ...this.best(options), communicators });
    }
    return choices;
  }

  private best(options: readonly PricedChoice[]): PricedChoice {
    const compare = (a: PricedChoice, b: PricedChoice): number =>
      less(a.seconds, b.seconds) || less(a.busiest, b.busiest);
    const best = options.reduce((least, option) => (compare(option, least) < 0 ? option : least));
    if (this.problem.collective.ranks <= mostRanksFor.messages) return best;
    const good = options.filter(({ seconds }) => seconds <= best.seconds * worthMessages);
    return good.reduce((least, option) => (piecesOf(option) < piecesOf(least) ? option : least), best);
  }

  private kindOf(composition: Composition, level: Level, communicators: readonly Communicator[]): Kind {
    const { units } = composition;
    const [{ root, units: own, counts }] = communicators;
    const sets = communicators.map(({ members }) => members);
    const shares = counts?.map((count) => count / units).join();
    const key = [level.kind, level.where, root, own.length / units, shares, sets.join(';')].join(' ');
    const known = this.kinds.get(key);
    if (known !== undefined) return known;
    const local = this.problemAmong(poorest(communicators, this.problem.routes.topology), level.kind, units);
    const made: Kind = { composition, level, communicators, local, options: [] };
    this.kinds.set(key, made);
    return made;
  }

  /** A level's collective among some ranks, as a problem of its own. */
  private problemAmong({ members, root, units, counts }: Communicator, kind: CollectiveKind, of: number): Problem {
    const { problem } = this;
    const { op, ordered, inPlace } = problem.collective;
    const sizes = counts === undefined ? {} : { counts: counts.map((count) => (problem.size * count) / of) };
    const routes = this.machines.get(members.join()) ?? new Routes(machineAmong(problem.routes, members));
    this.machines.set(members.join(), routes);
    return {
      ...problem,
      collective: { ...{ kind, ranks: members.length, chunks: 1, root, op, ordered, inPlace }, ...sizes },
      routes,
      size: (problem.size * units.length) / of,
      chunks: undefined,
      parameters: {},
    };
  }

  /**
   * Engines that take long are asked for few ranks only; in a quick search only where messages pass third chips: textbook
   * algorithms suit switches.
   */
  private isWorthThorough({ level, local }: Kind): boolean {
    if (level.where === 'along' || local.collective.ranks > mostRanksFor.programs) return false;
    return this.problem.effort !== 'quick' || !areAllNear(local);
  }

  private ask(kind: Kind, engines: readonly Engine[]): void {
    const { communicators, local, options } = kind;
    const { limits, shouldStop } = this.problem;
    const { counts } = local.collective;
    for (const candidate of candidatesOf(engines, local)) {
      if (options.length > 0 && shouldStop?.() === true) return;
      const made = unlessTooLarge(() => candidate.build(1));
      if (made === undefined) continue;
      shouldStop?.((made.steps.transferCount * communicators.length) / transfersPerOperation);
      // Each is sent and received.
      const operations = 2 * made.steps.transferCount * communicators.length;
      if (operations > limits.operations || !worksOnDataOnly(made)) continue;
      if (counts !== undefined && !keepsPlaces(made)) continue;
      const schedule = counts === undefined ? made : withCounts(made, counts);
      options.push(this.priced(kind, { ...schedule, name: candidate.name }));
    }
  }

  private priced({ composition, level: { where }, communicators }: Kind, schedule: Schedule): PricedChoice {
    const { collective, routes, size } = this.problem;
    const choice = { communicators, schedule };
    const alone = [{ where, choices: [choice] }];
    const target = { ...collective, chunks: leastChunks(collective, composition, alone) };
    const placed = inSequence(target, composition, alone, schedule.name);
    const { seconds, latency } = steppedTime(placed, routes, size);
    const busiest = leastTime(placed, routes, size);
    return { ...choice, seconds: inSuitedBulks(seconds, latency, busiest).seconds, busiest };
  }
}

/** What it costs to make, prove and run it, roughly. */
function piecesOf({ schedule }: Choice): number {
  return schedule.steps.transferCount * messageChunks(schedule.collective);
}

/** Communicators of one size with the root at one place, and shards of the same sizes, can use the same schedule. */
function alike({ communicators }: Level): readonly (readonly Communicator[])[] {
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
  return Math.abs(a - b) <= sumError * Math.max(a, b) ? 0 : a - b;
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

/**
 * A machine of the members' chips, every node on the routes between them, and all links between these nodes. Messages between
 * members take the routes that they take in the whole machine, and engines that look at all links see no more
 * than they need. Chips of others that lie on the way only pass messages on.
 *
 * @param members `members[r]` is rank r of the new machine
 */
function machineAmong(routes: Routes, members: readonly number[]): Topology {
  const { topology } = routes;
  const used = new Set(members.map((rank) => topology.chips[rank]));
  for (const from of members) {
    for (const to of members) {
      if (from === to) continue;
      for (let way = 0; way < routes.choices(from, to); way++) {
        for (const link of routes.between(from, to, way)?.links ?? []) used.add(topology.links[link].to);
      }
    }
  }
  // Nodes stay in order, so that ties between routes are broken as in the whole machine.
  const kept = [...used].sort((a, b) => a - b);
  const place = new Map(kept.map((node, index) => [node, index]));
  const links = topology.links.flatMap((link) => {
    const [from, to] = [place.get(link.from), place.get(link.to)];
    return from === undefined || to === undefined ? [] : [{ ...link, from, to }];
  });
  return {
    ...topology,
    nodes: kept.map((node) => topology.nodes[node]),
    links,
    chips: members.map((rank) => kept.indexOf(topology.chips[rank])),
    groups: [],
    shape: undefined,
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

/** Where chunks are not of one size, none can take another's place. */
function keepsPlaces({ scratch, steps: { fromOffset, toOffset } }: Schedule): boolean {
  return scratch === 0 && fromOffset.every((offset, piece) => offset === toOffset[piece]);
}

/** Input and output of a part are not those of the whole. */
function worksOnDataOnly({ steps }: Schedule): boolean {
  const placeable = (code: number): boolean => scheduleBuffers[code] === 'data' || scheduleBuffers[code] === 'scratch';
  return steps.from.every(placeable) && steps.to.every(placeable);
}
