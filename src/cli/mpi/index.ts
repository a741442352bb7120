/** `ccc run --on mpi` compiles a plan as C, runs it under mpirun, checks the results, and measures MPI's own collective in the same run. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mpiC } from '../../emit/mpi/index.ts';
import { type Collective, collectiveFacts, type ReductionOperator } from '../../ir/collective.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { type Dtype, dtypeBytes, dtypes } from '../../ir/dtype.ts';
import type { Limits } from '../../ir/limits.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { checkWholeElements } from '../../ir/shards.ts';
import {
  type Bytes,
  counted,
  defaultMessageSize,
  formatBytes,
  formatBytesPerSecond,
  formatSeconds,
  type Seconds,
} from '../../ir/units.ts';
import { provedStrictly } from '../../jobs/owning-strictly.ts';
import { readPlan } from '../../read/index.ts';
import { exitCodes } from '../failure.ts';
import { note, writeJson, writeStandardOutput } from '../output.ts';
import { ratesOf } from '../rates.ts';
import { doubledSizes, headOf, rowDocument, rowText } from '../run/sizes.ts';
import { driverText } from './driver-text.ts';
import { compileMpi, mpiVersion, runMpi } from './launch.ts';

/** Options of a run. Defaults are the values in the plan's document, else 64 MiB of f32. */
export interface MpiRunOptions {
  readonly size?: Bytes | undefined;
  /** Range of sizes, each twice the previous one, in place of `size`. */
  readonly sizes?: readonly [Bytes, Bytes] | undefined;
  readonly dtype?: Dtype | undefined;
  readonly op?: ReductionOperator | undefined;
  /** Timed samples of the plan, and of MPI's own collective. */
  readonly repetitions: number;
  /** Must equal the plan's number of ranks. */
  readonly processes?: number | undefined;
  /** Seconds after which the program is ended. */
  readonly limit?: Seconds | undefined;
  readonly json?: boolean | undefined;
  readonly limits: Limits;
}

/** The result of a run. Times are the minimum over all samples of the slowest rank's time. */
export interface MpiMeasurement extends DriverResult {
  readonly plan: string;
  readonly collective: Collective;
  readonly dtype: Dtype;
  readonly size: Bytes;
  readonly mpi: string;
  /** What the ranks printed to standard error. */
  readonly remarks: string;
}

const defaultLimit = 300;

/** Runs a plan, prints the result, and sets the exit code to 1 if a result is wrong. */
export async function runOnMpi(source: SourceText, options: MpiRunOptions): Promise<void> {
  if (options.sizes !== undefined) return runSizesOnMpi(source, options, doubledSizes(options.sizes));
  const measured = await measureOnMpi(source, options);
  if (measured.wrong + measured.mpiWrong > 0) {
    process.exitCode = exitCodes.failed;
    note(measured.remarks);
  }
  if (options.json === true) writeJson(documentOf(measured));
  else writeStandardOutput(textOf(measured));
}

/** Prints a table over sizes, with MPI's own collective next to the plan. */
async function runSizesOnMpi(source: SourceText, options: MpiRunOptions, sizes: readonly Bytes[]): Promise<void> {
  const measured = await measureSizes(source, options, sizes);
  const rows = measured.map((each) => {
    const { collective, dtype, size, all, allMpi, wrong, mpiWrong } = each;
    const row = { collective, dtype, size, seconds: all, errors: wrong + mpiWrong };
    return { row, other: { name: 'MPI', seconds: allMpi } };
  });
  const [{ plan, collective, mpi, remarks }] = measured;
  const isRight = rows.every(({ row }) => row.errors === 0);
  if (!isRight) {
    process.exitCode = exitCodes.failed;
    note(remarks);
  }
  const documents = rows.map(({ row, other }) => rowDocument(row, other));
  if (options.json === true) writeJson({ ok: isRight, plan, on: mpi, sizes: documents });
  else
    writeStandardOutput(
      [headOf(plan, collective, 'MPI'), ...rows.map(({ row, other }) => rowText(row, other))].join(''),
    );
}

/**
 * Proves a plan under MPI's buffer ownership, compiles it and runs it.
 * @throws CccError 'unsupported' for a plan or element type that MPI cannot run, 'usage' for a wrong number of processes, 'file' if MPI is missing or
 * fails, 'stopped' if it takes too long
 */
export async function measureOnMpi(source: SourceText, options: MpiRunOptions): Promise<MpiMeasurement> {
  const [measured] = await measureSizes(source, options, undefined);
  return measured;
}

