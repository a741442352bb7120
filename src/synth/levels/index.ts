/**
 * The levels engine composes collectives hierarchically: within boxes and between them, or along the axes of a grid
 * (BlueConnect, HiCCL, multi-dimensional tori). It queries other engines for the algorithm of each level and searches
 * over hierarchies and compositions. Every level has channels of its own, so that levels of successive bulks do not
 * wait in each other's lanes: with several bulks, which the search adds, all levels work at once on different bulks.
 * Cost: a few queries per level and class of communicators. Limit: boxes or grids must be declared or recognisable.
 */
import { collectiveFacts, combinesInRankOrder, messageChunks } from '../../ir/collective.ts';
import type { Seconds } from '../../ir/units.ts';
import { areBoxes } from '../boxes.ts';
import { type Candidate, dismissed, type Engine, type EngineEstimate, type Problem, type Proposal } from '../engine.ts';
import { LevelAlgorithms, type LevelEngines } from './algorithms.ts';
import { type Composition, compositionsOf } from './composition.ts';
import { topologyGroups } from './groups.ts';
import { boxHierarchy, gridHierarchies } from './hierarchies.ts';
import { type ChosenLevel, inSequence, minChunksForLevels } from './in-sequence.ts';

const name = 'levels';

/**
 * Makes the engine.
 * @param quick engines queried for every level
 * @param thorough engines also queried if the level concerns few ranks
 * @param along engines queried for the lines of a grid
 */
export function levelsEngine(
  quick: readonly Engine[],
  thorough: readonly Engine[] = [],
  along: readonly Engine[] = [],
): Engine {
  return {
    name,
    searches: true,
    estimate: estimateOf,
    about:
      'collectives within and across groups (boxes joined by slower links), or along the axes of a grid, composed and overlapped',
    propose: (problem) => propose(problem, { quick, thorough, along }),
  };
}

/**
 * Along the axes of grids, collectives with data from or for every rank are composed quickly and with few messages; for
 * rooted ones other engines are better.
 */
function estimateOf({ collective: { kind }, routes: { topology } }: Problem): Partial<EngineEstimate> {
  if (areBoxes(topology)) return { boundShare: 0.85 };
  const isFlat = topology.groups.length === 0 && !collectiveFacts[kind].rooted;
  return isFlat ? { work: 500 } : { boundShare: 0.6 };
}

function* propose(problem: Problem, engines: LevelEngines): Iterable<Proposal> {
  const { collective, routes, algorithm } = problem;
  const { kind, root } = collective;
  if (algorithm !== undefined) return;
  if (combinesInRankOrder(collective))
    return yield dismissed(name, 'levels are combined one after the other, not in rank order');
  const { groups, reason } = topologyGroups(routes.topology);
  const hierarchies = [
    ...(groups === undefined ? [] : boxHierarchy(groups, routes)),
    ...gridHierarchies(routes.topology),
  ];
  const compositions = hierarchies.flatMap((hierarchy) => compositionsOf(kind, root, hierarchy));
  if (compositions.length === 0)
    return yield dismissed(name, reason ?? `${kind} over groups of such sizes is not composed of others`);
  const algorithms = new LevelAlgorithms(problem, engines, compositions);
  const options: Option[] = [];
  for (const composition of compositions) {
    const missing = composition.levels.find((level) => algorithms.chosen(composition, level) === undefined);
    if (missing === undefined) options.push(optionOf(composition, algorithms));
    else
      yield dismissed(nameOf(composition, []), `nothing proposes a ${missing.kind} ${missing.where} lines or groups`);
  }
  // The most promising option first.
  options.sort((a, b) => a.inBulks - b.inBulks);
  for (const option of options) yield candidate(problem, option);
}

/** A composition with an algorithm for each level. */
interface Option {
  readonly name: string;
  readonly composition: Composition;
  readonly levels: readonly ChosenLevel[];
  /** Estimated time of the message in the number of bulks that suits it. */
  readonly inBulks: Seconds;
}

function optionOf(composition: Composition, algorithms: LevelAlgorithms): Option {
  const levels = composition.levels.map((level): ChosenLevel => {
    return { where: level.where, choices: algorithms.chosen(composition, level) ?? [] };
  });
  const seconds = levels.map(({ choices }) => Math.max(...choices.map(({ cost }) => cost.seconds)));
  const busiest = levels.map(({ choices }) => Math.max(...choices.map(({ cost }) => cost.busiest)));
  // In many bulks only the bytes of the busiest level remain visible; latencies add up as before.
  const inBulks = sumOf(seconds) - sumOf(busiest) + Math.max(...busiest);
  return { name: nameOf(composition, levels), composition, levels, inBulks };
}

function sumOf(times: readonly Seconds[]): Seconds {
  return times.reduce((sum, time) => sum + time, 0);
}

function candidate(problem: Problem, { name: label, composition, levels }: Option): Proposal {
  const { collective, chunks, routes, limits } = problem;
  const least = minChunksForLevels(collective, composition, levels);
  if (chunks !== undefined && chunks % least !== 0) {
    return dismissed(label, `needs a multiple of ${least} chunks per shard, not ${chunks}`);
  }
  const message = messageChunks({ ...collective, chunks: chunks ?? least });
  if (message > limits.chunks)
    return dismissed(label, `${message} chunks are more than the limit chunks = ${limits.chunks}`);
  // Along axes, chips that are silent while they reduce would delay each other.
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
