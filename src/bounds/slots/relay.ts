/**
 * Relay bound for broadcasts, and collectives that contain one (roots.ts), where the root and the chips that it does
 * not serve directly have slots: few large messages cost waiting, many small ones cost latency. The theorems are in
 * certificates/relay.ts and certificates/handing-on.ts, the proofs in docs/bounds.md, *Relays* and *Handing on*. This
 * file chooses the chips for which they prove the most (relay-sets.ts).
 */
import type { Certificate, Direction } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { type Bytes, type BytesPerSecond, formatBytes, type Seconds } from '../../ir/units.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import { minStaggeredArea } from './area.ts';
import { greatestRefuted } from './greatest-refuted.ts';
import { handedOn } from './handing-on.ts';
import { type Entrance, type Relay, relaysFrom } from './relay-sets.ts';
import { rootsOf, transposedFacts } from './roots.ts';

interface Found {
  readonly seconds: Seconds;
  readonly relay: Relay;
  readonly root: number;
  readonly direction: Direction;
}

export function relayBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  if (size === 0 || collective.custom !== undefined) return [];
  const best: { relay: Found | undefined; 'handing-on': Found | undefined } = {
    relay: undefined,
    'handing-on': undefined,
  };
  for (const { root, direction } of rootsOf(collective, facts)) {
    const machine = direction === 'out' ? facts : transposedFacts(facts);
    for (const relay of once(machine, `relays ${root}`, () => relaysFrom(machine, root))) {
      const better = (than: Found | undefined, time: (relay: Relay, size: Bytes, most: Seconds) => Seconds) => {
        const seconds = time(relay, size, than?.seconds ?? 0);
        return seconds > (than?.seconds ?? 0) ? { seconds, relay, root, direction } : than;
      };
      best.relay = better(best.relay, minTime);
      best['handing-on'] = better(best['handing-on'], (...of) => handedOn(...of, maxDirect));
    }
  }
  return (['relay', 'handing-on'] as const).flatMap((kind) => {
    const found = best[kind];
    if (found === undefined) return [];
    const { seconds, relay, root, direction } = found;
    const reason = `${formatBytes(size)} must be relayed by chips between rank ${root} and the others: with few messages a relay waits for whole messages, with many it pays their latencies`;
    return [{ kind, seconds, reason, witness: { root, direction, chips: relay.chips } }];
  });
}

/**
 * The room is a difference of large numbers, known to about this part of BW². That exceeds all bytes where their
 * transfer time is negligible beside latencies.
 */
const rounding = 2 ** -46;

/** The greatest refuted time; 0 if none is. */
function minTime(relay: Relay, size: Bytes): Seconds {
  const shortest = relay.between + size / Math.min(relay.sending.together, relay.receives);
  const isTooShort = (seconds: Seconds) => isRefuted(relay, size, seconds);
  return isTooShort(shortest) ? greatestRefuted(shortest, isTooShort) : 0;
}

function isRefuted(relay: Relay, size: Bytes, seconds: Seconds): boolean {
  const { sending, receives, between } = relay;
  const direct = maxDirect(relay, size, seconds);
  const uncounted = direct * (direct / sending.slowest + relay.shortcut);
  const room = (bandwidth: BytesPerSecond, latency: Seconds, window: Seconds, free: Bytes) =>
    bandwidth * (window ** 2 / 2 - minStaggeredArea(window - free / bandwidth, latency));
  const rooms = (window: Seconds, free: Bytes) =>
    room(sending.together, sending.latency, window, free) + room(receives, relay.lastLatency, window, free);
  const windows = [size / Math.min(sending.together, receives), seconds - between];
  const wanted = (window: Seconds) => size * window - rounding * (sending.together + receives) * window ** 2;
  return (
    windows.every((window) => rooms(window, 0) + uncounted < wanted(window)) ||
    windows.every((window) => rooms(window, direct) < wanted(window))
  );
}

/** D: the most bytes that one chip of the set can get straight from the root in the given time. */
function maxDirect({ chips, sending, distances, passing }: Relay, size: Bytes, seconds: Seconds): Bytes {
  const entering = (links: readonly Entrance[]) =>
    links.reduce((sum, { bandwidth, latency }) => sum + bandwidth * Math.max(0, seconds - latency), 0);
  const sent = Math.max(0, sending.together * seconds - sending.slowest * distances);
  const passed = passing?.reduce((sum, links) => sum + Math.max(0, entering(links) - size), 0);
  return Math.min(sent, passed ?? sent) / chips.length;
}
