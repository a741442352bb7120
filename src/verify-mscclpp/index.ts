/** The judge of MSCCL++ execution plans. Apart from the verifier of plans, so that it is loaded only when it is needed. */
export { type Judgement, type JudgeOptions, judgeExecutionPlan } from './judge.ts';
export { notesOn } from './notes.ts';
