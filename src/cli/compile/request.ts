/** From the options of `ccc compile` to what is searched for. */

import { CccError } from '../../ir/diagnostic.ts';
import type { Dtype } from '../../ir/dtype.ts';
import type { Effort } from '../../ir/effort.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Bytes } from '../../ir/units.ts';
import type { CompileRequest } from '../../search/compile.ts';
import type { MachineAndGroups } from '../machine.ts';
import {
  type CollectiveOptions,
  checkOperator,
  collectiveFrom,
  collectiveKindFrom,
  defaultSize,
  type LongRunOptions,
  limitsFrom,
  type TopologyOptions,
} from '../options.ts';
import type { SolverOptions, SolverOrNone } from '../solver-options.ts';
import { searching } from './limits.ts';

export interface CompileOptions
  extends TopologyOptions,
    CollectiveOptions,
    SolverOptions<SolverOrNone>,
    LongRunOptions {
  /** `--ranks`. */
  readonly ranks?: number;
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
  readonly effort?: Effort;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly compact?: boolean;
}

/** What is searched for, without who helps and who watches. */
export type PlainCompileRequest = Omit<
  CompileRequest,
  'solver' | 'onModel' | 'shouldStop' | 'onProgress' | 'onBest' | 'lackingRoom'
>;

/** The machine that the options describe, and what is asked of it. */
export interface MachineRequest {
  readonly machine: MachineAndGroups;
  readonly request: PlainCompileRequest;
}

/** @throws CccError for options that contradict each other or the machine, and files that cannot be read */
export async function readRequest(kindText: string, options: CompileOptions): Promise<MachineRequest> {
  const kind = collectiveKindFrom(kindText, options);
  const { machineFrom } = await import('../machine.ts');
  const limits = limitsFrom(options.limit);
  const { ranks: place } = options;
  const machine = await machineFrom(place === undefined ? options : { ...options, place }, limits);
  const { topology, groups } = machine;
  if (groups !== undefined && options.counts !== undefined) {
    throw new CccError('usage', '--counts is for one group: several at once have shards of equal size');
  }
  // What groups have in common; each has as many ranks as it has chips.
  const ranks = Math.min(...(groups ?? [topology.chips]).map((members) => members.length));
  const collective = collectiveFrom(kind, ranks, options);
  checkOperator(kind, options.op, options.dtype);
  const named = await algorithmFor(options, limits);
  const request: PlainCompileRequest = {
    collective,
    topology,
    size: options.size ?? defaultSize(collective, options.dtype),
    dtype: options.dtype,
    chunks: options.chunks,
    bulks: options.bulks,
    ...named,
    parameters: options.set ?? {},
    objective: options.objective,
    seed: options.seed,
    effort: options.effort ?? effortFor(options, ranks),
    exhaustive: options.explain,
    limits,
  };
  return { machine, request };
}

/** The engine that has the algorithm, and what it is told of it: that of NCCL takes files of NCCL's rings and trees, too. */
async function algorithmFor(
  { algorithm, engine }: CompileOptions,
  limits: Limits,
): Promise<Pick<CompileRequest, 'engine' | 'algorithm' | 'ncclGraphs'>> {
  if (algorithm === undefined) return { engine };
  const [{ ncclEngine, ncclAlgorithms }, { isFilePath, isNcclGraphText, readSource }] = await Promise.all([
    import('../../synth/index.ts'),
    import('../../read/index.ts'),
  ]);
  // Standard input can be read once: schedules may come from there.
  const source = algorithm !== '-' && isFilePath(algorithm) ? readSource(algorithm, limits) : undefined;
  const isGraph = source !== undefined && isNcclGraphText(source);
  const owner = isGraph || ncclAlgorithms.some((name) => name === algorithm) ? ncclEngine.name : 'library';
  if (engine !== 'auto' && engine !== owner) {
    const message = `--algorithm ${algorithm} is for the engine ${owner}: it does not go with --engine ${engine}`;
    throw new CccError('usage', message);
  }
  if (owner === 'library') return { engine, algorithm };
  if (!isGraph) return { engine: owner, algorithm };
  const { readNcclGraphs } = await import('../../read/nccl-graph/index.ts');
  return { engine: owner, algorithm, ncclGraphs: readNcclGraphs(source) };
}

/** Whether times on the machine know what a thread block can do, under some protocol at least. */
export function hasLanes({ topology, alternatives = [] }: MachineAndGroups): boolean {
  return [topology, ...alternatives].some(({ lane }) => lane !== undefined);
}

/** Whether all engines are asked for whatever they know. */
export function isWide({ engine, algorithm }: CompileOptions): boolean {
  return engine === 'auto' && algorithm === undefined;
}

/**
 * A machine that has lost something waits for a plan: it gets one soon. So does one that is large. Where one engine or algorithm is asked for there is
 * little to leave out, and who sets a limit wants the time used.
 */
function effortFor(options: CompileOptions, ranks: number): Effort {
  const { without = [], timeLimit, objective } = options;
  const isUrgent = without.length > 0 || ranks > searching.ranksInFull;
  return isUrgent && timeLimit === undefined && objective === 'time' && isWide(options) ? 'quick' : 'full';
}
