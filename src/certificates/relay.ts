/**
 * Theorem (docs/bounds.md, *Relays*). All other ranks need M bytes of the root. Let the root have slots of B together and chips F have some, of
 * B′ at most: with the least Σα a of the root's messages, a′ of those into F and λ between the two, δ = max(0, λ − a − a′),
 * σ = max(0, a + a′ − λ) and W = T − δ, there is a D, no more than what one of F can get straight from the root (direct.ts), for which
 *
 *   (1)   M·W ≤ B·(W²/2 − area(W, a)) + B′·(W²/2 − area(W, a′)) + D·(D/β + σ)         β: the root's slowest slot
 *   (2)   M·W ≤ B·(W²/2 − area(W − D/B, a)) + B′·(W²/2 − area(W − D/B′, a′))
 *
 * and W ≥ M / min(B, B′). Right less left is convex in W: T is refuted if (1) fails at both ends, or (2) does. In a part of the machine
 * that only the root joins, the root's blocking links to there are its slots. Where the root needs M of all (`in`): the machine turned round.
 */
import type { Witnesses } from '../ir/certificate.ts';
import type { BytesPerSecond, Seconds } from '../ir/units.ts';
import { checkedStaggeredArea } from './area.ts';
import { relayed } from './direct.ts';
import { sumOf } from './machine.ts';
import type { Question } from './question.ts';

/** Whether a plan that takes less than this would leave too little room in the slots of the root and of one of the chips. */
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
