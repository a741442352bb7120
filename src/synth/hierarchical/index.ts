/**
 * The hierarchical engine: collectives over groups of ranks (boxes joined by slower links) made of collectives within and
 * across the groups. Every level has channels of its own, so that levels of successive bulks do not wait in each other's lanes: with
 * several bulks, which the flow looks for, all levels work at once, each on another bulk.
 */
import { collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import type { Seconds } from '../../ir/units.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { LevelAlgorithms, type LevelEngines } from './algorithms.ts';
import { groupsOf } from './groups.ts';
import { type ChosenLevel, inSequence, leastChunks } from './in-sequence.ts';
import type { Aim, Composition, Level } from './levels.ts';
import { overLeaders } from './over-leaders.ts';
import { overRails } from './over-rails.ts';
import { railsThrough } from './rails.ts';

const name = 'hierarchical';

/**
 * The engine, for given engines that propose the algorithms of the levels.
 *
 * @param quick asked for every level
 * @param thorough asked as well where so few ranks are concerned that they take no long
 */
export function hierarchical(quick: readonly Engine[], thorough: readonly Engine[] = []): Engine {
  const engines = { quick, thorough };
  return {
    name,
    about: 'collectives within and across groups (boxes joined by slower links), composed and overlapped',
    propose: (problem) => propose(problem, engines),
  };
}

function* propose(problem: Problem, engines: LevelEngines): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective } = problem;
  if (keepsRankOrder(collective))
    return yield dismissed(name, 'groups are combined before their members, not in rank order');
  const grouping = groupsOf(problem.routes.topology);
  if (grouping.groups === undefined) return yield dismissed(name, grouping.reason);
  const { groups } = grouping;
  const { kind } = collective;
  const root = collectiveFacts[kind].rooted ? collective.root : groups[0][0];
  const rails = railsThrough(groups, problem.routes);
  const compositions = [
    ...(rails.count > 1 ? overRails(kind, root, groups, rails) : []),
    ...overLeaders(kind, root, groups),
  ];
  if (compositions.length === 0)
    return yield dismissed(name, `${kind} over groups of such sizes is not composed of others`);
  yield* proposals(problem, engines, compositions);
}

/** A composition with algorithms. */
interface Option {
  readonly name: string;
  readonly composition: Composition;
  readonly levels: readonly ChosenLevel[];
  readonly aim: Aim;
  /** About how long the message takes as it is. */
  readonly seconds: Seconds;
  /** The same in as many bulks as suit it, if not less. */
  readonly inBulks: Seconds;
}

/** Compositions for the size at hand that seem to take this many times as long as another one are not proposed. */
const hopeless = 2;
/** A quick search looks for better algorithms only where textbook ones seem to take less than so many times the least. */
const hopelessWhenQuick = 1.5;

function* proposals(problem: Problem, engines: LevelEngines, compositions: readonly Composition[]): Iterable<Proposal> {
  // Compositions share levels.
  const known = new Map<Level, LevelAlgorithms>();
  for (const composition of compositions) {
    for (const level of composition.levels) {
      if (!known.has(level)) known.set(level, new LevelAlgorithms(problem, composition, level));
    }
  }
  for (const algorithms of known.values()) algorithms.ask(engines.quick);
  const isQuick = problem.effort === 'quick';
  const hopeful = isQuick ? mostHopeful(compositions, known) : compositions;
  for (const level of new Set(hopeful.flatMap(({ levels }) => levels))) known.get(level)?.askThorough(engines.thorough);
  const options: Option[] = [];
  for (const composition of hopeful) {
    const missing = composition.levels.find((level) => known.get(level)?.chosen('size') === undefined);
    if (missing === undefined) options.push(...optionsOf(composition, known));
    else yield dismissed(nameOf(composition, []), `nothing proposes a ${missing.kind} ${missing.where} groups`);
  }
  const others = compositions.filter((composition) => !hopeful.includes(composition));
  for (const composition of others) yield dismissed(nameOf(composition, []), seemsLong(hopelessWhenQuick));
  yield* isQuick ? promising(problem, options) : suited(problem, options);
}

