import { relativeTolerance } from '../synth/index.ts';

/** How far a schedule is bettered. */
export const bettering = {
  /** Less of a gain in what the busiest link carries is not worth more messages. */
  leastGain: relativeTolerance,
  /** Orders that are tried; the others are told from the loads of links to be worse. */
  mostPartners: 2,
  /** Passes over all operations until steps stay as they are; plans in which messages cross each other take more than one. */
  mostPasses: 16,
  /** Rounds of all moves. */
  mostRounds: 4,
  /** Messages and loads that may be added up while orders are looked for. */
  ordersWork: 8_000_000,
  /** Orders that the search begins from at random. */
  randomStarts: 6,
  /** Steps of searches for ways that may be made for one schedule. */
  pathsWork: 3_000_000,
} as const;
