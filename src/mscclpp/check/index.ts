/** The judge of MSCCL++ execution plans. Apart from the verifier of plans, so that it is loaded only when it is needed. */

// What their times are made of.
export { collectiveOf } from './collective.ts';
export { type Counter, SynchronisationCounters } from './counters.ts';
export { type Judgement, type JudgeOptions, judgeExecutionPlan } from './judge.ts';
export { CellLayout, type CellSpan } from './layout.ts';
export { type ElementMove, movesOf, type PipelinePiece, whole } from './moves.ts';
export { notesOn } from './notes.ts';
export { scaleFor } from './sizes.ts';
