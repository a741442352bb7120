/** Engines. They are asked in the order of what they promise for their work (`Engine.promise`); where that is the same, in this one. */
import { CccError } from '../ir/diagnostic.ts';
import { barriers } from './barriers.ts';
import type { Engine } from './engine.ts';
import { exact } from './exact/index.ts';
import { folding } from './folding.ts';
import { levels } from './levels/index.ts';
import { library } from './library.ts';
import { list } from './list/index.ts';
import { nccl } from './nccl/index.ts';
import { inStepReductions } from './reductions/index.ts';
import { scans } from './scans/index.ts';
import { symmetric } from './symmetric/index.ts';
import { trees } from './trees/index.ts';
import { withShardSizes } from './with-shard-sizes.ts';

export { type Candidate, candidateOf, type Dismissal, type Engine, type Problem, type Proposal } from './engine.ts';
export {
  type Floor,
  type Frontier,
  type FrontierPoint,
  type Gap,
  Oracle,
  unfitFor,
  walkFrontier,
} from './exact/index.ts';
export { library } from './library.ts';
export { mostFailures, mostRanksFor, tolerance } from './limits.ts';
export { mostChannels } from './nccl/channels.ts';
export { nccl, ncclAlgorithms, ncclScheduleFor } from './nccl/index.ts';
export { bestDepth, type Depth, inSuitedBulks, worthwhile } from './pipeline.ts';
export { bestInRounds, type InRounds } from './rounds/index.ts';
export { inWholeChunks } from './whole-chunks.ts';

const inLevels = levels([library], [trees, list], [symmetric, list, folding([symmetric, list]), library]);

export const engines: readonly Engine[] = [
  // At the bound in a moment, where it applies: that ends the search.
  symmetric,
  // Other reductions lose half of their time on chips that cannot send while they reduce.
  inStepReductions,
  // Made for two collectives only.
  scans([symmetric, list, library]),
  // The best plan in half of all cases.
  list,
  // Made in a moment, and preferred where nothing is faster.
  library,
  // For short reductions; asks the list engine again.
  folding([symmetric, inLevels, list]),
  barriers([symmetric, inLevels], [list]),
  // Composes what others propose for each level.
  inLevels,
  // Packing takes longest, and pays for long messages.
  trees,
  // Asked by name only.
  exact,
  nccl,
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
