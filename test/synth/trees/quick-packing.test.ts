/** Packing trees for a quick search: switches are removed with little effort, and trees span all chips all the same. */
import { expect, it } from 'vitest';
import { resolveTopology, withoutChip, withoutParts } from '../../../src/read/index.ts';
import { Packings } from '../../../src/synth/trees/packing.ts';
import { link, machine } from '../../cost/machines.ts';

it('asks seldom whether to go on, where switches of a broken fat tree have many pairs of links', () => {
  const topology = withoutParts(resolveTopology('fattree3:3'), ['link:switch33-switch37']);
  const ranks = topology.chips.length;
  let asked = 0;
  const shouldStop = (): boolean => {
    asked++;
    // Once for every chip that a tree grows by; splits of all pairs of links would be thousands more.
    if (asked > ranks ** 2 + 500) throw new Error('it takes too long');
    return false;
  };
  const request = { topology, kind: 'allgather', root: 0, trees: undefined, chunks: undefined } as const;
  const packing = new Packings().of({ ...request, effort: 'quick', shouldStop });
  if (typeof packing === 'string') throw new Error(packing);
  expect(new Set(packing.trees.map(({ root }) => root)).size).toBe(ranks);
  for (const { edges } of packing.trees) expect(edges).toHaveLength(ranks - 1);
});

it.each([
  ['h100:6', 28],
  ['dgx2:3', 3],
])('packs few and wide trees into %s without chip %i', (name, chip) => {
  const topology = withoutChip(resolveTopology(name), chip);
  const ranks = topology.chips.length;
  const request = { topology, kind: 'allgather', root: 0, trees: undefined, chunks: undefined } as const;
  const packing = new Packings().of({ ...request, effort: 'quick' });
  if (typeof packing === 'string') throw new Error(packing);
  const perRoot = new Float64Array(ranks);
  const used = new Float64Array(ranks * ranks);
  for (const { root, amount, edges } of packing.trees) {
    perRoot[root] += amount;
    expect(edges).toHaveLength(ranks - 1);
    for (const { from, to } of edges) used[from * ranks + to] += amount;
  }
  expect(Math.min(...perRoot)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...perRoot)).toBeLessThanOrEqual(3);
  expect(used.every((amount, edge) => amount <= packing.capacity[edge])).toBe(true);
});

/** By brute force: the fewest trees of one root that carry a part of what links into a chip do, each link as many as fit into it entirely. */
function fewestTrees(links: readonly number[], part: number): number {
  const sum = links.reduce((all, each) => all + each, 0);
  for (let trees = 1; ; trees++) {
    const widths = links.flatMap((each) => Array.from({ length: trees }, (_, n) => each / (n + 1)));
    const fits = (width: number): boolean => links.reduce((n, each) => n + Math.floor(each / width), 0) >= trees;
    if (widths.some((width) => trees * width >= part * sum && fits(width))) return trees;
  }
}

it.each([
  { links: [16, 50, 100], part: 0.96 },
  { links: Array.from({ length: 15 }, () => 16), part: 1 },
])('packs as few trees as links of bandwidths $links into the last chip take for $part of their bandwidth', (row) => {
  const last = row.links.length + 1;
  const wide = row.links.map((_, n) => link(0, n + 1, { bandwidth: 240 }));
  const narrow = row.links.map((each, n) => link(n + 1, last, { bandwidth: each }));
  const topology = machine(last + 1, [...wide, ...narrow]);
  const request = { topology, kind: 'broadcast', root: 0, trees: undefined, chunks: undefined } as const;
  const packing = new Packings().of({ ...request, effort: 'quick' });
  if (typeof packing === 'string') throw new Error(packing);
  expect(packing.trees.reduce((sum, { amount }) => sum + amount, 0)).toBe(fewestTrees(row.links, row.part));
});
