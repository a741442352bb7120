/**
 * The algorithms available to a level: what other engines propose for the level's communicators on their part of the
 * machine.
 */
import { type Collective, type CollectiveKind, messageChunks } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { transfersPerOperation } from '../../ir/effort.ts';
import { Routes } from '../../ir/routes.ts';
import { type Schedule, scheduleBuffers } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import { sumError } from '../../ir/units.ts';
import { place, withCounts } from '../../passes/index.ts';
import type { Engine, Problem } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import type { Aim, Communicator, Composition, Level } from './composition.ts';
import { type Estimate, estimate } from './estimate.ts';

/** The engines that are queried for algorithms. */
export interface LevelEngines {
  readonly quick: readonly Engine[];
  /** Queried for communicators with few members only. */
  readonly thorough: readonly Engine[];
  /** Queried for the lines of a grid. */
  readonly along: readonly Engine[];
}

interface Algorithm {
  readonly schedule: Schedule;
  readonly cost: Estimate;
}

/** A class of equivalent communicators, their collective, and the proposals for it. */
interface Kind {
  readonly sets: readonly (readonly number[])[];
  readonly local: Problem;
  readonly where: Level['where'];
  /** Units of each shard, if they differ. */
  readonly counts: readonly number[] | undefined;
  readonly options: Algorithm[];
}

/** Equivalent communicators of a level, and the algorithm for all of them. */
export interface Choice extends Algorithm {
  readonly communicators: readonly Communicator[];
}

/**
 * On large machines an algorithm with fewer messages and chunks is preferred if it takes at most this factor longer.
 */
const worthMessages = 1.25;

/** The proposals of engines for the levels of all compositions. */
export class LevelAlgorithms {
  private readonly problem: Problem;
  /** Cache: compositions share levels. */
  private readonly kinds = new Map<string, Kind>();
  private readonly machines = new Map<string, Routes>();

  constructor(problem: Problem, engines: LevelEngines, compositions: readonly Composition[]) {
    this.problem = problem;
    for (const composition of compositions) {
      for (const level of composition.levels) for (const some of alike(level)) this.kindOf(composition, level, some);
    }
    const kinds = [...this.kinds.values()];
    for (const kind of kinds) this.query(kind, kind.where === 'along' ? engines.along : engines.quick);
    for (const kind of kinds) if (this.isWorthThorough(kind)) this.query(kind, engines.thorough);
  }

  /** The best algorithm for each class of communicators of a level; undefined if some class has none. */
  chosen(composition: Composition, level: Level): readonly Choice[] | undefined {
    const choices = alike(level).flatMap((communicators): Choice[] => {
      const { options } = this.kindOf(composition, level, communicators);
      return options.length === 0 ? [] : [{ communicators, ...this.best(options, composition.aim) }];
    });
    return choices.length < alike(level).length ? undefined : choices;
  }

  private best(options: readonly Algorithm[], aim: Aim): Algorithm {
    const compare = ({ cost: a }: Algorithm, { cost: b }: Algorithm): number => {
      const [seconds, busiest] = [less(a.seconds, b.seconds), less(a.busiest, b.busiest)];
      return aim === 'size' ? seconds || busiest : busiest || seconds;
    };
    const best = options.reduce((least, option) => (compare(option, least) < 0 ? option : least));
    if (this.problem.collective.ranks <= maxRanksFor.messages) return best;
    const good = options.filter(({ cost }) => cost.seconds <= best.cost.seconds * worthMessages);
    return good.reduce((least, option) => (piecesOf(option) < piecesOf(least) ? option : least), best);
  }

  private kindOf({ units }: Composition, { kind, where }: Level, some: readonly Communicator[]): Kind {
    const [{ root, units: own, counts }] = some;
    const sets = some.map(({ members }) => members);
    const shares = counts?.map((count) => count / units).join();
    const key = [kind, where, root, own.length / units, shares, sets.join(';')].join(' ');
    const known = this.kinds.get(key);
    if (known !== undefined) return known;
    const made: Kind = {
      ...{ sets, where, counts, options: [] },
      local: this.problemAmong(poorest(some, this.problem.routes.topology), kind, units),
    };
    this.kinds.set(key, made);
    return made;
  }

  /** The problem that a level poses to some ranks, on the part of the machine that they use. */
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
   * Slow engines are queried for few ranks only; in a quick search only if messages pass through other chips, since
   * textbook algorithms suit switches.
   */
  private isWorthThorough({ where, local }: Kind): boolean {
    if (where === 'along' || local.collective.ranks > maxRanksFor.programs) return false;
    return this.problem.effort !== 'quick' || !areAllNear(local);
  }

