/** What is searched for, what has been found, and what prospects may ask and tell a search under way. */
import type { CccError } from '../ir/diagnostic.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Seconds } from '../ir/units.ts';
import type { Outcome, Priced, PriceRequest } from '../pricing/index.ts';
import type { Candidate, Dismissal, Problem } from '../synth/index.ts';
import type { Objective } from './comparing.ts';

/** What is searched for, and with which engines. */
export interface SearchRequest
  extends PriceRequest,
    Omit<Problem, 'routes' | 'chunks' | 'collective' | 'algorithm' | 'byName' | 'shouldStop'> {
  readonly collective: Problem['collective'];
  readonly algorithm?: string | undefined;
  /** An engine's name, or `auto` for all that apply. */
  readonly engine: string;
  readonly objective: Objective;
  /** Candidates that it says no to are not tried. */
  readonly admits?: ((candidate: Candidate) => boolean) | undefined;
  /** Told after every candidate how many have been priced and what the best takes. */
  readonly onProgress?: ((priced: number, best: Seconds) => void) | undefined;
  /** Told what there is each time that a faster plan has been found. */
  readonly onBest?: ((soFar: SearchResult) => void) | undefined;
}

/** All that was tried; `priced` in the order it was proposed. */
export interface SearchResult {
  readonly priced: readonly Priced[];
  readonly dismissed: readonly Dismissal[];
  /** The limits that candidates exceeded. */
  readonly exceeded: readonly CccError[];
  /** There was no time for everything. */
  readonly stoppedEarly: boolean;
}

/** A search under way, as prospects see it. */
export interface SearchState extends SearchResult {
  readonly request: SearchRequest;
  readonly routes: Routes;
  /** Nothing can be faster, in chunks that cannot be divided if C is given. */
  readonly bound: Seconds;
  /** Work done so far, in operations of a plan. */
  readonly spent: number;
  /** @param work in operations of a plan */
  spend(work: number): void;
  /** Takes note of a plan, or of why there is none. */
  take(outcome: Outcome): void;
  /** The same candidate in a better plan. */
  replace(index: number, better: Priced): void;
  /** Whether the same schedule has been proposed before. */
  hasSeen(candidate: Candidate, schedule: Schedule): boolean;
  /** A plan, or something that one may be made of. */
  hasChoice(): boolean;
  /** There must be a plan before the search may end. */
  timeIsUp(): boolean;
  /** What a plan must take less than to be of use: any where not the time decides. */
  toBeat(): Seconds;
  /** What the best plan takes, or what has been proposed promises to take, if less. */
  expected(): Seconds;
}
