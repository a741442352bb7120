/** A side that ranks are moved to and from against the same side counted from scratch. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChangingSide } from '../../src/bounds/cuts/changing-side.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { drawn } from '../draw.ts';
import { link, machine } from '../model/machines.ts';
import { randomMachine } from '../model/random.ts';

/** Ranks, and the switches that have most of their bandwidth to what is inside, all that do at once. */
function insideWith(held: ReadonlySet<number>, { nodes, links, chips }: Topology): Set<number> {
  const inside = new Set(held);
  const isPulled = (node: number) => {
    const own = links.filter((l) => l.from === node || l.to === node);
    const pull = own.map((l) => (inside.has(l.from === node ? l.to : l.from) ? l.bandwidth : -l.bandwidth));
    return !inside.has(node) && pull.reduce((a, b) => a + b, 0) > 0;
  };
  for (;;) {
    const pulled = [...nodes.keys()].slice(chips.length).filter(isPulled);
    if (pulled.length === 0) return inside;
    for (const node of pulled) inside.add(node);
  }
}

function expectCounted(side: ChangingSide, held: ReadonlySet<number>, topology: Topology): void {
  const inside = insideWith(held, topology);
  const through = (from: boolean, to: boolean) =>
    topology.links
      .filter((l) => inside.has(l.from) === from && inside.has(l.to) === to)
      .reduce((sum, l) => sum + l.bandwidth, 0);
  const pairs = topology.chips.slice(1).map((rank) => [held.has(rank - 1), held.has(rank)]);
  expect([...side.inside.keys()].filter((node) => side.inside[node] === 1)).toEqual([...inside].sort((a, b) => a - b));
  expect([...side.holders.keys()].filter((rank) => side.holders[rank] === 1)).toEqual([...held].sort((a, b) => a - b));
  expect([side.outward, side.inward]).toEqual([through(true, false), through(false, true)]);
  expect(side.held).toBe(held.size);
  expect(side.lefts).toBe(pairs.filter(([before, after]) => before && !after).length);
  expect(side.entries).toBe(pairs.filter(([before, after]) => !before && after).length);
}

function expectAllCounted(topology: Topology, first: readonly number[], flips: readonly number[]): void {
  const side = new ChangingSide(topology);
  const held = new Set(first);
  side.begin(held);
  expectCounted(side, held, topology);
  for (const rank of flips) {
    side.flip(rank);
    if (!held.delete(rank)) held.add(rank);
    expectCounted(side, held, topology);
  }
}

it('is counted as if from scratch whatever ranks change sides', () => {
  const ranks = fc.uniqueArray(fc.nat(4));
  fc.assert(
    fc.property(randomMachine(5), ranks, fc.array(fc.nat(4), { maxLength: 12 }), (topology, first, flips) => {
      expectAllCounted(topology, first, flips);
    }),
    drawn(200),
  );
});

it('loses switches that hold each other', () => {
  // Switch 3 comes in with chips 0 and 1, and switch 4 with it. Without chip 0 each would be held by the other.
  const pairs = [
    [0, 3, 3],
    [1, 3, 3],
    [3, 4, 4],
    [2, 4, 3],
  ] as const;
  const links = pairs.flatMap(([a, b, bandwidth]) => [link(a, b, { bandwidth }), link(b, a, { bandwidth })]);
  expectAllCounted(machine(3, links, {}, 2), [0, 1], [0]);
});
