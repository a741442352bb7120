/**
 * Messages and reductions together, where a chip neither sends nor receives while it reduces (`overlap: false`); the theorem stands in
 * certificates/stopped-links.ts, the proof in docs/bounds.md. The price p is searched for which the time that it refutes is longest.
 */
import type { Certificate, Direction } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import type { ReduceEngine } from '../../ir/topology.ts';
import { type Bytes, type BytesPerSecond, formatBytes, formatBytesPerSecond, type Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween, bytesReduced, messageBytesInAll } from '../needs.ts';

/** What one chip can do, and must, and how many there are like it. */
interface Worker {
  readonly count: number;
  /** B, what its links carry of W while it does not reduce; 0 if it need not send (or receive) anything. */
  readonly carries: BytesPerSecond;
  /** γ. */
  readonly throughput: BytesPerSecond;
  readonly sends: BytesPerSecond;
  readonly receives: BytesPerSecond;
  /** What it must send, and receive, in any case. */
  readonly toSend: Bytes;
  readonly toReceive: Bytes;
  /** How long before the end, and α, what it does can no longer be of use. */
  readonly late: Seconds;
  /** What it reduces may be for itself alone. */
  readonly isFinal: boolean;
}

/** All chips, what they have to do together, and α. */
interface Work {
  readonly workers: readonly Worker[];
  readonly sent: Bytes;
  readonly reduced: Bytes;
  readonly latency: Seconds;
  /** One of those that are final may be: which one is for the plan to choose. */
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
    const reason = `messages of ${formatBytes(work.sent)} in all must ${way} chips through ${through}, and ${formatBytes(work.reduced)} be reduced, while links are idle`;
    return [{ kind: 'stopped-links', seconds: work.latency + seconds, reason, witness: { direction, price } }];
  });
}

/** Undefined unless every chip stops its links while it reduces, and there is something to do. */
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
    // All but this rank: the one before takes its place.
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

/** Those that are alike together. */
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
  // The price at which reducing is worth its α.
  if (reducing > 0) consider(base * (1 + work.latency / reducing));
  return best;
}

/** B/γ of the chips, evenly thinned out. */
function pricesOf(workers: readonly Worker[]): number[] {
  const ratios = workers.map(({ carries, throughput }) => carries / throughput);
  const different = [...new Set(ratios)].filter((ratio) => ratio > 0).sort((a, b) => a - b);
  const stride = Math.ceil(different.length / searched.prices);
  return different.filter((_, index) => index % stride === 0 || index === different.length - 1);
}

/** The T − α at which both sides are equal, by halving: the right side grows with it. */
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

/** What all that chips can send and reduce in the time is worth. */
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

/** c_max. */
function longestWork({ throughput, sends, receives, toSend, toReceive }: Worker, time: Seconds): Seconds {
  const afterSending = toSend === 0 ? time : time - toSend / sends;
  const afterReceiving = toReceive === 0 ? time : time - toReceive / receives;
  return Math.max(0, Math.min(afterSending, afterReceiving, (time * receives) / (receives + throughput)));
}
