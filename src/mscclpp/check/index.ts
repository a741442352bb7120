/** The judge of MSCCL++ execution plans. Apart from the verifier of plans, so that it is loaded only when it is needed. */

// What their times are made of.
export { collectiveOf } from './collective.ts';
export { type Counter, Counters } from './counters.ts';
export { type Judgement, type JudgeOptions, judgeExecutionPlan } from './judge.ts';
export { Layout, type Span } from './layout.ts';
export { type Move, movesOf, type Piece, whole } from './moves.ts';
export { notesOn } from './notes.ts';
export { scaleFor } from './sizes.ts';
