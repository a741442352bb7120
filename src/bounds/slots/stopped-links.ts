/**
 * Bound on communication plus reduction where a chip neither sends nor receives while it reduces (`overlap: false`).
 * The theorem is in certificates/stopped-links.ts, the proof in docs/bounds.md. This file searches for the price p (of
 * reduced bytes relative to sent bytes) that refutes the longest time.
 */
import type { Certificate, Direction } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import type { ReduceEngine } from '../../ir/topology.ts';
import { type Bytes, type BytesPerSecond, formatBytes, formatBytesPerSecond, type Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween, bytesReduced, messageBytesInAll } from '../needs.ts';

/** Capabilities and duties of one chip, and how many chips share them. */
interface Worker {
  readonly count: number;
  /** B: the bandwidth of its links while it does not reduce; 0 if it does not have to send (or receive). */
  readonly carries: BytesPerSecond;
  /** γ: the throughput of its reduce engine. */
  readonly throughput: BytesPerSecond;
  readonly sends: BytesPerSecond;
  readonly receives: BytesPerSecond;
  /** Bytes that it must send, and receive, in any plan. */
  readonly toSend: Bytes;
  readonly toReceive: Bytes;
  /** How long before the end, beside α, its work becomes useless. */
  readonly late: Seconds;
  /** Whether the last reduction may serve only the chip itself. */
  readonly isFinal: boolean;
}

/** All chips, their total work, and α. */
interface Work {
  readonly workers: readonly Worker[];
  readonly sent: Bytes;
  readonly reduced: Bytes;
  readonly latency: Seconds;
  /** Only one of the chips marked `isFinal` is exempt; the plan chooses which. */
  readonly oneIsFinal: boolean;
}

export function stoppedLinksBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  return (['out', 'in'] as const).flatMap((direction): Certificate[] => {
    const work = workOf(collective, facts, size, direction);
    if (work === undefined) return [];
    const { price, seconds } = bestPrice(work);
    if (seconds === 0) return [];
    const way = direction === 'out' ? 'leave' : 'enter';
    const through = formatBytesPerSecond(work.workers.reduce((sum, { carries, count }) => sum + carries * count, 0));
    const reason = `messages of ${formatBytes(work.sent)} in total must ${way} chips through ${through}, and ${formatBytes(work.reduced)} must be reduced while links are idle`;
    return [{ kind: 'stopped-links', seconds: work.latency + seconds, reason, witness: { direction, price } }];
  });
}

/** Undefined unless every chip stops its links while it reduces, and there is work to do. */
function workOf(
  collective: Collective,
  { topology, sends, receives, latencies, backwards }: MachineFacts,
  size: Bytes,
  direction: Direction,
): Work | undefined {
  const [sent, reduced] = [messageBytesInAll(collective, size), bytesReduced(collective, size)];
  const engines = topology.chips.map((chip): ReduceEngine | undefined => topology.nodes[chip].reduce);
  if (sent === 0 || reduced === 0 || engines.some((engine) => engine === undefined || engine.overlap)) return undefined;
  const { kind, root, ranks } = collective;
  const toRoot = kind === 'reduce' ? backwards.from(topology.chips[root]) : undefined;
  const latency = latencies.betweenAnyTwo();
  const last = kind === 'reduce' ? root : ranks - 1;
  const others = topology.chips.map((_, rank) => rank).slice(1);
  const workers = engines.map((engine, rank): Worker => {
    // All chips but this rank; the previous rank takes its place.
    if (rank > 0) others[rank - 1] = rank - 1;
    return {
      count: 1,
      carries: direction === 'out' ? sends[rank] : receives[rank],
      throughput: engine?.throughput ?? 0,
      sends: sends[rank],
      receives: receives[rank],
      toSend: bytesBetween(collective, size, [rank], others),
      toReceive: bytesBetween(collective, size, others, [rank]),
      late: toRoot === undefined ? 0 : Math.max(0, toRoot[topology.chips[rank]] - latency),
      isFinal: kind === 'reduce' || kind === 'scan' || kind === 'exscan' ? rank === last : true,
    };
  });
  const own = ({ toSend, toReceive }: Worker) => (direction === 'out' ? toSend : toReceive);
  const isAll = workers.reduce((sum, worker) => sum + own(worker), 0) >= sent * (1 - 1e-12);
  const counted = workers.map((worker) => (isAll && own(worker) === 0 ? { ...worker, carries: 0 } : worker));
  return { workers: grouped(counted), sent, reduced, latency, oneIsFinal: kind === 'allreduce' };
}