/** As `measureOnMpi`, for several sizes in one run. @param sizes undefined for the single size of the options or of the plan */
export async function measureSizes(
  source: SourceText,
  options: MpiRunOptions,
  sizes: readonly Bytes[] | undefined,
): Promise<readonly MpiMeasurement[]> {
  const { plan: written, extra } = readPlan(source, { limits: options.limits });
  const { op = written.collective.op } = options;
  const collective = { ...written.collective, op };
  const { kind, ranks } = collective;
  const { processes = ranks } = options;
  if (processes !== ranks) {
    throw new CccError(
      'usage',
      `the plan is for ${counted(ranks, 'rank')}, so it takes ${counted(ranks, 'process', 'processes')}, not ${processes}`,
    );
  }
  const proved = provedStrictly({ ...written, collective }, mpiC.name);
  const none = { topology: undefined, size: undefined, dtype: undefined, cost: undefined, bound: undefined };
  const bundle = { ...none, proved, origin: undefined };
  const lacking = mpiC.check(bundle);
  if (lacking.length > 0) throw new CccError('unsupported', `this plan cannot run on MPI: ${lacking.join('; ')}`);
  const dtype = options.dtype ?? dtypes.find((name) => name === extra.dtype) ?? 'f32';
  const wanted = sizes ?? [options.size ?? (typeof extra.size === 'number' ? extra.size : defaultMessageSize)];
  const unit = (collectiveFacts[kind].sharded ? ranks : 1) * dtypeBytes[dtype];
  if (options.size !== undefined) checkWholeElements(options.size, dtype);
  const fitting = wanted.map((size) => Math.floor(size / unit));
  // In a series of sizes, each has at least one element and occurs once.
  const elements = sizes === undefined ? fitting : [...new Set(fitting.map((each) => Math.max(1, each)))];
  const folder = mkdtempSync(join(tmpdir(), 'ccc-mpi-'));
  try {
    const files = [join(folder, 'plan.c'), join(folder, 'main.c')];
    writeFileSync(files[0], [...(await mpiC.emit(bundle))].join(''));
    writeFileSync(files[1], driverText(collective, dtype));
    const program = join(folder, 'program');
    await compileMpi(files, program);
    const args = elements.flatMap((each) => [each, options.repetitions, callsPerSample(each * unit)].map(String));
    const { output, errors } = await runMpi(program, args, { processes, limit: options.limit ?? defaultLimit });
    const mpi = await mpiVersion();
    return readResults(output, errors).map((result, index): MpiMeasurement => {
      const size = elements[index] * unit;
      return { plan: written.name, collective, dtype, size, mpi, remarks: errors, ...result };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns how many calls are timed together, since the time of a single short call is close to the resolution of the clock. */
export function callsPerSample(size: Bytes): number {
  return Math.max(1, Math.min(40, Math.floor(2 ** 18 / Math.max(1, size))));
}

/** One entry of the document that the driver program prints. */
export interface DriverResult {
  readonly seconds: Seconds;
  readonly mpiSeconds: Seconds;
  /** Times of all samples. */
  readonly all: readonly Seconds[];
  readonly allMpi: readonly Seconds[];
  /** Number of wrong output elements on all ranks. */
  readonly wrong: number;
  readonly mpiWrong: number;
}

/** Parses the driver's output. @throws CccError 'file' if the program ended before it had written everything */
export function readResults(output: string, errors: string): readonly DriverResult[] {
  let document: unknown;
  try {
    document = JSON.parse(output);
  } catch {
    document = undefined;
  }
  if (Array.isArray(document) && document.length > 0 && document.every(isResult)) return document;
  throw new CccError('file', `the MPI program ended early: ${errors.trim().split('\n').slice(0, 4).join('\n  ')}`);
}

function isResult(value: unknown): value is DriverResult {
  if (typeof value !== 'object' || value === null) return false;
  const numbers: Record<string, unknown> = { ...value };
  const isList = (list: unknown): boolean => Array.isArray(list) && list.every((each) => typeof each === 'number');
  return (
    ['seconds', 'mpiSeconds', 'wrong', 'mpiWrong'].every((name) => typeof numbers[name] === 'number') &&
    isList(numbers.all) &&
    isList(numbers.allMpi)
  );
}

function textOf(m: MpiMeasurement): string {
  const { kind, ranks, inPlace } = m.collective;
  const { algorithmBandwidth, busBandwidth } = ratesOf(m.collective, m.size, m.seconds);
  const isRight = m.wrong === 0 && m.mpiWrong === 0;
  const lines = [
    `${oneLine(m.plan)}: ${kind} of ${formatBytes(m.size)} of ${m.dtype}${inPlace ? ', in place,' : ''} on ${ranks} processes; ${m.mpi}`,
    `  plan   ${formatSeconds(m.seconds)} at best`,
    `  MPI    ${formatSeconds(m.mpiSeconds)} at best for its own, turn by turn in the same run`,
    `  ratio  ${(m.seconds / m.mpiSeconds).toFixed(3)} (below 1 the plan is faster)`,
    `  rates  algbw ${formatBytesPerSecond(algorithmBandwidth)}, busbw ${formatBytesPerSecond(busBandwidth)}`,
    isRight
      ? '  check  every output element is right, in place and out of place'
      : `  WRONG  ${m.wrong} output elements of the plan, ${m.mpiWrong} of MPI itself`,
  ];
  return `${lines.join('\n')}\n`;
}

function documentOf(m: MpiMeasurement): object {
  const { kind, ranks, op, inPlace } = m.collective;
  return {
    ok: m.wrong === 0 && m.mpiWrong === 0,
    plan: m.plan,
    collective: { kind, ranks, op, inPlace },
    on: m.mpi,
    size: m.size,
    dtype: m.dtype,
    seconds: m.seconds,
    mpiSeconds: m.mpiSeconds,
    all: { seconds: m.all, mpiSeconds: m.allMpi },
    ratio: m.seconds / m.mpiSeconds,
    ...ratesOf(m.collective, m.size, m.seconds),
    check: { wrong: m.wrong, mpiWrong: m.mpiWrong },
  };
}
