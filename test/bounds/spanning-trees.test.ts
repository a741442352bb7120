/** Trees of ranks against spanning trees of all the shortest ways between them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SpanningTrees } from '../../src/bounds/lengths/spanning-trees.ts';
import { TreeLengths } from '../../src/bounds/lengths/tree-lengths.ts';
import { DisjointSets } from '../../src/ir/disjoint-sets.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology, withoutChip } from '../../src/read/index.ts';
import { drawn } from '../draw.ts';
import { link, machine } from '../model/machines.ts';
import { randomMachine } from '../model/random.ts';

/** Lengths of the ways that a minimum spanning tree of these chips has, ascending. */
function waysOfTree({ nodes, links }: Topology, lengths: readonly number[], chips: readonly number[]): number[] {
  const between = nodes.map((_, a) => nodes.map((_, b) => (a === b ? 0 : Number.POSITIVE_INFINITY)));
  links.forEach(({ from, to }, index) => {
    between[from][to] = between[to][from] = Math.min(between[from][to], lengths[index]);
  });
  for (const via of nodes.keys()) {
    for (const row of between) for (const b of nodes.keys()) row[b] = Math.min(row[b], row[via] + between[via][b]);
  }
  const pairs = chips.flatMap((a) => chips.filter((b) => b < a).map((b) => ({ a, b, way: between[a][b] })));
  pairs.sort((x, y) => x.way - y.way);
  const joined = new DisjointSets(nodes.length);
  return pairs.filter(({ a, b, way }) => Number.isFinite(way) && joined.join(a, b)).map(({ way }) => way);
}

function expectMinimal(topology: Topology, lengths: readonly number[], ranks: readonly number[]): void {
  const trees = new SpanningTrees(topology);
  trees.setLengths(lengths);
  const joints = trees.span(ranks);
  const ways = joints.map((joint) => trees.length[joint]).sort((a, b) => a - b);
  expect(ways).toEqual(waysOfTree(topology, lengths, ranks));
  const joined = new DisjointSets(topology.nodes.length);
  let total = 0;
  trees.ends.forEach(([a, b], edge) => {
    if (trees.isInTree[edge] === 0) return;
    joined.join(a, b);
    total += trees.weight[edge];
  });
  expect(total).toBeLessThanOrEqual(ways.reduce((sum, way) => sum + way, 0));
  for (const joint of joints) {
    const [a, b] = trees.ownersOf(joint);
    expect(joined.of(a)).toBe(joined.of(b));
  }
  expect(new Set(ranks.map((rank) => joined.of(rank))).size).toBe(ranks.length - joints.length);
}

it('are as short as any, whatever the lengths and the ranks', () => {
  const lengths = fc.array(fc.nat(5), { minLength: 40, maxLength: 40 });
  const ranks = fc.uniqueArray(fc.nat(5), { minLength: 1 });
  fc.assert(
    fc.property(randomMachine(6), lengths, ranks, (topology, of, chosen) => expectMinimal(topology, of, chosen)),
    drawn(150),
  );
});

it('are one for each part of a machine that falls into some', () => {
  const pairs = [
    [0, 1],
    [2, 3],
  ];
  const links = pairs.flatMap(([a, b]) => [link(a, b), link(b, a)]);
  expectMinimal(machine(4, links), [3, 2, 4, 4], [0, 1, 2, 3]);
});

it('lead to lengths between boxes, whatever is lost within one', () => {
  const topology = withoutChip(resolveTopology('dgx1-cluster:8'), 1);
  const found = new TreeLengths(topology, [{ ranks: [...topology.chips.keys()], amount: 2 }]).best();
  // Seven times two messages from box to box, each over two of the links of 8·4 NICs, one each way.
  const seconds = (7 * 2 * 2) / (8 * 4 * 2 * 12.5e9);
  expect((found?.secondsPerByte ?? 0) / seconds).toBeCloseTo(1, 9);
});
