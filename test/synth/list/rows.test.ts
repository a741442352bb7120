/** Trees over rows of chips behind switches. */
import { describe, expect, it } from 'vitest';
import { collectiveFacts } from '../../../src/ir/collective.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology, withoutChip, withoutLink } from '../../../src/read/index.ts';
import { candidatesOn, provedSeconds, reasonsOn, type Wanted } from './support.ts';

function treesOn(machine: string | Topology, wanted: Wanted) {
  return candidatesOn(machine, wanted).filter(
    ({ name }) => name.startsWith('list-rows') || name.endsWith('(tree over a row)'),
  );
}

function secondsOn(machine: string | Topology, wanted: Wanted & { readonly size: number }): number {
  const [candidate] = treesOn(machine, wanted);
  return provedSeconds(candidate.build(1), machine, wanted.size);
}

const lineOf = (chips: number) => withoutLink(resolveTopology(`routed-ring:${chips}`), 'switch 0', 'switch 1');

interface Sent {
  readonly links: readonly number[];
  readonly until: number;
}

/** The least time in which all hear from the root when each tells one at a time, and no message waits for another: everything is tried. */
function soonest(topology: Topology, root: number, bytes: number): number {
  const routes = Routes.of(topology);
  let least = Number.POSITIVE_INFINITY;
  /** @param free when those who have heard can tell someone else, by rank; Infinity for those who will not */
  const tell = (free: ReadonlyMap<number, number>, sent: readonly Sent[], end: number): void => {
    if (end >= least) return;
    if (free.size === topology.chips.length) {
      least = end;
      return;
    }
    const [[from, now]] = [...free].sort((a, b) => a[1] - b[1]);
    if (now === Number.POSITIVE_INFINITY) return;
    for (let to = 0; to < topology.chips.length; to++) {
      const route = free.has(to) ? undefined : routes.between(from, to);
      if (route === undefined) continue;
      const until = now + route.latency + bytes / route.bandwidth;
      const waits = sent.some(
        (other) => other.until > now * (1 + 1e-9) && other.links.some((link) => route.links.includes(link)),
      );
      if (waits) continue;
      const message = { links: route.links, until };
      tell(new Map([...free, [from, until], [to, until]]), [...sent, message], Math.max(end, until));
    }
    tell(new Map([...free, [from, Number.POSITIVE_INFINITY]]), sent, end);
  };
  tell(new Map([[root, 0]]), [], 0);
  return least;
}

/**
 * The same where no two messages cross, for one of routers in a row with so many to its left and right, 1 µs apart and as far from their chips: over all
 * receivers and all parts that can be handed over to them.
 */
function soonestApart(leftOf: number, rightOf: number, sending: number, known = new Map<string, number>()): number {
  if (leftOf + rightOf === 0) return 0;
  const key = `${leftOf} ${rightOf}`;
  let least = known.get(key) ?? Number.POSITIVE_INFINITY;
  if (Number.isFinite(least)) return least;
  const rest = (left: number, right: number) => soonestApart(left, right, sending, known);
  for (const [here, there] of [
    [leftOf, rightOf],
    [rightOf, leftOf],
  ]) {
    for (let distance = 1; distance <= there; distance++) {
      for (let kept = 0; kept < distance; kept++) {
        const later = Math.max(rest(here, kept), rest(distance - kept - 1, there - distance));
        least = Math.min(least, (distance + 2) * 1e-6 + sending + later);
      }
    }
  }
  known.set(key, least);
  return least;
}

describe('trees over rows', () => {
  it.each(['broadcast', 'reduce', 'scatter', 'gather', 'allreduce'] as const)(
    'makes a proved %s on machines with switches, whatever they lost',
    (kind) => {
      const machines = [
        resolveTopology('routed-ring:7'),
        withoutChip(resolveTopology('routed-ring:8'), 3),
        lineOf(6),
        resolveTopology('fattree:3,2,2'),
        resolveTopology('dragonfly:3,2,1'),
      ];
      for (const machine of machines) {
        for (const root of collectiveFacts[kind].rooted ? [0, 4] : [0]) {
          const candidates = treesOn(machine, { kind, root, size: 2 ** 10 });
          expect(candidates).toHaveLength(1);
          for (const { build } of candidates)
            for (const multiple of [1, 3]) provedSeconds(build(multiple), machine, 2 ** 10);
        }
      }
    },
  );

  it.each([0, 10_000, 100_000])('tells all as soon as can be on rings and lines of routers, %i bytes', (size) => {
    for (const root of [0, 1, 5]) {
      for (const machine of [resolveTopology('routed-ring:6'), lineOf(6)]) {
        const least = soonest(machine, root, size);
        expect(secondsOn(machine, { kind: 'broadcast', root, size })).toBeCloseTo(least, 12);
      }
    }
  });

  it.each([0, 50_000])('finds the best part to hand over, %i bytes', (size) => {
    const sending = size / 10e9;
    const least = soonestApart(11, 12, sending);
    expect(secondsOn('routed-ring:24', { kind: 'broadcast', size })).toBeCloseTo(least, 12);
    // Rank 0 stands at one end of what is left of the ring.
    expect(secondsOn(lineOf(24), { kind: 'broadcast', size })).toBeCloseTo(soonestApart(0, 23, sending), 12);
  });

  it('reduces as fast as it tells, and what is reduced on the way besides', () => {
    const [bandwidth, throughput] = [10e9, 50e9];
    const size = 50_000;
    // As many bytes more as could be sent while one message is reduced.
    const least = soonest(resolveTopology('routed-ring:6'), 0, size + (size * bandwidth) / throughput);
    expect(secondsOn('routed-ring:6', { kind: 'reduce', size })).toBeCloseTo(least, 12);
  });

  it('hands few bytes on in few messages, and many at once to whom they are for', () => {
    // Without bytes it is a broadcast.
    const least = soonest(lineOf(6), 0, 0);
    expect(secondsOn(lineOf(6), { kind: 'scatter', size: 0 })).toBeCloseTo(least, 12);
    const size = 2 ** 30;
    const shard = size / 9 / 10e9;
    const seconds = secondsOn('routed-ring:9', { kind: 'scatter', size });
    expect(seconds).toBeGreaterThan(8 * shard);
    expect(seconds).toBeLessThan(8 * shard + 40e-6);
  });

  it.each(['switch:8', 'ring:8', 'a100:2'])(
    'leave %s to others, where chips are as near or send several messages at once',
    (machine) => {
      expect(treesOn(machine, { kind: 'broadcast' })).toEqual([]);
    },
  );

  it('say why there are none', () => {
    expect(reasonsOn('routed-ring:200', { kind: 'reduce' }).join()).toContain('more than 128 ranks');
    expect(treesOn('routed-ring:8', { kind: 'reduce', ordered: true })).toEqual([]);
  });
});
