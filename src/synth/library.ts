/**
 * The library engine: the textbook algorithms of `schedules/` (ring, recursive doubling, Bruck, Rabenseifner …), and
 * schedule files that users name. It searches nothing but the order of ranks on a ring. Its limit: each schedule states
 * the numbers of ranks it supports.
 */
import type { RingOrder } from '../graph/index.ts';
import { collectiveFacts, combinesInRankOrder } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { partOfWork } from '../ir/effort.ts';
import type { Topology } from '../ir/topology.ts';
import { relabel } from '../passes/index.ts';
import {
  checkParameters,
  chunkUnit,
  fitness,
  instantiate,
  isFilePath,
  listShipped,
  loadScheduleFile,
  nearestNames,
  type ScheduleFile,
  type ScheduleRequest,
} from '../read/index.ts';
import { areBoxes } from './boxes.ts';
import { type Candidate, dismissed, type Engine, engineParameters, type Problem, type Proposal } from './engine.ts';
import { fittingRing } from './fitting-ring.ts';
import { maxMessages, maxRanksFor } from './limits.ts';

export const libraryEngine: Engine = {
  name: 'library',
  holdsBack: true,
  estimate: ({ routes }) => ({ boundShare: partOf(routes.topology), isImmediate: true }),
  about: 'the published algorithms in schedules/, and rings in the order that fits the machine',
  propose,
};

/**
 * Estimated share of the bound: other engines are better on machines made of boxes, while rings through switches are
 * hard to beat.
 */
function partOf(topology: Topology): number {
  if (areBoxes(topology)) return 0.5;
  return topology.nodes.length > topology.chips.length ? 0.9 : 0.7;
}

function* propose(problem: Problem): Iterable<Proposal> {
  const { algorithm, parameters, routes, effort = 'full' } = problem;
  const files = algorithm === undefined ? filesFor(problem) : [algorithmNamed(algorithm, problem)];
  // If a single algorithm is selected only this engine runs; otherwise some parameters are meant for other engines.
  const own = Object.entries(parameters).filter(
    ([name]) => algorithm !== undefined || !engineParameters.includes(name),
  );
  checkParameters(files, Object.fromEntries(own));
  const request = requestFor(problem);
  for (const file of files) {
    const fit = fitness(file, request);
    if (!fit.fits) {
      yield dismissed(file.name, fit.reason);
      continue;
    }
    const unit = chunkUnit(file, request);
    const { chunks = unit } = problem;
    if (chunks % unit !== 0) {
      yield dismissed(file.name, `needs a multiple of ${unit} chunks per shard, not ${chunks}`);
      continue;
    }
    yield { kind: 'candidate', candidate: plain(file, request, chunks) };
    const ring = file.ring && mayBeRelabelled(problem) ? fittingRing(routes, effort) : undefined;
    if (ring?.isBetter === true) yield { kind: 'candidate', candidate: inRingOrder(file, request, chunks, ring) };
  }
}

function requestFor({ collective, parameters, limits, byName }: Problem): ScheduleRequest {
  const { ranks, root, op, ordered, inPlace } = collective;
  const isThrifty = ranks > maxRanksFor.messages && byName !== true;
  const operations = isThrifty ? Math.min(limits.operations, maxMessages) : limits.operations;
  return { ranks, root, op, ordered, inPlace, parameters, limits: { ...limits, operations } };
}

/** The shipped schedules of the collective. Their names end in its name, so the others need not be opened. */
function filesFor({ collective }: Problem): readonly ScheduleFile[] {
  // What a custom collective computes is defined in its own file, which no shipped schedule matches.
  if (collective.custom !== undefined) return [];
  const names = listShipped('schedules').filter((name) => name.endsWith(`-${collective.kind}`));
  return names.map((name) => loadScheduleFile(name)).filter((file) => file.collective === collective.kind);
}

/**
 * The schedule that `--algorithm` selects: a file, a shipped name with or without the collective as its suffix, or an
 * alias (`recursive_doubling`, `reduce_scatter_allgather`).
 */
function algorithmNamed(wanted: string, problem: Problem): ScheduleFile {
  const file = isFilePath(wanted)
    ? loadScheduleFile(wanted, { limits: problem.limits })
    : shippedNamed(wanted, problem);
  if (file.collective !== problem.collective.kind) {
    throw new CccError(
      'schedule',
      `${file.name} is a schedule for ${file.collective}, not for ${problem.collective.kind}`,
    );
  }
  return file;
}

function shippedNamed(wanted: string, problem: Problem): ScheduleFile {
  const { kind } = problem.collective;
  const name = wanted.toLowerCase().replaceAll('_', '-');
  const names = listShipped('schedules');
  const exact = names.find((shipped) => shipped === `${name}-${kind}`) ?? names.find((shipped) => shipped === name);
  if (exact !== undefined) return loadScheduleFile(exact);
  const files = filesFor(problem);
  const aliased = files.find((file) => file.aliases.some((alias) => alias.toLowerCase().replaceAll('_', '-') === name));
  if (aliased !== undefined) return aliased;
  const known = files.flatMap((file) => [file.name, ...file.aliases]);
  throw new CccError('unknown-name', `no ${kind} schedule is called '${wanted}'; ${nearestNames(wanted, known)}`);
}

function plain(file: ScheduleFile, request: ScheduleRequest, chunks: number): Candidate {
  return {
    name: file.name,
    origin: { engine: libraryEngine.name, schedule: file.name },
    build: (multiple) => instantiate(file, { ...request, chunks: chunks * multiple }),
  };
}

/** Whether ranks may be renumbered: not if the result depends on ranks in other ways than whose shard is whose. */
function mayBeRelabelled({ collective, effort = 'full' }: Problem): boolean {
  const isSmall = collective.ranks <= maxRanksFor.flows * partOfWork[effort];
  return isSmall && !combinesInRankOrder(collective) && collective.kind !== 'custom';
}

/** The same ring over the ranks in another order, so that neighbours on the ring are neighbours in the machine. */
function inRingOrder(file: ScheduleFile, request: ScheduleRequest, chunks: number, ring: RingOrder): Candidate {
  const { order: ringOrder, before: ringStretchBefore, after: ringStretchAfter } = ring;
  const root = collectiveFacts[file.collective].rooted ? ringOrder.indexOf(request.root) : 0;
  const { name, origin, build } = plain(file, { ...request, root }, chunks);
  return {
    name: `${name} (ring order)`,
    origin: { ...origin, ringOrder, ringStretchBefore, ringStretchAfter },
    build: (multiple) => relabel(build(multiple), ringOrder),
  };
}