  private query(kind: Kind, engines: readonly Engine[]): void {
    const { sets, local, options } = kind;
    const { limits, shouldStop } = this.problem;
    const { counts } = local.collective;
    for (const engine of engines) {
      for (const proposal of engine.propose(local)) {
        if (options.length > 0 && shouldStop?.() === true) return;
        if (proposal.kind === 'dismissed') continue;
        const made = unlessTooLarge(() => proposal.candidate.build(1));
        if (made === undefined) continue;
        shouldStop?.((made.steps.transferCount * sets.length) / transfersPerOperation);
        // Each transfer is sent and received.
        const operations = 2 * made.steps.transferCount * sets.length;
        if (operations > limits.operations || !worksOnDataOnly(made)) continue;
        if (counts !== undefined && !keepsPlaces(made)) continue;
        const schedule = counts === undefined ? made : withCounts(made, counts);
        const cost = this.estimate(schedule, kind);
        options.push({ schedule: { ...schedule, name: proposal.candidate.name }, cost });
      }
    }
  }

  /** Estimates the schedule when several sets of ranks run it at once. */
  private estimate(schedule: Schedule, { sets, local, counts }: Kind): Estimate {
    const { routes, collective } = this.problem;
    const own = schedule.collective;
    const starts = counts && startsOf(counts, own.chunks, own.chunks);
    const chunks = starts?.at(-1) ?? messageChunks(own);
    const slots = Int32Array.from({ length: chunks }, (_, slot) => slot);
    // What any rank may hold of a level's message; which part of the whole that is does not matter here.
    const { ranks, root, op, ordered, inPlace } = collective;
    const message: Collective = { kind: 'allreduce', ranks, chunks, root, op, ordered, inPlace };
    const placements = sets.map((members) => ({ schedule, members, slots, starts }));
    return estimate(place(placements, { name: schedule.name, collective: message }), routes, local.size);
  }
}

/** Rough cost of building, proving and running it. */
function piecesOf({ schedule }: Algorithm): number {
  return schedule.steps.transferCount * messageChunks(schedule.collective);
}

/**
 * Groups communicators that can use the same schedule: equal sizes, roots at the same place, and shards of the same
 * sizes.
 */
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

/** Negative if a is less than b by more than floating-point sums differ. */
function less(a: number, b: number): number {
  return Math.abs(a - b) <= sumError * Math.max(a, b) ? 0 : a - b;
}

/** Among equivalent communicators the one with the fewest links: what suits it suits the others. */
function poorest(communicators: readonly Communicator[], { links, chips }: Topology): Communicator {
  const degrees = new Map<number, number>();
  for (const { from } of links) degrees.set(from, (degrees.get(from) ?? 0) + 1);
  const linksOf = ({ members }: Communicator): number =>
    members.reduce((sum, rank) => sum + (degrees.get(chips[rank]) ?? 0), 0);
  return communicators.reduce((least, other) => (linksOf(other) < linksOf(least) ? other : least));
}

/** Whether every two members can communicate without passing a third. */
function areAllNear({ routes, collective: { ranks } }: Problem): boolean {
  for (let from = 0; from < ranks; from++) {
    for (let to = 0; to < ranks; to++) if (from !== to && routes.hop(from, to) === undefined) return false;
  }
  return true;
}

/**
 * The submachine of the members' chips, all nodes on the routes between them, and all links among these. Messages take
 * the same routes as in the whole machine. Other chips on the way only forward messages.
 * @param members `members[r]` is rank r of the submachine
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
  // Nodes keep their order, so that ties between routes are broken as in the whole machine.
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

/** Builds a schedule; undefined if it exceeds a limit. */
function unlessTooLarge(build: () => Schedule): Schedule | undefined {
  try {
    return build();
  } catch (error) {
    if (error instanceof CccError && error.code === 'limit') return undefined;
    throw error;
  }
}

/** If chunks have different sizes, none can take another's place. */
function keepsPlaces({ scratch, steps: { fromOffset, toOffset } }: Schedule): boolean {
  return scratch === 0 && fromOffset.every((offset, piece) => offset === toOffset[piece]);
}

/** The input and output of a part are not those of the whole collective. */
function worksOnDataOnly({ steps }: Schedule): boolean {
  const placeable = (code: number): boolean => scheduleBuffers[code] === 'data' || scheduleBuffers[code] === 'scratch';
  return steps.from.every(placeable) && steps.to.every(placeable);
}

/** For shards of different sizes, the first unit of each of the schedule's chunks. */
export function startsOf(counts: readonly number[], perUnit: number, chunks: number): Int32Array {
  const starts = [0];
  for (const count of counts) {
    for (let chunk = 0; chunk < chunks; chunk++) starts.push((starts.at(-1) ?? 0) + (count * perUnit) / chunks);
  }
  return Int32Array.from(starts);
}
