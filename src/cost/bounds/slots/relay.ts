/**
 * Broadcast (and backwards in time reduce; allreduce and scans do what these do, and more) where the root and the chips that it does not serve itself have slots
 * (exclusive-slots.ts). A message is at hand only when all of it has come, so a chip that sends on starts late, and few large
 * messages cost waiting where many small ones cost latencies.
 *
 * Take chips F, of which v gets the fewest bytes in messages directly from the root, D; any other byte leaves the root in one
 * message and enters v in a later one. Let a and a' be the least Σα of a message from the root and of one to v, λ the least
 * Σα between the two, δ = max(0, λ − a − a'). Count a message of the root as through when its slot was busy with it for
 * a + n/β, and one to v as begun a' + n/β before it ends. Then for every t each relayed byte is through by t − δ or begins
 * after t. A slot of bandwidth β is behind βt by the latencies of all its messages so far and by the bytes of the one under
 * way: over W seconds by at least β·area(W, a) in all, where area(W, a) is the least of Σ wᵢ(i − 1)a + wᵢ²/2 over all w with
 * Σ wᵢ = W (the i-th message takes wᵢ): wᵢ = max(0, θ − (i − 1)a). The same holds for v, backwards from T. With σ =
 * max(0, a + a' − λ), a direct message of n bytes is counted neither as through nor as begun for n/β + σ at most, β that of
 * the root's slowest slot. With B and B' what root and v can send and receive, integrating over δ ≤ t ≤ T gives for W = T − δ
 *
 *   M·W ≤ B·(W²/2 − area(W, a)) + B'·(W²/2 − area(W, a')) + D·(D/β + σ).                                                  (1)
 *
 * Where D is large, this is better: what a direct message is behind itself, in both slots, makes up for its being counted in neither, but
 * for as much as messages of no bytes are behind. So it is such a message, and the slots' time for its bytes is free. As area is convex,
 *
 *   M·W ≤ B·(W²/2 − area(W − D/B, a)) + B'·(W²/2 − area(W − D/B', a')).                                                    (2)
 *
 * In both the right side less the left is convex in W, and W ≥ M / min(B, B') by the cuts around the root and v (cut.ts): so where
 * either is negative for that W and for T − δ, no plan takes T or less.
 *
 * D: if v gets anything directly, so does every chip of F, in a message that holds a slot of the root for the least Σα between the two as
 * well as for its bytes. So |F|·D ≤ B·T − (β of the root's slowest slot)·Σ of these Σα, or D is 0. If none of F is next to the root,
 * each direct message passes a chip u that is (over switches, or none). Over a link into u, of bandwidth β, come β·max(0, T − a)
 * bytes at most, with the least Σα from the root through it for a (as in cut.ts); u needs M of them in messages to itself. So |F|·D is
 * not more than what is left of them, over all u, either.
 *
 * Where the machine falls into parts without the root, F is in one of them, and the root's links to there, if they block, are its slots:
 * what comes into that part from anywhere takes one of them, and a byte's last message that does so is the one that leaves the root.
 */

import type { Certificate } from '../../../ir/certificate.ts';
import type { Collective } from '../../../ir/collective.ts';
import { type Bytes, type BytesPerSecond, formatBytes, type Seconds } from '../../../ir/units.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import { area } from './area.ts';
import type { Direction } from './exclusive-slots.ts';
import { type Entrance, type Relay, relaysFrom } from './relay-sets.ts';
import { rootsOf, turnedRound } from './roots.ts';

export function relayBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  if (size === 0 || collective.custom !== undefined) return [];
  let best: { readonly relay: Relay; readonly root: number; readonly direction: Direction } | undefined;
  let most = 0;
  for (const { root, direction } of rootsOf(collective, facts)) {
    const machine = direction === 'out' ? facts : turnedRound(facts);
    for (const relay of once(machine, `relays ${root}`, () => relaysFrom(machine, root))) {
      const seconds = leastTime(relay, size);
      if (seconds <= most) continue;
      best = { relay, root, direction };
      most = seconds;
    }
  }
  if (best === undefined) return [];
  const { root, direction } = best;
  const reason = `${formatBytes(size)} pass chips between rank ${root} and the others: few messages mean waiting for whole ones, many mean latencies`;
  return [{ kind: 'relay', seconds: most, reason, witness: { root, direction, chips: best.relay.chips } }];
}

/** Room is a difference: it is known to about this part of BW², which is more than all bytes where these take next to nothing beside latencies. */
const rounding = 2 ** -46;

/** The greatest T that is refuted, by halving; 0 if none is. */
function leastTime(relay: Relay, size: Bytes): Seconds {
  const shortest = relay.between + size / Math.min(relay.sending.together, relay.receives);
  if (!isRefuted(relay, size, shortest)) return 0;
  let refuted = shortest;
  let open = 2 * shortest;
  while (isRefuted(relay, size, open)) open *= 2;
  for (let round = 0; round < 50; round++) {
    const middle = (refuted + open) / 2;
    if (isRefuted(relay, size, middle)) refuted = middle;
    else open = middle;
  }
  return refuted;
}

function isRefuted(relay: Relay, size: Bytes, seconds: Seconds): boolean {
  const { sending, receives, between } = relay;
  const direct = mostDirect(relay, size, seconds);
  const uncounted = direct * (direct / sending.slowest + relay.shortcut);
  const room = (bandwidth: BytesPerSecond, latency: Seconds, window: Seconds, free: Bytes) =>
    bandwidth * (window ** 2 / 2 - area(window - free / bandwidth, latency));
  const rooms = (window: Seconds, free: Bytes) =>
    room(sending.together, sending.latency, window, free) + room(receives, relay.lastLatency, window, free);
  const windows = [size / Math.min(sending.together, receives), seconds - between];
  const wanted = (window: Seconds) => size * window - rounding * (sending.together + receives) * window ** 2;
  return (
    windows.every((window) => rooms(window, 0) + uncounted < wanted(window)) ||
    windows.every((window) => rooms(window, direct) < wanted(window))
  );
}

/** D. */
function mostDirect({ chips, sending, distances, passing }: Relay, size: Bytes, seconds: Seconds): Bytes {
  const entering = (links: readonly Entrance[]) =>
    links.reduce((sum, { bandwidth, latency }) => sum + bandwidth * Math.max(0, seconds - latency), 0);
  const sent = Math.max(0, sending.together * seconds - sending.slowest * distances);
  const passed = passing?.reduce((sum, links) => sum + Math.max(0, entering(links) - size), 0);
  return Math.min(sent, passed ?? sent) / chips.length;
}
