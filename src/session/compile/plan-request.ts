/** Makes the request of a search from a collective on a machine and the options of `compile`. */
import { CccError } from '../../ir/diagnostic.ts';
import type { Effort } from '../../ir/effort.ts';
import type { Limits } from '../../ir/limits.ts';
import type { CompileRequest } from '../../search/compile.ts';
import type { CollectiveRequest } from '../collectives.ts';
import { searching } from '../limits.ts';
import type { MachineData } from '../machine/edited-machine.ts';
import { type CompileOptions, limitsOf } from './options.ts';

/** A request of the search as plain data: without callbacks, and without the solver, which a worker loads for itself. */
export type PlainPlanRequest = Omit<
  CompileRequest,
  'solver' | 'onModel' | 'shouldStop' | 'onProgress' | 'onBest' | 'lackingRoom'
>;

/** @throws CccError 'usage' for an algorithm that the chosen engine does not have, 'file' and others for one that cannot be read */
export async function planRequest(
  { machine, collective, size, dtype, definition }: CollectiveRequest,
  options: CompileOptions,
): Promise<PlainPlanRequest> {
  const limits = limitsOf(options);
  const asked = { ...options, algorithm: options.algorithm ?? definition };
  const named = await algorithmFor(asked, limits);
  const { chunks, bulks = 'auto', parameters = {}, objective = 'time', seed = 0, explain } = options;
  return {
    collective,
    topology: machine.topology,
    size,
    dtype,
    chunks,
    bulks,
    ...named,
    parameters,
    objective,
    seed,
    effort: options.effort ?? defaultEffort(asked, machine.hasLostParts, collective.ranks),
    exhaustive: explain,
    limits,
  };
}

/** The engine that has the algorithm: NCCL's rings and trees, by name or in a file, or the library of schedules. */
async function algorithmFor(
  { algorithm, engine = 'auto' }: CompileOptions,
  limits: Limits,
): Promise<Pick<CompileRequest, 'engine' | 'algorithm' | 'ncclGraphs'>> {
  if (algorithm === undefined) return { engine };
  const [{ ncclEngine, ncclAlgorithms }, { isFilePath, isNcclGraphText, readSource }] = await Promise.all([
    import('../../synth/index.ts'),
    import('../../read/index.ts'),
  ]);
  // Standard input can be read only once, and the library engine may have to read a schedule from there.
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

/** Whether thread blocks (lanes) limit the times of messages on this machine, under at least one of its protocols. */
export function hasLanes({ topology, alternatives = [] }: MachineData): boolean {
  return [topology, ...alternatives].some(({ lane }) => lane !== undefined);
}

/** Whether the search uses all engines, instead of a single engine or algorithm. */
export function asksAllEngines({ engine, algorithm }: Pick<PlainPlanRequest, 'engine' | 'algorithm'>): boolean {
  return engine === 'auto' && algorithm === undefined;
}

/**
 * Chooses the effort if the caller has not. After a failure of links users need a plan soon, and on large machines a full search takes minutes, so
 * both get a quick search. With a single engine or algorithm a quick search would save little, and a time limit is meant to be used up.
 */
function defaultEffort(options: CompileOptions, hasLostParts: boolean, ranks: number): Effort {
  const { timeLimit, objective = 'time', engine = 'auto', algorithm } = options;
  const isUrgent = hasLostParts || ranks > searching.ranksInFull;
  const isOpen = asksAllEngines({ engine, algorithm }) && objective === 'time';
  return isUrgent && timeLimit === undefined && isOpen ? 'quick' : 'full';
}
