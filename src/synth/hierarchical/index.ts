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
import { type Choice, chooseAlgorithms } from './algorithms.ts';
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
 * @param engines asked for every level, the cheap ones first
 */
export function hierarchical(engines: readonly Engine[]): Engine {
  return {
    name,
    about: 'collectives within and across groups (boxes joined by slower links), composed and overlapped',
    propose: (problem) => propose(problem, engines),
  };
}

function* propose(problem: Problem, engines: readonly Engine[]): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective } = problem;
  const dismiss = (reason: string): Proposal => ({ kind: 'dismissed', dismissal: { name, reason } });
  if (keepsRankOrder(collective)) return yield dismiss('groups are combined before their members, not in rank order');
  const grouping = groupsOf(problem.routes.topology);
  if (grouping.groups === undefined) return yield dismiss(grouping.reason);
  const { groups } = grouping;
  const { kind } = collective;
  const root = collectiveFacts[kind].rooted ? collective.root : groups[0][0];
  const compositions = [...(areEqual(groups) ? overRails(kind, root, groups) : []), ...overLeaders(kind, root, groups)];
  if (compositions.length === 0) return yield dismiss(`${kind} over groups of such sizes is not composed of others`);
  const proposed = new Set<string>();
  for (const composition of compositions) {
    const levels = composition.levels.map((level) => ({
      level,
      algorithms: chooseAlgorithms(problem, engines, composition, level),
    }));
    for (const aim of composition.aims) {
      const plans: Plan[] = [];
      for (const { level, algorithms } of levels) {
        if (algorithms !== undefined) plans.push({ where: level.where, choices: algorithms[aim] });
      }
      const missing = levels.find(({ algorithms }) => algorithms === undefined);
      const label = nameOf(composition, plans);
      if (missing !== undefined) {
        yield dismiss(`nothing proposes a ${missing.level.kind} ${missing.level.where} the groups`);
      } else if (!proposed.has(label)) {
        proposed.add(label);
        yield candidate(problem, composition, plans, label);
      }
    }
  }
}

function candidate(problem: Problem, composition: Composition, plans: readonly Plan[], label: string): Proposal {
  const { collective, chunks } = problem;
  const least = leastChunks(collective, composition, plans);
  if (chunks !== undefined && chunks % least !== 0) {
    const reason = `needs a multiple of ${least} chunks per shard, not ${chunks}`;
    return { kind: 'dismissed', dismissal: { name: label, reason } };
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

/** `hierarchical (ring-allgather across, full-mesh-allgather within)`. */
function nameOf(composition: Composition, plans: readonly Plan[]): string {
  const levels = plans.map(({ where, choices }) => {
    const algorithms = [...new Set(choices.map(({ schedule }) => schedule.name))];
    return `${algorithms.join(' and ')} ${where}`;
  });
  return `${name} (${composition.name === '' ? '' : `${composition.name}: `}${levels.join(', ')})`;
}
