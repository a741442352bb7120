/** Packing trees for a quick search: switches are removed with little effort, and trees span all chips all the same. */
import { expect, it } from 'vitest';
import { resolveTopology, withoutChip, withoutParts } from '../../../src/read/index.ts';
import { packed } from '../../../src/synth/trees/packing.ts';
import { link, machine } from '../../model/machines.ts';

it('tells what its flows cost, where switches of a broken fat tree have many pairs of links, and ends when told', () => {
  const topology = withoutParts(resolveTopology('fattree3:3'), ['link:switch33-switch37']);
  const most = 2000;
  let [done, largest] = [0, 0];
  const shouldStop = (work = 0): boolean => {
    done += work;
    largest = Math.max(largest, work);
    return done > most;
  };
  const request = { topology, kind: 'allgather', root: 0, trees: undefined } as const;
  expect(packed({ ...request, effort: 'quick', shouldStop })).toBe('there was no time to pack trees');
  // Every flow is counted when it is known, and each switch has few more looked for after the end has been told.
  expect(done).toBeGreaterThan(most);
  expect(done).toBeLessThan(4 * most);
  expect(largest).toBeLessThan(most / 10);
});

it.each([
  ['h100:6', 28],
  ['dgx2:3', 3],
])('packs few and wide trees into %s without chip %i', (name, chip) => {
  const topology = withoutChip(resolveTopology(name), chip);
  const ranks = topology.chips.length;
  const request = { topology, kind: 'allgather', root: 0, trees: undefined } as const;
  const packing = packed({ ...request, effort: 'quick' });
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
  const request = { topology, kind: 'broadcast', root: 0, trees: undefined } as const;
  const packing = packed({ ...request, effort: 'quick' });
  if (typeof packing === 'string') throw new Error(packing);
  expect(packing.trees.reduce((sum, { amount }) => sum + amount, 0)).toBe(fewestTrees(row.links, row.part));
});

it('pairs the ends of the network between two boxes, so that no NIC serves many partners', () => {
  const topology = resolveTopology('mi250:2');
  const request = { topology, kind: 'allgather', root: 0, trees: undefined } as const;
  const packing = packed({ ...request, effort: 'quick', shouldStop: undefined });
  if (typeof packing === 'string') throw new Error(packing);
  const partners = new Map<number, Set<number>>();
  for (const { from, to } of packing.trees.flatMap(({ edges }) => edges)) {
    if (from < 16 === to < 16) continue;
    partners.set(from, (partners.get(from) ?? new Set()).add(to));
  }
  expect(partners.size).toBe(32);
  // Shared out evenly, some send to three and more, each of which may be busy with another.
  for (const { size } of partners.values()) expect(size).toBeLessThanOrEqual(2);
});