/** Merges chips with equal parameters. */
function grouped(workers: readonly Worker[]): Worker[] {
  const groups = new Map<string, Worker>();
  for (const worker of workers) {
    const name = Object.values({ ...worker, count: 1 }).join(' ');
    groups.set(name, { ...worker, count: 1 + (groups.get(name)?.count ?? 0) });
  }
  return [...groups.values()];
}

function bestPrice(work: Work): { price: number; seconds: Seconds } {
  let best = { price: 0, seconds: 0 };
  const consider = (price: number) => {
    const seconds = minTime(work, price);
    if (seconds > best.seconds) best = { price, seconds };
  };
  for (const price of pricesOf(work.workers)) consider(price);
  const [base, longest] = [best.price, best.seconds - work.latency];
  const reducing = work.workers.reduce((most, worker) => Math.max(most, longestWork(worker, longest)), 0);
  // The price at which a reduction is worth its latency.
  if (reducing > 0) consider(base * (1 + work.latency / reducing));
  return best;
}

/** Values of B/γ of the chips, sampled evenly. */
function pricesOf(workers: readonly Worker[]): number[] {
  const ratios = workers.map(({ carries, throughput }) => carries / throughput);
  const different = [...new Set(ratios)].filter((ratio) => ratio > 0).sort((a, b) => a - b);
  const stride = Math.ceil(different.length / searched.prices);
  return different.filter((_, index) => index % stride === 0 || index === different.length - 1);
}

/** Bisection for the T − α at which both sides of the inequality are equal; the right side increases with it. */
function minTime(work: Work, price: number): Seconds {
  const { workers, sent, reduced } = work;
  const wanted = sent + price * reduced;
  const latest = workers.reduce((most, { late }) => Math.max(most, late), 0);
  let open = latest + wanted / workers.reduce((sum, { carries, count }) => sum + carries * count, 0);
  if (!Number.isFinite(open)) return 0;
  let refuted = 0;
  for (let round = 0; round < 60; round++) {
    const middle = (refuted + open) / 2;
    if (worthOf(work, price, middle) < wanted) refuted = middle;
    else open = middle;
  }
  return refuted;
}

/** The value, at this price, of all that the chips can send and reduce in the given time. */
function worthOf({ workers, latency, oneIsFinal }: Work, price: number, time: Seconds): number {
  let [sum, least] = [0, Number.POSITIVE_INFINITY];
  for (const worker of workers) {
    const { count, carries, throughput, late, isFinal } = worker;
    const worth = (within: Seconds) =>
      carries * within + Math.max(0, price * throughput - carries) * longestWork(worker, within);
    const own = Math.max(0, time - late);
    if (isFinal && !oneIsFinal) {
      sum += count * worth(own);
      continue;
    }
    const passedOn = Math.max(carries * own, worth(Math.max(0, own - latency)));
    sum += count * passedOn;
    least = Math.min(least, worth(own) - passedOn);
  }
  return oneIsFinal ? sum + least : sum;
}

/** c_max: the longest time for which a chip can usefully reduce. */
function longestWork({ throughput, sends, receives, toSend, toReceive }: Worker, time: Seconds): Seconds {
  const afterSending = toSend === 0 ? time : time - toSend / sends;
  const afterReceiving = toReceive === 0 ? time : time - toReceive / receives;
  return Math.max(0, Math.min(afterSending, afterReceiving, (time * receives) / (receives + throughput)));
}