/** All that may do for a long message, and for the size at hand what may be best. */
function* suited(problem: Problem, options: readonly Option[]): Iterable<Proposal> {
  const quickest = Math.min(...options.map(({ seconds }) => seconds));
  for (const option of differing(options)) {
    if (option.aim === 'throughput' || option.seconds <= hopeless * quickest) yield candidate(problem, option);
    else yield dismissed(option.name, seemsLong(hopeless));
  }
}

/** The most promising first. */
function* promising(problem: Problem, options: readonly Option[]): Iterable<Proposal> {
  const ordered = differing([...options].sort((a, b) => a.inBulks - b.inBulks));
  for (const option of ordered) {
    if (option.inBulks <= hopeless * ordered[0].inBulks) yield candidate(problem, option);
    else yield dismissed(option.name, seemsLong(hopeless));
  }
}

/** Aims often choose the same algorithms. */
function differing(options: readonly Option[]): readonly Option[] {
  return options.filter(({ name: own }, index) => options.findIndex((other) => other.name === own) === index);
}

function seemsLong(times: number): string {
  return `seems to take more than ${times} times as long as another composition`;
}

function mostHopeful(
  compositions: readonly Composition[],
  known: ReadonlyMap<Level, LevelAlgorithms>,
): readonly Composition[] {
  const seconds = compositions.map((composition) =>
    Math.min(...optionsOf(composition, known).map(({ inBulks }) => inBulks)),
  );
  const least = Math.min(...seconds);
  // Of what textbook algorithms do not make nothing is known.
  return compositions.filter(
    (_, c) => seconds[c] <= hopelessWhenQuick * least || seconds[c] === Number.POSITIVE_INFINITY,
  );
}

/** What each of a composition's aims makes of it; none where a level has no algorithm. */
function optionsOf(composition: Composition, known: ReadonlyMap<Level, LevelAlgorithms>): readonly Option[] {
  return composition.aims.flatMap((aim) => {
    const levels = composition.levels.flatMap((level): ChosenLevel[] => {
      const choices = known.get(level)?.chosen(aim);
      return choices === undefined ? [] : [{ where: level.where, choices }];
    });
    if (levels.length < composition.levels.length) return [];
    const seconds = levels.map(({ choices }) => Math.max(...choices.map(({ cost }) => cost.seconds)));
    const busiest = levels.map(({ choices }) => Math.max(...choices.map(({ cost }) => cost.busiest)));
    const inTurn = sumOf(seconds);
    // Of the bytes only those of the busiest level are not hidden behind others; messages wait for each other as before.
    const inBulks = inTurn - sumOf(busiest) + Math.max(...busiest);
    return [{ name: nameOf(composition, levels), composition, levels, aim, seconds: inTurn, inBulks }];
  });
}

function sumOf(times: readonly Seconds[]): Seconds {
  return times.reduce((sum, time) => sum + time, 0);
}

function candidate(problem: Problem, { name: label, composition, levels }: Option): Proposal {
  const { collective, chunks } = problem;
  const least = leastChunks(collective, composition, levels);
  if (chunks !== undefined && chunks % least !== 0) {
    return dismissed(label, `needs a multiple of ${least} chunks per shard, not ${chunks}`);
  }
  const made: Candidate = {
    name: label,
    origin: { engine: name, schedule: label },
    build: (multiple) =>
      inSequence({ ...collective, chunks: (chunks ?? least) * multiple }, composition, levels, label),
  };
  return { kind: 'candidate', candidate: made };
}

/** `hierarchical (leaders: linear-gather within, ring-gather across)`. */
function nameOf(composition: Composition, levels: readonly ChosenLevel[]): string {
  const parts = levels.map(({ where, choices }) => {
    const algorithms = [...new Set(choices.map(({ schedule }) => schedule.name))];
    return `${algorithms.join(' and ')} ${where}`;
  });
  const details = [composition.name, parts.join(', ')].filter((text) => text !== '');
  return details.length === 0 ? name : `${name} (${details.join(': ')})`;
}
