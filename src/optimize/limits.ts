import { relativeTolerance } from '../synth/index.ts';

/** Limits of the local search. */
export const bettering = {
  /** Smaller gains in the load of the busiest link are not worth more messages. */
  leastGain: relativeTolerance,
  /** Orders that are evaluated by simulation; the loads of links show the others to be worse. */
  mostPartners: 2,
  /**
   * Passes over all operations until steps no longer change; plans whose messages cross each other take more than one.
   */
  mostPasses: 16,
  /** Rounds over all moves. */
  mostRounds: 4,
  /** Budget of the search for orders, in messages and loads added up. */
  ordersWork: 8_000_000,
  /** Random orders from which the search starts. */
  randomStarts: 6,
  /** Budget of path searches for one schedule, in steps. */
  pathsWork: 3_000_000,
} as const;
