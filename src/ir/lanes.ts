/**
 * Time that a plan takes besides links and engines (docs/time-model.md): the launch of a collective, lanes (thread blocks, copy queues) that move
 * bytes themselves, and proxies that send data which lanes have handed to them. All of it is optional: without it, times are those of links and
 * engines alone.
 */
import type { Bytes, BytesPerSecond, Seconds } from './units.ts';

/** Reductions and copies of one lane. */
export interface LocalWork {
  /** Seconds that each reduction or copy takes besides its bytes. */
  readonly overhead: Seconds;
  readonly bandwidth: BytesPerSecond;
}

/** Overhead and bandwidth of lanes for long messages, which are sent by another method than short ones (rendezvous in MPI). */
export interface LongMessages extends LocalWork {
  readonly above: Bytes;
}

/** Costs of one lane of a chip: overheads as o in the LogGP model, and bandwidths. */
export interface LaneModel {
  /** o: seconds that each send and each receive occupies the lane. */
  readonly overhead: Seconds;
  /** B, bytes that one lane moves per second, however fast its link is. */
  readonly bandwidth: BytesPerSecond;
  /** c: the fraction of a message that its receiver can process while the rest is still arriving, from 0 to 1. */
  readonly visible: number;
  /** Max bytes of a slice: larger chunks are cut into slices, each of which runs through the whole program; `Infinity` if chunks are not cut. */
  readonly slice: Bytes;
  readonly local: LocalWork;
  /** Messages of more than `above` bytes have an o and a B of their own; undefined where all have the same. */
  readonly long?: LongMessages | undefined;
  /** Max number of lanes of a plan on one chip, for passes that split messages over several; `Infinity` if unlimited. It has no effect on times. */
  readonly count: number;
}

/** The delay of messages of more than `above` bytes, for their rendezvous. */
export interface RendezvousGap {
  readonly above: Bytes;
  readonly gap: Seconds;
}

/** Properties of a link for messages that lanes send or receive. They are ignored on a machine without a lane model. */
export interface LinkLane {
  /** A proxy sends the data on: lanes hand their bytes to it and do not wait for the link. */
  readonly buffered: boolean;
  /** Seconds that must pass between consecutive messages of a connection, besides the time of their bytes. */
  readonly gap: Seconds;
  readonly rendezvous?: RendezvousGap | undefined;
  /** Max bandwidth of one connection; `Infinity` if only the link limits it. */
  readonly bandwidth: BytesPerSecond;
  /** Replaces the link's own latency on machines with lanes, since that latency includes what is the overhead of lanes there. */
  readonly latency?: Seconds | undefined;
}

/** How reliable the numbers of a machine are. */
export const knowledge = ['calibrated', 'published', 'assumed', 'not determined'] as const;
export type Knowledge = (typeof knowledge)[number];

/** Numbers that replace those of a machine; fields that are left out keep their value. */
export interface Timing {
  readonly launch?: Seconds | undefined;
  readonly inflight?: number | undefined;
  readonly lane?: PartialLane | undefined;
  /** The gap of all buffered links, in seconds. */
  readonly gap?: Seconds | undefined;
  readonly rendezvous?: RendezvousGap | undefined;
}

/** Some numbers of a lane model. */
export interface PartialLane extends Partial<Omit<LaneModel, 'local'>> {
  readonly local?: Partial<LocalWork> | undefined;
}

/** A protocol by which lanes move messages, such as LL, LL128 and Simple of NCCL; a machine may offer several. */
export interface MachineProtocol extends Timing {
  readonly source?: string | undefined;
}

/** Default ratio between the bandwidth of reductions and copies of a lane and the bandwidth of its messages. */
export const localShare = 5;

/** The lane model with some numbers replaced; undefined where overhead or bandwidth would be missing. */
export function laneWith(base: LaneModel | undefined, { local, ...given }: PartialLane): LaneModel | undefined {
  const overhead = given.overhead ?? base?.overhead;
  const bandwidth = given.bandwidth ?? base?.bandwidth;
  if (overhead === undefined || bandwidth === undefined) return undefined;
  // If the overhead or the bandwidth of messages changes, local work takes its default from the new numbers.
  const own = base === undefined || given.overhead !== undefined || given.bandwidth !== undefined;
  const standard = own ? { overhead, bandwidth: localShare * bandwidth } : base.local;
  const long = given.long ?? base?.long;
  return {
    ...(long === undefined ? {} : { long }),
    overhead,
    bandwidth,
    visible: given.visible ?? base?.visible ?? 1,
    slice: given.slice ?? base?.slice ?? Number.POSITIVE_INFINITY,
    count: given.count ?? base?.count ?? Number.POSITIVE_INFINITY,
    local: { overhead: local?.overhead ?? standard.overhead, bandwidth: local?.bandwidth ?? standard.bandwidth },
  };
}

/** Overhead and bandwidth of a lane for a message of so many bytes. */
export function paceOf(lane: LaneModel, bytes: Bytes): LocalWork {
  return lane.long !== undefined && bytes > lane.long.above ? lane.long : lane;
}

/** The min overhead and the max bandwidth over all message sizes, for lower bounds. */
export function fastestPace({ overhead, bandwidth, long }: LaneModel): LocalWork {
  if (long === undefined) return { overhead, bandwidth };
  return { overhead: Math.min(overhead, long.overhead), bandwidth: Math.max(bandwidth, long.bandwidth) };
}
