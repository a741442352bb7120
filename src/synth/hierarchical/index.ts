/**
 * The hierarchical engine: collectives over groups of ranks (boxes joined by slower links) made of collectives within and
 * across the groups. Every level has channels of its own, so that levels of successive bulks do not wait in each other's lanes: with
 * several bulks, which the flow looks for, all levels work at once, each on another bulk.
 */
import { collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import type { Candidate, Engine, Problem, Proposal } from '../engine.ts';
import { chooseAlgorithms, type LevelEngines } from './algorithms.ts';
import { groupsOf } from './groups.ts';
import { type ChosenLevel, inSequence, leastChunks } from './in-sequence.ts';
import { areEqual, type Composition, type Level } from './levels.ts';
import { overLeaders } from './over-leaders.ts';
import { overRails } from './over-rails.ts';

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
  const compositions = [...(areEqual(groups) ? overRails(kind, root, groups) : []), ...overLeaders(kind, root, groups)];
  if (compositions.length === 0)
    return yield dismissed(name, `${kind} over groups of such sizes is not composed of others`);
  yield* proposals(problem, engines, compositions);
}

function* proposals(problem: Problem, engines: LevelEngines, compositions: readonly Composition[]): Iterable<Proposal> {
  const proposed = new Set<string>();
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
      const label = nameOf(composition, levels);
      if (proposed.has(label)) continue;
      proposed.add(label);
      yield candidate(problem, composition, levels, label);
    }
  }
}

function dismissed(what: string, reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name: what, reason } };
}

function candidate(
  problem: Problem,
  composition: Composition,
  levels: readonly ChosenLevel[],
  label: string,
): Proposal {
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
