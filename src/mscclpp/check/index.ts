/** The checker of MSCCL++ execution plans. It is separate from the verifier of plans, so that it is loaded only when it is needed. */

// Parts that the timing of execution plans also needs.
export { cellCollectiveOf } from './collective.ts';
export { type Counter, SynchronisationCounters } from './counters.ts';
export { type Judgement, type JudgeOptions, judgeExecutionPlan } from './judge.ts';
export { CellLayout, type CellSpan } from './layout.ts';
export { type ElementMove, elementMovesOf, type PipelinePiece, wholePiece } from './moves.ts';
export { executionPlanNotes } from './notes.ts';
export { scaleFor } from './sizes.ts';
