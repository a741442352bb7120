/** Engines, in the order they are asked: the cheap and readable first, so that ties go to textbook algorithms. */
import type { Engine } from './engine.ts';
import { library } from './library.ts';

export type { Candidate, Dismissal, Engine, Problem, Proposal } from './engine.ts';
export { checkParameters, fitness, instantiate } from './instantiate.ts';
export { bestDepth } from './pipeline.ts';

export const engines: readonly Engine[] = [library];
