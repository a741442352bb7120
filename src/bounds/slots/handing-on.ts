/**
 * Relay bound in turns: messages that chips forward only after they have arrived, in the best number of turns
 * (certificates/handing-on.ts).
 */
import type { Bytes, Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import { greatestRefuted } from './greatest-refuted.ts';
import type { Relay } from './relay-sets.ts';

/** The greatest refuted time T if that can exceed `most`; otherwise 0. */
export function handedOn(
  relay: Relay,
  size: Bytes,
  most: Seconds,
  mostDirect: (relay: Relay, size: Bytes, seconds: Seconds) => Bytes,
): Seconds {
  const allRelayed = minTime(relay, size, 0);
  if (!(allRelayed > most)) return 0;
  const isRefuted = (seconds: Seconds): boolean => {
    if (seconds >= allRelayed) return false;
    const direct = mostDirect(relay, size, seconds);
    return direct === 0 || (direct < size && seconds < minTime(relay, size, direct));
  };
  const shortest = size / Math.min(relay.sending.together, relay.receives);
  return isRefuted(shortest) ? greatestRefuted(shortest, isRefuted) : 0;
}

/** The minimum of δ + M/B′ + ℓ over all numbers of turns. */
function minTime(
  { sending, receives, lastLatency, lastSlowest, between, shortcut }: Relay,
  size: Bytes,
  direct: Bytes,
) {
  const ends = [
    { together: sending.together, latency: (sending.slowest * sending.latency) / sending.together },
    { together: receives, latency: (lastSlowest * lastLatency) / receives },
  ];
  // The same holds with time reversed.
  const [{ together, latency }, last] = ends.sort((a, b) => a.together - b.together);
  const ratio = together / last.together;
  const straight = Math.min(sending.slowest / sending.together, lastSlowest / receives);
  const held = direct > 0 ? (sending.latency + lastLatency - shortcut) * straight : 0;
  // With so many turns, latencies are negligible and the bound gains nothing.
  if (!(latency * searched.turns ** 2 > size / together)) return 0;
  const handedOn = (size - direct) / together;
  // Σρʲ < 1/(1 − ρ), and the term Σρʲ((s − j)A/B + (j + 1)A′/B′) increases with the number of turns.
  let [weight, weights, late, best] = [1, 0, 0, Number.POSITIVE_INFINITY];
  for (let turns = 1; handedOn * (1 - ratio) + late / Math.max(1, weights) < best; turns++) {
    weights += weight;
    late += weights * latency + turns * weight * last.latency;
    best = Math.min(best, (handedOn + late) / weights);
    weight *= ratio;
  }
  return between + size / last.together + held + best;
}
