/**
 * The hierarchical engine: collectives over groups of ranks (boxes joined by slower links) made of collectives within and
 * across the groups. Every level has channels of its own, so that levels of successive bulks do not wait in each other's lanes: with
 * several bulks, which the flow looks for, all levels work at once, each on another bulk.
 */
import { collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import type { Seconds } from '../../ir/units.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { chooseAlgorithms, type LevelEngines } from './algorithms.ts';
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
  const compositions = [...(rails.count > 1 ? overRails(kind, root, rails) : []), ...overLeaders(kind, root, groups)];
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
}

/** Compositions for the size at hand that seem to take this many times as long as another one are not proposed. */
const hopeless = 2;

function* proposals(problem: Problem, engines: LevelEngines, compositions: readonly Composition[]): Iterable<Proposal> {
  const options: Option[] = [];
  // Compositions share levels.
  const known = new Map<Level, ReturnType<typeof chooseAlgorithms>>();
  for (const composition of compositions) {
    for (const level of composition.levels) {
      if (!known.has(level)) known.set(level, chooseAlgorithms(problem, engines, composition, level));
    }
    const missing = composition.levels.find((level) => known.get(level) === undefined);
    if (missing !== undefined) {
      yield dismissed(nameOf(composition, []), `nothing proposes a ${missing.kind} ${missing.where} groups`);
      continue;
    }
    for (const aim of composition.aims) {
      const levels = composition.levels.map((level) => ({
        where: level.where,
        choices: known.get(level)?.[aim] ?? [],
      }));
      const option = { name: nameOf(composition, levels), composition, levels, aim, seconds: secondsOf(levels) };
      if (!options.some((other) => other.name === option.name)) options.push(option);
    }
  }
  const quickest = Math.min(...options.map(({ seconds }) => seconds));
  for (const option of options) {
    if (option.aim === 'throughput' || option.seconds <= hopeless * quickest) yield candidate(problem, option);
    else yield dismissed(option.name, `seems to take more than ${hopeless} times as long as another composition`);
  }
}

/** One level after the other; its communicators work side by side. */
function secondsOf(levels: readonly ChosenLevel[]): Seconds {
  return levels.reduce((sum, { choices }) => sum + Math.max(...choices.map(({ cost }) => cost.seconds)), 0);
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
