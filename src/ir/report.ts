/** What the cost model says of a plan on a topology: simulated time, use of the machine, bounds. */
import type { Certificate, Claim } from './certificate.ts';
import { type Bytes, formatSeconds, rounding, type Seconds } from './units.ts';

/** How busy one link was. */
export interface LinkUse {
  /** Link index in the topology. */
  readonly link: number;
  readonly messages: number;
  readonly bytes: Bytes;
  readonly busy: Seconds;
}

/** One operation on the critical path, with when it ran. */
export interface PathStep {
  /** Operation index in the plan. */
  readonly operation: number;
  readonly bulk: number;
  readonly start: Seconds;
  readonly end: Seconds;
}

/** What the critical path of a plan is made of; its seconds add up to the plan's. */
export interface PathTime {
  readonly messages: number;
  /** Reductions and copies that take time. */
  readonly reductions: number;
  readonly copies: number;
  /** Where something is computed between messages. */
  readonly computations?: number;
  readonly seconds: {
    readonly latency: Seconds;
    /** Of messages, at the bandwidth of their routes. */
    readonly bytes: Seconds;
    readonly reducing: Seconds;
    readonly copying: Seconds;
    readonly computing?: Seconds;
    /** What lanes take beside all that, and what comes before the first operation; where the machine has lanes or a launch. */
    readonly lanes?: Seconds;
    readonly launch?: Seconds;
  };
}

export interface CostReport {
  /** Simulated time from the common start to the last operation's end. */
  readonly seconds: Seconds;
  readonly messages: number;
  /** Sum over messages of their size (each message once, however many links it crosses). */
  readonly bytesMoved: Bytes;
  /** Sum over links of the bytes that crossed them. */
  readonly bytesOnLinks: Bytes;
  /** Average number of links per overlay edge (pairs of ranks that talk, each once); 1 = all neighbours, 0 if none. */
  readonly stretch: number;
  readonly links: readonly LinkUse[];
  /** Operations from the start to the end, each the one that the next waited for. */
  readonly criticalPath: readonly PathStep[];
}

/** What holds a pipeline of bulks up: a link by its index in the topology, ports, engines, chips and their busiest lanes by that of their node. */
export type ResourceKind = 'link' | 'send port' | 'receive port' | 'reduce engine' | 'copy engine' | 'chip' | 'lane';

/** For how long one bulk keeps a resource. */
export interface ResourceLoad {
  readonly kind: ResourceKind;
  readonly index: number;
  readonly seconds: Seconds;
}

/** When every operation of a run was at work, in every bulk, and which links were taken by what. */
export interface Timeline {
  /** Operations of the plan: instance bulk · operations + operation is one of them in one bulk. */
  readonly operations: number;
  readonly bulks: number;
  /**
   * By instance. A send lasts from its message's start to its arrival; a receive from the same start, or from when its lane is done
   * with the receive before, to when it is complete, reduction included; copies and reductions as long as they have their engine.
   */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** One row per message and link that it crosses, in the order of instances. */
  readonly links: {
    readonly link: Int32Array;
    /** The send. */
    readonly instance: Int32Array;
    readonly start: Float64Array;
    /** When the link is free for the next message. */
    readonly end: Float64Array;
  };
}

/** The best lower bound and all the certificates that were found. */
export interface Bound<Proof extends Claim = Certificate> {
  readonly seconds: Seconds;
  /** Best first. */
  readonly certificates: readonly Proof[];
}

/** Everything that shows a contradiction between a bound and a correct plan, as data that can be written to a file. */
export interface Contradiction {
  /** What the plan was compiled for. */
  readonly request: object;
  readonly topology: object;
  readonly size: Bytes;
  /** The simulated time of the plan on the topology, for messages of this size. */
  readonly seconds: Seconds;
  /** The plan as JSON text (format `ccc-plan`), without claims about it. */
  readonly plan: string;
  /** The bounds that are greater than the time, with their certificates. */
  readonly claims: readonly Claim[];
}

/** A correct plan is faster than a certified bound allows. One of kernel, simulator and bounds is wrong, so no result is returned. */
export class ContradictedBound extends Error {
  readonly contradiction: Contradiction;

  constructor(contradiction: Contradiction) {
    const { claims, seconds } = contradiction;
    const bounds = claims.map((claim) => `${formatSeconds(claim.seconds)} (${claim.kind})`).join(', ');
    super(`a correct plan takes ${formatSeconds(seconds)}, less than its certified lower bound of ${bounds}`);
    this.contradiction = contradiction;
  }
}

/** The certificates that claim more than a plan takes, beyond what rounding explains. None, unless there is a bug. */
export function contradictedClaims({ certificates }: Bound<Claim>, seconds: Seconds): readonly Claim[] {
  return certificates.filter((claim) => !(claim.seconds <= seconds * (1 + rounding)));
}

/** bound / simulated time, from 0 to 1; 1 when both are zero. What is beyond that is rounding: anything more is a `ContradictedBound`. */
export function optimality(bound: Seconds, simulated: Seconds): number {
  return bound === simulated ? 1 : Math.min(1, bound / simulated);
}
