/**
 * The levels engine: collectives made of collectives on each level of a hierarchy. Levels are groups of ranks (boxes joined by slower links) and what
 * joins them, or the axes of a grid. Every level has channels of its own, so that levels of successive bulks do not wait in each other's lanes: with
 * several bulks, which the flow looks for, all levels work at once, each on another bulk.
 */
import { collectiveFacts, keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import type { Seconds } from '../../ir/units.ts';
import { areBoxes } from '../boxes.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Promised, type Proposal } from '../engine.ts';
import { LevelAlgorithms, type LevelEngines } from './algorithms.ts';
import { alongAxes } from './along-axes.ts';
import { gridsOf } from './axes.ts';
import type { Aim, Composition, Groups, Level } from './composition.ts';
import { groupsOf } from './groups.ts';
import { type ChosenLevel, inSequence, leastChunks } from './in-sequence.ts';
import { overRails } from './over-rails.ts';
import { railsThrough } from './rails.ts';

const name = 'levels';

/**
 * The engine, for given engines that propose the algorithms of the levels.
 *
 * @param quick asked for every level
 * @param thorough asked as well where so few ranks are concerned that they take no long
 * @param along asked for the lines of a grid
 */
export function levels(
  quick: readonly Engine[],
  thorough: readonly Engine[] = [],
  along: readonly Engine[] = [],
): Engine {
  return {
    name,
    searches: true,
    promise,
    about:
      'collectives within and across groups (boxes joined by slower links), or along the axes of a grid, composed and overlapped',
    propose: (problem) => propose(problem, { quick, thorough, along }),
  };
}

/** Along the axes of grids what everyone gives or gets is composed in a moment, of few messages; between one and all others are better there. */
function promise({ collective: { kind }, routes: { topology } }: Problem): Partial<Promised> {
  if (areBoxes(topology)) return { part: 0.85 };
  const isFlat = topology.groups.length === 0 && !collectiveFacts[kind].rooted;
  return isFlat ? { work: 500 } : { part: 0.6 };
}

function* propose(problem: Problem, engines: LevelEngines): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective } = problem;
  if (keepsRankOrder(collective))
    return yield dismissed(name, 'levels are combined one after the other, not in rank order');
  const grouping = groupsOf(problem.routes.topology);
  const ofGroups = grouping.groups === undefined ? [] : overGroups(problem, grouping.groups);
  const ofAxes = gridsOf(problem.routes.topology).flatMap((grid) => alongAxes(collective.kind, collective.root, grid));
  if (ofGroups.length + ofAxes.length > 0) return yield* proposals(problem, engines, [...ofGroups, ...ofAxes]);
  yield dismissed(name, grouping.reason ?? `${collective.kind} over groups of such sizes is not composed of others`);
}

function overGroups({ collective: { kind, root }, routes }: Problem, groups: Groups): readonly Composition[] {
  const from = collectiveFacts[kind].rooted ? root : groups[0][0];
  return overRails(kind, from, groups, railsThrough(groups, routes));
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

function* proposals(problem: Problem, engines: LevelEngines, compositions: readonly Composition[]): Iterable<Proposal> {
  // Compositions share levels.
  const known = new Map<Level, LevelAlgorithms>();
  for (const composition of compositions) {
    for (const level of composition.levels) {
      if (!known.has(level)) known.set(level, new LevelAlgorithms(problem, composition, level));
    }
  }
  for (const [{ where }, algorithms] of known) algorithms.ask(where === 'along' ? engines.along : engines.quick);
  for (const [{ where }, algorithms] of known) if (where !== 'along') algorithms.askThorough(engines.thorough);
  const options: Option[] = [];
  for (const composition of compositions) {
    const missing = composition.levels.find((level) => known.get(level)?.chosen('size') === undefined);
    if (missing === undefined) options.push(...optionsOf(composition, known));
    else
      yield dismissed(
        nameOf(composition, []),
        `nothing proposes a ${missing.kind} ${missing.where} ${missing.where === 'along' ? 'lines' : 'groups'}`,
      );
  }
  // The most promising first.
  options.sort((a, b) => a.inBulks - b.inBulks);
  for (const option of differing(options)) yield candidate(problem, option);
}

/** Aims often choose the same algorithms. */
function differing(options: readonly Option[]): readonly Option[] {
  return options.filter(({ name: own }, index) => options.findIndex((other) => other.name === own) === index);
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
  const { collective, chunks, routes, limits } = problem;
  const least = leastChunks(collective, composition, levels);
  if (chunks !== undefined && chunks % least !== 0) {
    return dismissed(label, `needs a multiple of ${least} chunks per shard, not ${chunks}`);
  }
  const message = messageChunks({ ...collective, chunks: chunks ?? least });
  if (message > limits.chunks)
    return dismissed(label, `${message} chunks are more than the limit chunks = ${limits.chunks}`);
  // Along axes chips that are silent while they reduce would keep each other waiting.
  const isAlong = levels.some(({ where }) => where === 'along');
  const holdsUp = isAlong && routes.topology.nodes.some(({ reduce }) => reduce?.overlap === false);
  const made: Candidate = {
    name: label,
    origin: { engine: name, schedule: label },
    build: (multiple) => {
      const schedule = inSequence({ ...collective, chunks: (chunks ?? least) * multiple }, composition, levels, label);
      return holdsUp ? { ...schedule, inStep: true } : schedule;
    },
  };
  return { kind: 'candidate', candidate: made };
}

/** `levels (carriers: linear-gather within, ring-gather across)`. */
function nameOf(composition: Composition, levels: readonly ChosenLevel[]): string {
  const parts = levels.map(({ where, choices }) => {
    const algorithms = [...new Set(choices.map(({ schedule }) => schedule.name))];
    return `${algorithms.join(' and ')} ${where}`;
  });
  const counted = parts.flatMap((part, index) => {
    if (part === parts[index - 1]) return [];
    const next = parts.findIndex((other, at) => at > index && other !== part);
    const times = (next < 0 ? parts.length : next) - index;
    return [times === 1 ? part : `${times} × ${part}`];
  });
  const details = [composition.name, counted.join(', ')].filter((text) => text !== '');
  return details.length === 0 ? name : `${name} (${details.join(': ')})`;
}
