/** Engines. They are asked in the order of what they promise for their work (`Engine.estimate`); where that is the same, in this one. */
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
  // At the bound in a moment, where it applies: that ends the search.
  symmetricEngine,
  // Other reductions lose half of their time on chips that cannot send while they reduce.
  lockStepEngine,
  // Made for two collectives only.
  scansEngine([symmetricEngine, listEngine, libraryEngine]),
  // The best plan in half of all cases.
  listEngine,
  // Made in a moment, and preferred where nothing is faster.
  libraryEngine,
  // For short reductions; asks the list engine again.
  proposeGatherThenReduce([symmetricEngine, inLevels, listEngine]),
  barriersEngine([symmetricEngine, inLevels], [listEngine]),
  // Composes what others propose for each level.
  inLevels,
  // Packing takes longest, and pays for long messages.
  treesEngine,
  // Asked by name only.
  exactEngine,
  ncclEngine,
].map(withShardSizes);

/**
 * The engine that is asked for by name, or for `auto` all that are not asked by name only.
 * @throws CccError 'unknown-name' for an engine that there is not
 */
export function enginesNamed(wanted: string): readonly Engine[] {
  if (wanted === 'auto') return engines.filter(({ onRequest }) => onRequest !== true);
  const chosen = engines.filter(({ name }) => name === wanted);
  if (chosen.length > 0) return chosen;
  const names = engines.map(({ name }) => name).join(', ');
  throw new CccError('unknown-name', `no engine is called '${wanted}'; there are: auto, ${names}`);
}
