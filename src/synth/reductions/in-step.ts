/**
 * Keeps ranks synchronised on chips that cannot send while they reduce. Without it, a chip that is ahead sends to one that still waits for
 * another message of the previous step. That chip cannot reduce until the early message is complete, so its other neighbours wait as well,
 * and soon links are busy only half of the time. With it, a rank sends only when everything of earlier steps has arrived, and messages take
 * turns at ports in the order of the steps.
 */
import type { Candidate } from '../engine.ts';

/** The candidate with synchronised ranks (`Schedule.inStep`, `inTurn`), attributed to the given engine. */
export function inLockStep(candidate: Candidate, engine: string): Candidate {
  const name = `${candidate.name}, in step`;
  return {
    name,
    origin: { ...candidate.origin, engine, schedule: name },
    build: (multiple) => ({ ...candidate.build(multiple), name, inStep: true, inTurn: true }),
  };
}
