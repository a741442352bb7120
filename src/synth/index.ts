/** Engines, in the order they are asked: the cheap and readable first, so that ties go to textbook algorithms. */
import type { Engine } from './engine.ts';
import { hierarchical } from './hierarchical/index.ts';
import { library } from './library.ts';
import { list } from './list/index.ts';
import { symmetric } from './symmetric/index.ts';
import { trees } from './trees/index.ts';
import { withShardSizes } from './with-shard-sizes.ts';

export type { Candidate, Dismissal, Engine, Problem, Proposal } from './engine.ts';
export { checkParameters, fitness, instantiate } from './instantiate.ts';
export { bestDepth } from './pipeline.ts';

export const engines: readonly Engine[] = [library, symmetric, trees, list, hierarchical([library, trees])].map(
  withShardSizes,
);
