/**
 * Instantiates schedule files: files with steps are elaborated, and files that reverse or compose others are made from these by passes.
 */
import { host } from '../../host/host.ts';
import { type Collective, collectiveFacts, dualKinds, messageChunks } from '../../ir/collective.ts';
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { compose, prune, reverse } from '../../passes/index.ts';
import { nearestNames } from '../nearest.ts';
import { isFilePath } from '../source.ts';
import { chunkMultiple, elaborate, ranksFit, type ScheduleRequest } from './elaborate.ts';
import type { ScheduleFile } from './file.ts';
import { loadScheduleFile } from './load.ts';

/** Whether a schedule claims to work for a request, or the reason why not ("needs …", "works only …"). */
export type Fitness = { readonly fits: true } | { readonly fits: false; readonly reason: string };

/** Checks the conditions that a file and its parts state, without expanding them. */
export function fitness(file: ScheduleFile, request: ScheduleRequest): Fitness {
  checkNoCircle(file);
  const own = ranksFit(file, request);
  if (!own.fits) return own;
  if (request.ordered && reducesOutOfOrder(file)) {
    return { fits: false, reason: 'needs an operator that commutes' };
  }
  for (const part of partsOf(file)) {
    const fit = fitness(part, { ...request, ordered: false });
    if (!fit.fits) return { fits: false, reason: `${part.name} ${fit.reason}` };
  }
  return { fits: true };
}

/** Whether a schedule may reduce in another order than that of the ranks: it keeps the order only if its file says so. */
function reducesOutOfOrder(file: ScheduleFile): boolean {
  return collectiveFacts[file.collective].reduces && file.operator !== 'any';
}

function partsOf(file: ScheduleFile): readonly ScheduleFile[] {
  switch (file.body.kind) {
    case 'steps':
      return [];
    case 'reverse':
      return [partNamed(file.body.schedule, file.body.range)];
    case 'compose': {
      const { schedules, range } = file.body;
      return schedules.map((name) => partNamed(name, range));
    }
  }
}

/** Loads a part. Relative paths count from the file that names the part. Errors without a place are about the name, and get its place. */
function partNamed(name: string, range: SourceRange): ScheduleFile {
  try {
    return loadScheduleFile(isFilePath(name) ? host().pathFrom(range.source.name, name) : name);
  } catch (error) {
    if (error instanceof CccError && error.range === undefined) throw new CccError(error.code, error.message, range);
    throw error;
  }
}

/** @throws CccError 'schedule' for a file that is made of itself, directly or through others */
function checkNoCircle(file: ScheduleFile, within: readonly string[] = []): void {
  if (file.body.kind === 'steps') return;
  const { name } = file.text;
  if (within.includes(name)) throw new CccError('schedule', `${file.name} is made of itself`, file.body.range);
  for (const part of partsOf(file)) checkNoCircle(part, [...within, name]);
}

/**
 * Refuses values for parameters that neither the files nor their parts have.
 * @throws CccError 'unknown-name', 'schedule' for a file that is made of itself
 */
export function checkParameters(files: readonly ScheduleFile[], given: Readonly<Record<string, number>>): void {
  for (const file of files) checkNoCircle(file);
  const known = [...new Set(files.flatMap(parameterNames))].sort();
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const choices = known.length === 0 ? 'there are no parameters to set here' : nearestNames(name, known);
    throw new CccError('unknown-name', `no schedule has a parameter '${name}'; ${choices}`);
  }
}

function parameterNames(file: ScheduleFile): readonly string[] {
  return [...file.parameters.map(({ name }) => name), ...partsOf(file).flatMap(parameterNames)];
}

/** The number of which C must be a multiple for a request: what the file says, or what its parts need. */
export function chunkUnit(file: ScheduleFile, request: ScheduleRequest): number {
  const parts = partsOf(file);
  if (parts.length === 0) return chunkMultiple(file, request);
  const { ranks } = request;
  const needs = parts.map((part) => {
    const unit = chunkUnit(part, request);
    return collectiveFacts[part.collective].sharded ? unit * ranks : unit;
  });
  const dataUnit = needs.reduce(leastCommonMultiple, 1);
  return collectiveFacts[file.collective].sharded ? leastCommonMultiple(dataUnit, ranks) / ranks : dataUnit;
}

/**
 * Instantiates a file for a request. C is that of the request, or the smallest that works.
 * @throws CccError 'schedule' when the file does not work for the request
 */
export function instantiate(file: ScheduleFile, request: ScheduleRequest): Schedule {
  const fit = fitness(file, request);
  if (!fit.fits) throw new CccError('schedule', `${file.name} ${fit.reason}`);
  return expand(file, request);
}

/** A cache of instantiated schedules by file and request: several compositions have parts in common. */
let known = new WeakMap<ScheduleFile, Map<string, Schedule>>();
/** The most transfers in cached schedules: larger ones are cheaper to make again than to keep. */
const mostKept = 2 ** 19;
let kept = 0;

function expand(file: ScheduleFile, request: ScheduleRequest): Schedule {
  const unit = chunkUnit(file, request);
  const chunks = request.chunks ?? unit;
  if (chunks % unit !== 0) {
    throw new CccError('schedule', `${file.name} needs a multiple of ${unit} chunks per shard, not ${chunks}`);
  }
  const key = JSON.stringify({ ...request, chunks });
  const before = known.get(file)?.get(key);
  if (before !== undefined) return before;
  const made = { ...make(file, { ...request, chunks }), name: file.name };
  const schedule = file.operator === undefined ? made : { ...made, commutative: file.operator === 'commutative' };
  const pruned = file.prune ? prune(schedule) : schedule;
  keep(file, key, pruned);
  return pruned;
}

function keep(file: ScheduleFile, key: string, schedule: Schedule): void {
  const { transferCount } = schedule.steps;
  if (transferCount > mostKept) return;
  if (kept + transferCount > mostKept) {
    known = new WeakMap();
    kept = 0;
  }
  kept += transferCount;
  const ofFile = known.get(file) ?? new Map<string, Schedule>();
  known.set(file, ofFile.set(key, schedule));
}

function make(file: ScheduleFile, request: ScheduleRequest & { readonly chunks: number }): Schedule {
  const { ranks, chunks, root, op, ordered, inPlace } = request;
  const collective: Collective = { kind: file.collective, ranks, chunks, root, op, ordered, inPlace };
  const parts = partsOf(file);
  switch (file.body.kind) {
    case 'steps':
      return elaborate(file, request);
    case 'reverse': {
      const [part] = parts;
      if (dualKinds[part.collective] !== file.collective) {
        const message = `${file.name} is said to be a ${file.collective}, but reversing ${part.name} does not give one`;
        throw new CccError('schedule', message, file.body.range);
      }
      return reverse(expand(part, request), collective);
    }
    case 'compose': {
      const size = messageChunks(collective);
      const schedules = parts.map((part) =>
        expand(part, { ...request, chunks: collectiveFacts[part.collective].sharded ? size / ranks : size }),
      );
      return compose(schedules, { name: file.name, collective });
    }
  }
}
