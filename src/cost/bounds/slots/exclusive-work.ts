/**
 * Messages and reductions together, where reduce engines do not overlap with links (`overlap: false`): while a chip reduces it
 * neither sends nor receives. A chip that reduces for c seconds sends at most B·(T − α − c) bytes, B over all its links: in each
 * stretch of time without a reduction the last message pays its α. Take T' = T − α.
 *
 * Let W bytes of messages be sent in all by some of the chips (those that must send any), and R bytes be reduced. For any price
 * p ≥ 0, in bytes sent for a byte reduced, with B = 0 for the other chips,
 *
 *   W + pR ≤ Σ B·(T' − c) + p·Σ γ·c ≤ Σ B·T' + Σ max(0, pγ − B)·c_max,
 *
 * where c_max is the longest that a chip can reduce: it has s bytes of its own to send and s' to receive, so c ≤ T' − s/B
 * and c ≤ T' − s'/B', B' being what it can receive; and what it reduces of one result it has received, but for its own
 * contribution, so γ·c ≤ B'·(T' − c). A T' for which the right side is less is refuted. The best p is B/γ of some chip. The
 * same holds of what chips receive.
 *
 * Of a reduce only what goes into the result counts. What a chip sends or reduces at the least Σα of d from the root can only be in it if
 * its bytes have left, or the reduction has ended, by T − d. So that chip has T' less d − α.
 */

import type { Certificate } from '../../../ir/certificate.ts';
import type { Collective } from '../../../ir/collective.ts';
import type { ReduceEngine } from '../../../ir/topology.ts';
import { type Bytes, type BytesPerSecond, formatBytes, formatBytesPerSecond, type Seconds } from '../../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween, bytesReduced, messageBytesInAll } from '../needs.ts';
import type { Direction } from './exclusive-slots.ts';

/** Prices that are tried. */
const mostPrices = 16;

/** What one chip can do, and must. */
interface Worker {
  /** B, what its links carry of W while it does not reduce; 0 if it need not send (or receive) anything. */
  readonly carries: BytesPerSecond;
  /** γ. */
  readonly throughput: BytesPerSecond;
  readonly sends: BytesPerSecond;
  readonly receives: BytesPerSecond;
  /** s. */
  readonly toSend: Bytes;
  /** s'. */
  readonly toReceive: Bytes;
  /** How long before the end, and α, what it does can no longer be of use. */
  readonly late: Seconds;
}

export function exclusiveWorkBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const reduced = bytesReduced(collective, size);
  if (reduced === 0) return [];
  const alpha = facts.latencies.betweenAnyTwo();
  return (['out', 'in'] as const).flatMap((direction): Certificate[] => {
    const bytes = messageBytesInAll(collective, size);
    const workers = workersOf(collective, facts, size, bytes, direction);
    if (workers === undefined || bytes === 0) return [];
    const certificates: Certificate[] = [];
    const best = bestPrice(workers, bytes, reduced);
    const work = `${formatBytes(reduced)} be reduced, while links are idle`;
    if (best.seconds > 0) {
      const way = direction === 'out' ? 'leave' : 'enter';
      const through = formatBytesPerSecond(workers.reduce((sum, { carries }) => sum + carries, 0));
      const reason = `messages of ${formatBytes(bytes)} in all must ${way} chips through ${through}, and ${work}`;
      const witness = { direction, price: best.price };
      certificates.push({ kind: 'stopped-links', seconds: alpha + best.seconds, reason, witness });
    }
    return certificates;
  });
}

function bestPrice(workers: readonly Worker[], bytes: Bytes, reduced: Bytes): { price: number; seconds: Seconds } {
  let best = { price: 0, seconds: 0 };
  for (const price of pricesOf(workers)) {
    const seconds = leastTime(workers, price, bytes, reduced);
    if (seconds > best.seconds) best = { price, seconds };
  }
  return best;
}

/** Undefined unless every chip stops its links while it reduces. */
function workersOf(
  collective: Collective,
  { topology, sends, receives, latencies, backwards }: MachineFacts,
  size: Bytes,
  bytes: Bytes,
  direction: Direction,
): Worker[] | undefined {
  const toRoot = collective.kind === 'reduce' ? backwards.from(topology.chips[collective.root]) : undefined;
  const least = latencies.betweenAnyTwo();
  const others = topology.chips.map((_, rank) => rank).slice(1);
  const engines = topology.chips.map((chip): ReduceEngine | undefined => topology.nodes[chip].reduce);
  const workers: Worker[] = [];
  for (const [rank, engine] of engines.entries()) {
    if (engine === undefined || engine.overlap) return undefined;
    // All but this rank: the one before takes its place.
    if (rank > 0) others[rank - 1] = rank - 1;
    const bandwidth = direction === 'out' ? sends[rank] : receives[rank];
    workers.push({
      carries: bandwidth,
      throughput: engine.throughput,
      sends: sends[rank],
      receives: receives[rank],
      toSend: bytesBetween(collective, size, [rank], others),
      toReceive: bytesBetween(collective, size, others, [rank]),
      late: toRoot === undefined ? 0 : Math.max(0, toRoot[topology.chips[rank]] - least),
    });
  }
  const own = ({ toSend, toReceive }: Worker) => (direction === 'out' ? toSend : toReceive);
  const isAll = workers.reduce((sum, worker) => sum + own(worker), 0) >= bytes * (1 - 1e-12);
  return isAll ? workers.map((worker) => (own(worker) === 0 ? { ...worker, carries: 0 } : worker)) : workers;
}

/** B/γ of the chips, evenly thinned out. */
function pricesOf(workers: readonly Worker[]): number[] {
  const ratios = workers.map(({ carries, throughput }) => carries / throughput);
  const different = [...new Set(ratios)].filter((ratio) => ratio > 0).sort((a, b) => a - b);
  const stride = Math.ceil(different.length / mostPrices);
  return different.filter((_, index) => index % stride === 0 || index === different.length - 1);
}

/** The T' at which both sides are equal, by halving: the right side grows with it. */
function leastTime(workers: readonly Worker[], price: number, bytes: Bytes, reduced: Bytes): Seconds {
  const room = (time: Seconds) =>
    workers.reduce((sum, worker) => {
      const { carries, throughput, late } = worker;
      const own = Math.max(0, time - late);
      return sum + carries * own + Math.max(0, price * throughput - carries) * longestWork(worker, own);
    }, 0);
  const wanted = bytes + price * reduced;
  const latest = workers.reduce((most, { late }) => Math.max(most, late), 0);
  let open = latest + wanted / workers.reduce((sum, { carries }) => sum + carries, 0);
  if (!Number.isFinite(open)) return 0;
  let refuted = 0;
  for (let round = 0; round < 60; round++) {
    const middle = (refuted + open) / 2;
    if (room(middle) < wanted) refuted = middle;
    else open = middle;
  }
  return refuted;
}

/** c_max. */
function longestWork({ throughput, sends, receives, toSend, toReceive }: Worker, time: Seconds): Seconds {
  const afterSending = toSend === 0 ? time : time - toSend / sends;
  const afterReceiving = toReceive === 0 ? time : time - toReceive / receives;
  return Math.max(0, Math.min(afterSending, afterReceiving, (time * receives) / (receives + throughput)));
}
