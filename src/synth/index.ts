/**
 * The registry of engines. They run in the order of their estimated gain per work (`Engine.estimate`); ties are broken
 * by the order of this list.
 */
import { CccError } from '../ir/diagnostic.ts';
import { barriersEngine } from './barriers.ts';
import type { Engine } from './engine.ts';
import { exactEngine } from './exact/index.ts';
import { proposeGatherThenReduce } from './gather-then-reduce.ts';
import { levelsEngine } from './levels/index.ts';
import { libraryEngine } from './library.ts';
import { listEngine } from './list/index.ts';
import { ncclEngine } from './nccl/index.ts';
import { lockStepEngine } from './reductions/index.ts';
import { scansEngine } from './scans/index.ts';
import { symmetricEngine } from './symmetric/index.ts';
import { treesEngine } from './trees/index.ts';
import { withShardSizes } from './with-shard-sizes.ts';

export { type Candidate, candidateOf, type Dismissal, type Engine, type Problem, type Proposal } from './engine.ts';
export {
  type Frontier,
  type FrontierEvidence,
  type FrontierPoint,
  type Gap,
  Oracle,
  unfitFor,
  walkFrontier,
} from './exact/index.ts';
export { libraryEngine } from './library.ts';
export { maxFailures, maxRanksFor, relativeTolerance } from './limits.ts';
export { maxNcclChannels } from './nccl/channels.ts';
export { ncclAlgorithms, ncclEngine, ncclScheduleFor } from './nccl/index.ts';
export { bestDepth, type Depth, estimatedDepth, worthwhile } from './pipeline.ts';
export { bestInRounds, type InRounds } from './rounds/index.ts';
export { inWholeChunks } from './whole-chunks.ts';

const inLevels = levelsEngine(
  [libraryEngine],
  [treesEngine, listEngine],
  [symmetricEngine, listEngine, proposeGatherThenReduce([symmetricEngine, listEngine]), libraryEngine],
);

export const engines: readonly Engine[] = [
  // Reaches the bound at once where it applies, which ends the search.
  symmetricEngine,
  // On chips that cannot send while they reduce, other reductions lose half of their time.
  lockStepEngine,
  // Two collectives only: scan and exscan.
  scansEngine([symmetricEngine, listEngine, libraryEngine]),
  // Finds the best plan in half of all cases.
  listEngine,
  // Takes no time, and is preferred unless something is faster.
  libraryEngine,
  // For short reductions; queries the list engine again.
  proposeGatherThenReduce([symmetricEngine, inLevels, listEngine]),
  barriersEngine([symmetricEngine, inLevels], [listEngine]),
  // Composes the proposals of other engines for each level.
  inLevels,
  // Packing takes the longest, and pays for long messages.
  treesEngine,
  // Only if selected by name.
  exactEngine,
  ncclEngine,
].map(withShardSizes);

/**
 * The engine selected by name, or for `auto` all that do not require selection by name.
 * @throws CccError 'unknown-name' for an unknown engine
 */
export function enginesNamed(wanted: string): readonly Engine[] {
  if (wanted === 'auto') return engines.filter(({ onRequest }) => onRequest !== true);
  const chosen = engines.filter(({ name }) => name === wanted);
  if (chosen.length > 0) return chosen;
  const names = engines.map(({ name }) => name).join(', ');
  throw new CccError('unknown-name', `no engine is called '${wanted}'; there are: auto, ${names}`);
}
