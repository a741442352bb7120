/**
 * The hierarchical engine: collectives over groups of ranks (boxes joined by slower links) made of collectives within and
 * across the groups. Every level has channels of its own, so that levels of successive bulks do not wait in each other's lanes: with
 * several bulks, which the flow looks for, all levels work at once, each on another bulk.
 */
import { type Collective, collectiveFacts, keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { greatestCommonDivisor, leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { compose, place } from '../../passes/index.ts';
import type { Candidate, Engine, Problem, Proposal } from '../engine.ts';
import { type Choice, chooseAlgorithms, type LevelEngines } from './algorithms.ts';
import { groupsOf } from './groups.ts';
import { areEqual, type Communicator, type Composition, type Level } from './levels.ts';
import { overLeaders } from './over-leaders.ts';
import { overRails } from './over-rails.ts';

const name = 'hierarchical';

/** A level with the algorithms that were chosen for it. */
interface Plan {
  readonly where: Level['where'];
  readonly choices: readonly Choice[];
}

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
      const plans = composition.levels.map((level) => ({ where: level.where, choices: known.get(level)?.[aim] ?? [] }));
      const label = nameOf(composition, plans);
      if (proposed.has(label)) continue;
      proposed.add(label);
      yield candidate(problem, composition, plans, label);
    }
  }
}

function dismissed(what: string, reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name: what, reason } };
}

function candidate(problem: Problem, composition: Composition, plans: readonly Plan[], label: string): Proposal {
  const { collective, chunks } = problem;
  const least = leastChunks(collective, composition, plans);
  if (chunks !== undefined && chunks % least !== 0) {
    return dismissed(label, `needs a multiple of ${least} chunks per shard, not ${chunks}`);
  }
  const made: Candidate = {
    name: label,
    origin: { engine: name, schedule: label },
    build: (multiple) => build({ ...collective, chunks: (chunks ?? least) * multiple }, composition, plans, label),
  };
  return { kind: 'candidate', candidate: made };
}

/** The least C for which every algorithm's chunks are whole numbers of the message's. */
function leastChunks(collective: Collective, { units }: Composition, plans: readonly Plan[]): number {
  const needs = plans.flatMap(({ choices }) =>
    choices.map(({ schedule, communicators: [{ units: own }] }) => {
      const wanted = messageChunks(schedule.collective);
      return wanted / greatestCommonDivisor(wanted, own.length);
    }),
  );
  const perUnit = needs.reduce(leastCommonMultiple, 1);
  return collectiveFacts[collective.kind].sharded ? perUnit : perUnit * units;
}

function build(collective: Collective, { units }: Composition, plans: readonly Plan[], label: string): Schedule {
  const { counts: _, ...target } = collective;
  const perUnit = messageChunks(collective) / units;
  let channels = 0;
  const parts = plans.map(({ choices }) => {
    const placements = choices.flatMap(({ schedule, communicators }) =>
      communicators.map((communicator) => ({
        schedule,
        members: communicator.members,
        slots: slotsOf(communicator, perUnit),
      })),
    );
    const part = place(placements, { name: label, collective: target }, channels);
    channels = 1 + part.steps.channel.reduce((most, channel) => Math.max(most, channel), channels);
    return part;
  });
  return compose(parts, { name: label, collective: target });
}

function slotsOf({ units }: Communicator, perUnit: number): Int32Array {
  return Int32Array.from({ length: units.length * perUnit }, (_, slot) => {
    return units[Math.floor(slot / perUnit)] * perUnit + (slot % perUnit);
  });
}

/** `hierarchical (leaders: linear-gather within, ring-gather across)`. */
function nameOf(composition: Composition, plans: readonly Plan[]): string {
  const levels = plans.map(({ where, choices }) => {
    const algorithms = [...new Set(choices.map(({ schedule }) => schedule.name))];
    return `${algorithms.join(' and ')} ${where}`;
  });
  const details = [composition.name, levels.join(', ')].filter((text) => text !== '');
  return details.length === 0 ? name : `${name} (${details.join(': ')})`;
}
