/** Instantiates a schedule file that has steps for a number of ranks. */

import { type Collective, collectiveFacts, messageChunks, type ReductionOperator } from '../../ir/collective.ts';
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { counted } from '../../ir/units.ts';
import { type Frame, runLets } from '../expression/index.ts';
import { expandCustom } from './custom.ts';
import { Expansion, type MadeTransfer } from './expand.ts';
import type { ScheduleFile, ScheduleProgram } from './file.ts';

/** What a schedule is instantiated for. */
export interface ScheduleRequest {
  readonly ranks: number;
  /** C; default: the smallest for which the file works. */
  readonly chunks?: number | undefined;
  readonly root: number;
  readonly op: ReductionOperator;
  readonly ordered: boolean;
  readonly inPlace: boolean;
  /** Values of parameters by name. Names that the file does not have are ignored: they belong to other files of a composition. */
  readonly parameters: Readonly<Record<string, number>>;
  readonly limits: Limits;
}

/** Whether a file works for a number of ranks and a root, or the reason why not, such as `works only …`. */
export type RanksFit = { readonly fits: true } | { readonly fits: false; readonly reason: string };

/**
 * Checks the number of ranks and the root against what the file says it works for.
 * @throws CccError 'limit' for more ranks than the limit, 'range' for a root that is no rank
 */
export function ranksFit(file: ScheduleFile, request: ScheduleRequest): RanksFit {
  const { ranks, root, limits } = request;
  if (ranks > limits.ranks)
    throw new CccError('limit', `${ranks} ranks are more than the limit ranks = ${limits.ranks}`);
  if (root < 0 || root >= ranks) {
    throw new CccError('range', `root ${root} is out of range: there are ranks 0 … ${ranks - 1}`);
  }
  if (file.fixedRanks !== undefined) {
    if (file.fixedRanks !== ranks)
      return { fits: false, reason: `is written for ${counted(file.fixedRanks, 'rank')}, not ${ranks}` };
  } else if (file.head.ranks !== undefined) {
    const holds = file.head.ranks.evaluate(headFrame(file, request)) !== 0;
    if (!holds)
      return { fits: false, reason: `works only where ${file.head.ranks.text}, not for ${counted(ranks, 'rank')}` };
  }
  if (collectiveFacts[file.collective].rooted && file.fixedRoot !== undefined && file.fixedRoot !== root) {
    return { fits: false, reason: `works only with root ${file.fixedRoot}, not ${root}` };
  }
  return { fits: true };
}

/**
 * The number of which C must be a multiple: the value of the file's `chunks` for these ranks and parameters.
 * @throws CccError 'range' or 'limit' when it is not between 1 and the limit
 */
export function chunkMultiple(file: ScheduleFile, request: ScheduleRequest): number {
  return multipleIn(file, headFrame(file, request), request.limits);
}

/** The smallest C, for a frame in which N, root and the parameters are set. */
function multipleIn(file: ScheduleFile, frame: Frame, limits: Limits): number {
  const { chunks } = file.head;
  if (chunks === undefined) return 1;
  const value = chunks.evaluate(frame);
  if (value < 1) throw new CccError('range', `chunks must be at least 1, not ${value}`, chunks.range);
  checkChunks(value, limits, chunks.range);
  return value;
}

/** The frame with N, root and the parameters in their slots. */
function headFrame({ head }: ScheduleFile, request: ScheduleRequest): Frame {
  const frame: Frame = [];
  frame[head.ranksSlot] = request.ranks;
  frame[head.rootSlot] = request.root;
  for (const { name, slot, value } of head.defaults) {
    const given = Object.hasOwn(request.parameters, name) ? request.parameters[name] : undefined;
    frame[slot] = given ?? value.evaluate(frame);
  }
  return frame;
}

/**
 * Expands the loops and expressions of a file for a request, and tells of every transfer where somebody asks.
 * @throws CccError 'schedule' when the file does not work for the request or has no steps of its own, and with the place in the
 * file 'range' (a rank or chunk that does not exist), 'expression' or 'limit'
 */
export function elaborate(
  file: ScheduleFile,
  request: ScheduleRequest,
  onTransfer?: (made: MadeTransfer) => void,
): Schedule {
  const fit = ranksFit(file, request);
  if (!fit.fits) throw new CccError('schedule', `${file.name} ${fit.reason}`);
  if (file.body.kind !== 'steps') {
    throw new CccError('schedule', `${file.name} is made of other schedules (${file.body.kind})`, file.body.range);
  }
  const frame = headFrame(file, request);
  const multiple = multipleIn(file, frame, request.limits);
  const chunks = request.chunks ?? multiple;
  checkChunks(chunks, request.limits, undefined);
  if (chunks < 1 || chunks % multiple !== 0) {
    throw new CccError('schedule', `${file.name} needs a multiple of ${multiple} chunks per shard, not ${chunks}`);
  }
  return expandProgram(file, file.body.program, { ...request, chunks }, frame, onTransfer);
}

function expandProgram(
  file: ScheduleFile,
  program: ScheduleProgram,
  request: ScheduleRequest & { readonly chunks: number },
  frame: Frame,
  onTransfer: ((made: MadeTransfer) => void) | undefined,
): Schedule {
  const { ranks, chunks, root, op, ordered, inPlace, limits } = request;
  frame[file.head.chunksSlot] = chunks;
  runLets(program.lets, frame);
  const figures = program.figures.map(([name, value]) => [name, value.evaluate(frame)] as const);
  const scratch = program.scratch?.evaluate(frame) ?? 0;
  if (scratch < 0) throw new CccError('range', `scratch must be at least 0, not ${scratch}`, program.scratch?.range);
  checkChunks(scratch, limits, program.scratch?.range);
  const custom = program.custom && expandCustom(program.custom, ranks, frame, limits);
  const base = { kind: file.collective, ranks, chunks, root, op, ordered, inPlace };
  const collective: Collective = custom === undefined ? base : { ...base, custom };
  if (custom === undefined) checkChunks(messageChunks(collective), limits, undefined);
  const expansion = new Expansion(collective, scratch, frame, limits, onTransfer);
  const steps = expansion.run(program.statements);
  const commutative = collectiveFacts[file.collective].reduces && file.operator !== 'any';
  const takesTurns = typeof program.turns === 'boolean' ? program.turns : program.turns.evaluate(frame) !== 0;
  const turns = takesTurns ? { inTurn: true as const } : {};
  const said = figures.length > 0 ? { figures } : {};
  return {
    name: file.name,
    collective,
    scratch: scratch + expansion.computingScratch,
    commutative,
    ring: file.ring,
    ...turns,
    ...said,
    steps,
  };
}

function checkChunks(chunks: number, limits: Limits, range: SourceRange | undefined): void {
  if (chunks > limits.chunks) {
    throw new CccError(
      'limit',
      `${chunks} chunks in one buffer are more than the limit chunks = ${limits.chunks}`,
      range,
    );
  }
}
