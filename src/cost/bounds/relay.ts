/**
 * Broadcast (and backwards in time reduce) where the root and the chips that it does not serve itself have slots
 * (exclusive-slots.ts). A message is at hand only when all of it has come, so a chip that sends on starts late, and few large
 * messages cost waiting where many small ones cost latencies.
 *
 * Take chips F, of which v gets the fewest bytes in messages directly from the root: D ≤ B·T/|F|, with B what the root can send.
 * Any other byte leaves the root in one message and enters v in a later one. Let a and a' be the least Σα of a message from the
 * root and of one to v, λ the least Σα between the two, δ = max(0, λ − a − a'). Count a message of the root as through
 * when its slot was busy with it for a + n/β, and one to v as begun a' + n/β before it ends. Then for every t each such byte
 * is through by t − δ or begins after t, so with E(t − δ) and V(t) for those bytes, M ≤ E(t − δ) + V(t). A slot of bandwidth β
 * is behind βt by the latencies of all its messages so far, and by the bytes of the one under way: over W seconds by at least
 * β·area(W, a) in all, where area(W, a) is the least of Σ wᵢ(i − 1)a + wᵢ²/2 over all w with Σ wᵢ = W (the i-th message takes wᵢ):
 * wᵢ = max(0, θ − (i − 1)a). The same holds for v, backwards from T. A direct message of n bytes is in neither count for
 * n/β + max(0, a + a' − λ) at most. With B' what v can receive, integrating over δ ≤ t ≤ T gives for W = T − δ
 *
 *   M·W ≤ B·(W²/2 − area(W, a)) + B'·(W²/2 − area(W, a')) + D·(D/β + max(0, a + a' − λ)).
 *
 * The right side less the left is convex in W, and W ≥ M / min(B, B') by the cuts around the root and v (cut.ts): so where it is
 * negative for that W and for T − δ, no plan takes T or less.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import { ranksOf, transpose } from '../../ir/topology.ts';
import { type Bytes, type BytesPerSecond, formatBytes, type Seconds } from '../../ir/units.ts';
import { type Slots, slotsOfRank } from './exclusive-slots.ts';
import { type MachineFacts, machineFacts, once } from './machine-facts.ts';

/** Distances and bandwidths that sets of chips are made from. */
const mostThresholds = 12;

/** What the proof needs to know of the root and a set of chips: of the set, what is worst for the bound. */
interface Relay {
  readonly chips: readonly number[];
  readonly sending: Slots;
  /** B'. */
  readonly receives: BytesPerSecond;
  /** a'. */
  readonly lastLatency: Seconds;
  /** δ. */
  readonly between: Seconds;
  /** max(0, a + a' − λ). */
  readonly shortcut: Seconds;
}

export function relayBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { kind, root } = collective;
  if (size === 0 || (kind !== 'broadcast' && kind !== 'reduce')) return [];
  const machine = () => (kind === 'broadcast' ? facts : machineFacts(transpose(facts.topology)));
  const relays = once(facts, `relays ${kind} ${root}`, () => relaysFrom(machine(), root));
  let best: Relay | undefined;
  let most = 0;
  for (const relay of relays) {
    const seconds = leastTime(relay, size);
    if (seconds <= most) continue;
    best = relay;
    most = seconds;
  }
  if (best === undefined) return [];
  const reason = `${formatBytes(size)} pass chips between rank ${root} and the others: few messages mean waiting for whole ones, many mean latencies`;
  return [{ kind: 'combined', seconds: most, reason, witness: { relay: root, chips: best.chips } }];
}

function relaysFrom(facts: MachineFacts, root: number): Relay[] {
  const { topology } = facts;
  const sending = slotsOfRank(facts, root, 'out');
  if (sending === undefined) return [];
  const distance = facts.latencies.from(topology.chips[root]);
  const receivers = Array.from({ length: ranksOf(topology) }, (_, rank) => rank).flatMap((rank) => {
    const slots = rank === root ? undefined : slotsOfRank(facts, rank, 'in');
    return slots === undefined ? [] : [{ rank, slots, distance: distance[topology.chips[rank]] }];
  });
  const relays: Relay[] = [];
  for (const together of thresholds(receivers.map(({ slots }) => slots.together))) {
    for (const least of thresholds(receivers.map((receiver) => receiver.distance))) {
      const chosen = receivers.filter((r) => r.slots.together <= together && r.distance >= least);
      if (chosen.length === 0) continue;
      const lastLatency = Math.min(...chosen.map(({ slots }) => slots.latency));
      const nearest = Math.min(...chosen.map((receiver) => receiver.distance));
      const apart = nearest - sending.latency - lastLatency;
      relays.push({
        chips: chosen.map(({ rank }) => rank),
        sending,
        receives: Math.max(...chosen.map(({ slots }) => slots.together)),
        lastLatency,
        between: Math.max(0, apart),
        shortcut: Math.max(0, -apart),
      });
    }
  }
  return relays;
}

/** Different values, evenly thinned out. */
function thresholds(values: readonly number[]): number[] {
  const different = [...new Set(values)].sort((a, b) => a - b);
  const stride = Math.ceil(different.length / mostThresholds);
  return different.filter((_, index) => index % stride === 0 || index === different.length - 1);
}

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
  const { sending, receives } = relay;
  const direct = (sending.together * seconds) / relay.chips.length;
  const uncounted = direct * (direct / sending.slowest + relay.shortcut);
  const excess = (window: Seconds) =>
    sending.together * (window ** 2 / 2 - area(window, sending.latency)) +
    receives * (window ** 2 / 2 - area(window, relay.lastLatency)) +
    uncounted -
    size * window;
  return excess(size / Math.min(sending.together, receives)) < 0 && excess(seconds - relay.between) < 0;
}

/** The least of Σ wᵢ(i − 1)a + wᵢ²/2 where Σ wᵢ = W. */
function area(window: Seconds, latency: Seconds): number {
  if (latency === 0) return 0;
  // The most messages for which the last still takes time: W > a·k(k − 1)/2.
  const messages = Math.max(1, Math.ceil((1 + Math.sqrt(1 + (8 * window) / latency)) / 2) - 1);
  const longest = window / messages + ((messages - 1) * latency) / 2;
  const squares = ((messages - 1) * messages * (2 * messages - 1)) / 6;
  return (messages * longest ** 2 - latency ** 2 * squares) / 2;
}
