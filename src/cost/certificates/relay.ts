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
import type { Witnesses } from '../../ir/certificate.ts';
import type { BytesPerSecond, Seconds } from '../../ir/units.ts';
import { area } from './area.ts';
import { isForAll } from './demands.ts';
import { mostStraight, slotsInto } from './direct.ts';
import { sumOf } from './machine.ts';
import { allBut, type Question } from './question.ts';

/** Whether a plan that takes less than this would leave too little room in the slots of the root and of one of the chips. */
export function provesRelay(
  done: Seconds,
  { root, direction, chips }: Witnesses['relay'],
  question: Question,
): boolean {
  const { size } = question;
  if (chips.length === 0 || chips.includes(root) || size === 0 || !isForAll(root, direction, question)) return false;
  const machine = direction === 'out' ? question.machine : question.machine.turned();
  const part = machine.partAround(machine.chips[chips[0]], machine.chips[root]);
  if (chips.some((rank) => !part.has(machine.chips[rank]))) return false;
  const first = slotsInto(part, root, machine);
  const last = chips.map((rank) => machine.slots(rank, 'in'));
  if (first === undefined || last.includes(undefined)) return false;
  const distances = machine.latencies([root]);
  const toLast = Math.min(...chips.map((rank) => machine.latencies(allBut(rank, question))[rank]));
  const [sent, taken] = [sumOf(first.slots), Math.max(...last.map((of) => sumOf(of ?? [])))];
  const apart = Math.min(...chips.map((rank) => distances[rank])) - first.latency - toLast;
  const between = Math.max(0, apart);
  const direct = mostStraight(done, first.slots, chips, root, part, machine, size);
  const uncounted = direct * (direct / Math.min(...first.slots) + Math.max(0, -apart));
  const roomAt = (bandwidth: BytesPerSecond, latency: Seconds, window: Seconds, free: number) =>
    bandwidth * (window ** 2 / 2 - area(window - free / bandwidth, latency));
  const room = (window: Seconds, free: number) =>
    roomAt(sent, first.latency, window, free) + roomAt(taken, toLast, window, free);
  const least = size / Math.min(sent, taken);
  const windows = [least, done - between];
  const isTooLittle = (left: number, window: Seconds) => left <= size * window * (1 + 1e-9);
  return (
    done < least + between ||
    windows.every((window) => isTooLittle(room(window, 0) + uncounted, window)) ||
    windows.every((window) => isTooLittle(room(window, direct), window))
  );
}
