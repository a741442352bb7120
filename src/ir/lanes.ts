/**
 * What takes time beside links (docs/time-model.md): launching a collective, lanes (thread blocks, copy queues) that move their bytes themselves, and
 * proxies that send on what lanes have left with them. All of it is optional: a machine without it has the times of its links alone.
 */
import type { Bytes, BytesPerSecond, Seconds } from './units.ts';

/** Reductions and copies of one lane. */
export interface LocalWork {
  /** o of each. */
  readonly overhead: Seconds;
  readonly bandwidth: BytesPerSecond;
}

/** What lanes need for long messages, which go another way than short ones (MPI's rendezvous). */
export interface LongMessages extends LocalWork {
  readonly above: Bytes;
}

/** What one lane of a chip does by itself. */
export interface LaneModel {
  /** o, of each send and each receive. */
  readonly overhead: Seconds;
  /** B, bytes that one lane moves per second, however fast its link is. */
  readonly bandwidth: BytesPerSecond;
  /** c, the part of a message that a receiver may take while it still arrives, from 0 (nothing) to 1 (all of it). */
  readonly visible: number;
  /** Chunks that are larger go in slices, each through the whole program; `Infinity` where nothing is cut. */
  readonly slice: Bytes;
  readonly local: LocalWork;
  /** Messages of more than `above` bytes have an o and a B of their own; undefined where all have the same. */
  readonly long?: LongMessages | undefined;
  /** Lanes that a plan may have on one chip, where messages are split over several; `Infinity` where nothing is said. It has no effect on times. */
  readonly count: number;
}

/** What messages of more than so many bytes wait for. */
export interface RendezvousGap {
  readonly above: Bytes;
  readonly gap: Seconds;
}

/** What a link is to messages of lanes. Without a lane model on the machine it says nothing. */
export interface LinkLane {
  /** A proxy sends on: lanes leave their bytes with it and do not wait for links. */
  readonly buffered: boolean;
  /** For how long each message keeps the next one of its connection back, beside its bytes. */
  readonly gap: Seconds;
  readonly rendezvous?: RendezvousGap | undefined;
  /** Of one connection; `Infinity` where it is the link's. */
  readonly bandwidth: BytesPerSecond;
  /** In place of the link's own latency, of which part is the overhead of lanes where there is one. */
  readonly latency?: Seconds | undefined;
}

/** How well a number is known. */
export const knowledge = ['calibrated', 'published', 'assumed', 'not determined'] as const;
export type Knowledge = (typeof knowledge)[number];

/** Numbers that take the place of those of a machine; what is left out stays. */
export interface Timing {
  readonly launch?: Seconds | undefined;
  readonly inflight?: number | undefined;
  readonly lane?: PartialLane | undefined;
  /** Of all buffered links. */
  readonly gap?: Seconds | undefined;
  readonly rendezvous?: RendezvousGap | undefined;
}

/** Some numbers of a lane model. */
export interface PartialLane extends Partial<Omit<LaneModel, 'local'>> {
  readonly local?: Partial<LocalWork> | undefined;
}

/** A way in which lanes move messages, such as the LL, LL128 and Simple of NCCL: one of several that a machine has. */
export interface MachineProtocol extends Timing {
  readonly source?: string | undefined;
}

/** How many times as fast as they send lanes reduce and copy, where nothing is known. */
export const localShare = 5;

/** The lane model with some numbers replaced; undefined where overhead or bandwidth would be missing. */
export function laneWith(base: LaneModel | undefined, { local, ...given }: PartialLane): LaneModel | undefined {
  const overhead = given.overhead ?? base?.overhead;
  const bandwidth = given.bandwidth ?? base?.bandwidth;
  if (overhead === undefined || bandwidth === undefined) return undefined;
  // What was left out of the base as well follows the new numbers.
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

/** o and B of a lane for a message of so many bytes. */
export function paceOf(lane: LaneModel, bytes: Bytes): LocalWork {
  return lane.long !== undefined && bytes > lane.long.above ? lane.long : lane;
}

/** What no message of a lane is faster than: the least o and the greatest B. */
export function fastestPace({ overhead, bandwidth, long }: LaneModel): LocalWork {
  if (long === undefined) return { overhead, bandwidth };
  return { overhead: Math.min(overhead, long.overhead), bandwidth: Math.max(bandwidth, long.bandwidth) };
}
