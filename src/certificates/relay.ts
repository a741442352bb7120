/**
 * Theorem (docs/bounds.md, *Relays*). The intuition: the root cannot send everything to everybody itself, so that some chips forward data, and a
 * chip can only forward what it has received before. A time T is too short if the root and the best forwarders, working from the earliest
 * moment at which each has something to send, cannot move all bytes. In symbols: all other ranks need M bytes from the root. Let the root's slots have bandwidth B together, and those of each
 * chip of a set F at most B′ together. Let a be the min Σα of messages from the root, a′ that of messages into F, λ that from the root to F,
 * δ = max(0, λ − a − a′), σ = max(0, a + a′ − λ) and W = T − δ. Then some D, at most what one chip of F can get directly from the root by T
 * (direct.ts), satisfies both
 *
 *   (1)   M·W ≤ B·(W²/2 − area(W, a)) + B′·(W²/2 − area(W, a′)) + D·(D/β + σ)         β: the root's slowest slot
 *   (2)   M·W ≤ B·(W²/2 − area(W − D/B, a)) + B′·(W²/2 − area(W − D/B′, a′))
 *
 * (area: area.ts), and W ≥ M / min(B, B′). The right sides minus the left sides are convex in W, so T is refuted if (1) fails at both ends of the
 * possible values of W, or if (2) does. Where F lies in a part of the machine that only the root joins to the rest, the root's blocking links into
 * that part count as its slots. If the root needs M bytes from all others (`in`), the theorem is applied to the transposed machine.
 */
import type { Witnesses } from '../ir/certificate.ts';
import type { BytesPerSecond, Seconds } from '../ir/units.ts';
import { checkedStaggeredArea } from './area.ts';
import { relayed } from './direct.ts';
import { sumOf } from './machine.ts';
import type { Question } from './question.ts';

/** Whether `done` seconds are refuted: in less time, the slots of the root and of some chip of F cannot carry M bytes. */
export function provesRelay(done: Seconds, witness: Witnesses['relay'], question: Question): boolean {
  const { size } = question;
  const found = relayed(witness, question);
  if (found === undefined) return false;
  const { first, last, apart, mostStraight } = found;
  const [sent, taken] = [sumOf(first.slots), Math.max(...last.slots.map(sumOf))];
  const between = Math.max(0, apart);
  const direct = mostStraight(done);
  const uncounted = direct * (direct / Math.min(...first.slots) + Math.max(0, -apart));
  const roomAt = (bandwidth: BytesPerSecond, latency: Seconds, window: Seconds, free: number) =>
    bandwidth * (window ** 2 / 2 - checkedStaggeredArea(window - free / bandwidth, latency));
  const room = (window: Seconds, free: number) =>
    roomAt(sent, first.latency, window, free) + roomAt(taken, last.latency, window, free);
  const least = size / Math.min(sent, taken);
  const windows = [least, done - between];
  const isTooLittle = (left: number, window: Seconds) => left <= size * window * (1 + 1e-9);
  return (
    done < least + between ||
    windows.every((window) => isTooLittle(room(window, 0) + uncounted, window)) ||
    windows.every((window) => isTooLittle(room(window, direct), window))
  );
}
