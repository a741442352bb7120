/**
 * What keeps chips in step that cannot send while they reduce. A chip that is ahead sends to one that still waits for another message of the step before; that
 * one can then not reduce until the early message is over, so that its other neighbours wait as well, and soon links are busy half of the
 * time. So ranks send what they have only once all of the steps before has come, and messages take turns in the order of the steps.
 */
import type { Candidate } from '../engine.ts';

/** The candidate with all ranks in step, as one of an engine. */
export function inLockStep(candidate: Candidate, engine: string): Candidate {
  const name = `${candidate.name}, in step`;
  return {
    name,
    origin: { ...candidate.origin, engine, schedule: name },
    build: (multiple) => ({ ...candidate.build(multiple), name, inStep: true, inTurn: true }),
  };
}
