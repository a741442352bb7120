/** Results of simulating a plan on a topology: time, use of the machine, critical path, and lower bounds. */
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

/** The composition of the critical path of a plan; its seconds add up to those of the plan. */
export interface PathTime {
  readonly messages: number;
  /** Counts include only reductions and copies that take time. */
  readonly reductions: number;
  readonly copies: number;
  /** Set if the plan computes between messages. */
  readonly computations?: number;
  readonly seconds: {
    readonly latency: Seconds;
    /** Time of the bytes of messages, at the bandwidth of their routes. */
    readonly bytes: Seconds;
    readonly reducing: Seconds;
    readonly copying: Seconds;
    readonly computing?: Seconds;
    /** Overheads of lanes, and the launch before the first operation; set if the machine has lanes or a launch. */
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

/**
 * Resources that limit a pipeline of bulks. `ResourceLoad.index` is the index of the link in the topology; for all other kinds it is the index of the
 * node, and `lane` is the busiest lane of the chip.
 */
export type ResourceKind = 'link' | 'send port' | 'receive port' | 'reduce engine' | 'copy engine' | 'chip' | 'lane';

/** How long one bulk occupies a resource. */
export interface ResourceLoad {
  readonly kind: ResourceKind;
  readonly index: number;
  readonly seconds: Seconds;
}

/** When every operation of a simulated run was active, in every bulk, and which messages occupied which links. */
export interface Timeline {
  /** Number of operations of the plan. Operation o in bulk b is instance b · operations + o. */
  readonly operations: number;
  readonly bulks: number;
  /**
   * Start and end by instance, in seconds. A send lasts from the start of its message to its arrival. A receive lasts from the same start, or from
   * when its lane has finished the receive before, until it is complete, reduction included. Copies and reductions last as long as they occupy their
   * engine.
   */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** One row per message and link that it crosses, in the order of instances. */
  readonly links: {
    readonly link: Int32Array;
    /** The instance of the send. */
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

/** The certificates whose bound exceeds the time of a correct plan by more than rounding explains. Any such certificate shows a bug. */
export function contradictedClaims({ certificates }: Bound<Claim>, seconds: Seconds): readonly Claim[] {
  return certificates.filter((claim) => !(claim.seconds <= seconds * (1 + rounding)));
}

/**
 * The optimality of a plan: bound over simulated time, from 0 to 1, and 1 if both are zero. The ratio is cut off at 1 because rounding may exceed it;
 * a greater excess is a `ContradictedBound`.
 */
export function optimality(bound: Seconds, simulated: Seconds): number {
  return bound === simulated ? 1 : Math.min(1, bound / simulated);
}
