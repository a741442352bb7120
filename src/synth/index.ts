/**
 * Engines, in the order they are asked: first the one that reaches the bound at once where it applies, since on large machines a plan
 * at the bound ends the search; last the one whose search takes longest.
 */
import type { Engine } from './engine.ts';
import { folding } from './folding.ts';
import { hierarchical } from './hierarchical/index.ts';
import { library } from './library.ts';
import { list } from './list/index.ts';
import { symmetric } from './symmetric/index.ts';
import { trees } from './trees/index.ts';
import { withShardSizes } from './with-shard-sizes.ts';

export type { Candidate, Dismissal, Engine, Problem, Proposal } from './engine.ts';
export { checkParameters, fitness, instantiate } from './instantiate.ts';
export { bestDepth } from './pipeline.ts';

export const engines: readonly Engine[] = [
  symmetric,
  library,
  list,
  folding([symmetric, list]),
  hierarchical([library], [trees, list]),
  trees,
].map(withShardSizes);
