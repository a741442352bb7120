/** The work of `ccc compile`, from its options to its report: in the process itself, or in a worker that can be interrupted. */
import type { CompileRequest, CompileResult } from '../compile.ts';
import type { GroupsResult } from '../compile-groups.ts';
import type { CollectiveKind } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Dtype } from '../ir/dtype.ts';
import { optimality } from '../ir/report.ts';
import type { Bytes } from '../ir/units.ts';
import { emitterNamed, readyFor } from './emitters.ts';
import { exitCodes } from './failure.ts';
import type { Machine } from './machine.ts';
import {
  type CollectiveOptions,
  checkOperator,
  collectiveFrom,
  collectiveKindFrom,
  defaultSize,
  limitsFrom,
  type TopologyOptions,
} from './options.ts';
import { note, writeJson, writeResult } from './output.ts';
import type { SolverOptions } from './solver-options.ts';

export interface CompileOptions extends TopologyOptions, CollectiveOptions, SolverOptions {
  readonly size?: Bytes;
  readonly dtype: Dtype;
  readonly chunks?: number;
  readonly bulks: number | 'auto';
  readonly engine: string;
  readonly algorithm?: string;
  readonly objective: 'time' | 'latency' | 'bandwidth';
  readonly emit: string;
  readonly output?: string;
  readonly seed: number;
  readonly timeLimit?: number;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly compact?: boolean;
}

/** How the work is watched and ended. */
export interface Control {
  /** True when it is to end with the best so far. */
  readonly shouldStop?: () => boolean;
  readonly onProgress?: CompileRequest['onProgress'];
  /** While there is time, search again with the seeds that follow, in steps of this. */
  readonly restartEvery?: number;
}

export type Compiled = CompileResult | GroupsResult;

/** The machine that the options describe, and what is asked of it. */
export async function readRequest(kindText: string, options: CompileOptions) {
  const kind = collectiveKindFrom(kindText, options);
  const { machineFrom } = await import('./machine.ts');
  const limits = limitsFrom(options.limit);
  const machine = machineFrom(options, limits);
  return { machine, request: { ...requestFrom(kind, machine, options), limits } };
}

/** Compiles; with restarts, the best of all that there was time for. */
export async function compileJob(kindText: string, options: CompileOptions, control: Control): Promise<Compiled> {
  const { machine, request } = await readRequest(kindText, options);
  try {
    if (options.engine !== 'exact') return await search(machine, request, control);
    const { searchWithSolver } = await import('./exact-job.ts');
    return await searchWithSolver(options, (help) => search(machine, { ...request, ...help }, control));
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    throw await (await import('./compact.ts')).withCompactHint(error, request.collective.kind, options);
  }
}

async function search(machine: Machine, request: CompileRequest, control: Control): Promise<Compiled> {
  const { shouldStop, onProgress, restartEvery } = control;
  const compileWith = await compilerFor(machine);
  let best = compileWith({ ...request, shouldStop, onProgress });
  if (restartEvery === undefined) return best;
  // Only searches at random gain from another seed.
  const engine = request.engine === 'auto' ? 'list' : request.engine;
  for (let seed = request.seed + restartEvery; shouldStop?.() !== true && !isAtBound(best); seed += restartEvery) {
    const again = attempt(() => compileWith({ ...request, engine, seed, shouldStop, onProgress }));
    if (again === undefined) break;
    if (again.bundle.cost.seconds < best.bundle.cost.seconds) best = again;
  }
  return best;
}

/** For the machine, or for all its groups at once. */
async function compilerFor({ groups }: Machine): Promise<(request: CompileRequest) => Compiled> {
  if (groups === undefined) return (await import('../compile.ts')).compile;
  const { compileGroups } = await import('../compile-groups.ts');
  return (request) => compileGroups(request, groups);
}

function attempt(work: () => Compiled): Compiled | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

function isAtBound({ bundle: { bound, cost } }: Compiled): boolean {
  return bound === undefined || optimality(bound.seconds, cost.seconds) > 0.9999;
}

/** Writes plan and report; returns the exit code. */
export async function present(result: Compiled, options: CompileOptions): Promise<number> {
  const emitter = await emitterNamed(options.emit);
  const bundle = await readyFor(emitter, result.bundle);
  if (options.json !== true || options.output !== undefined) {
    await writeResult(await emitter.emit(bundle), options.output);
  }
  if (options.json === true) {
    const { compileDocument } = await import('./compile-document.ts');
    writeJson({
      ...compileDocument(result, options.explain === true),
      ...('groups' in result ? { groups: result.groups } : {}),
    });
  } else {
    await report(result, options);
  }
  if (!result.stoppedEarly) return exitCodes.done;
  note(`ccc: the search was ended; this is the best of the ${result.candidates.length} candidates priced so far`);
  return exitCodes.stopped;
}

/** What people read about the plan, on standard error. */
async function report(result: Compiled, options: CompileOptions): Promise<void> {
  const { compileReport, explainText } = await import('./compile-report.ts');
  const width = process.stderr.columns;
  note(compileReport(result, options.bulks === 'auto', width));
  if ('groups' in result) note(`\n${(await import('./groups-report.ts')).groupsText(result, width)}`);
  if (options.explain === true) note(`\n${explainText(result, width)}`);
}

function requestFrom(
  kind: CollectiveKind,
  { topology, groups }: Machine,
  options: CompileOptions,
): Omit<CompileRequest, 'limits'> {
  if (groups !== undefined && options.counts !== undefined) {
    throw new CccError('usage', '--counts is for one group: several at once have shards of equal size');
  }
  // What groups have in common; each has as many ranks as it has chips.
  const ranks = Math.min(...(groups ?? [topology.chips]).map((members) => members.length));
  const collective = collectiveFrom(kind, ranks, options);
  checkOperator(options.op, options.dtype);
  return {
    collective,
    topology,
    size: options.size ?? defaultSize(collective, options.dtype),
    dtype: options.dtype,
    chunks: options.chunks,
    bulks: options.bulks,
    engine: options.engine,
    algorithm: options.algorithm,
    parameters: options.set ?? {},
    objective: options.objective,
    seed: options.seed,
  };
}
