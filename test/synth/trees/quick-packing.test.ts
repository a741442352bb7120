/** Packing trees for a quick search: switches are removed with little effort, and trees span all chips all the same. */
import { expect, it } from 'vitest';
import { parseRemoval, resolveTopology, withoutChip, withoutLink } from '../../../src/read/index.ts';
import { Packings } from '../../../src/synth/trees/packing.ts';

it('asks seldom whether to go on, where switches of a broken fat tree have many pairs of links', () => {
  const removal = parseRemoval('link:switch33-switch37');
  if (removal.kind !== 'link') throw new Error('it is a link');
  const topology = withoutLink(resolveTopology('fattree3:3'), removal.a, removal.b);
  const ranks = topology.chips.length;
  let asked = 0;
  const shouldStop = (): boolean => {
    asked++;
    // Once for every chip that a tree grows by; splits of all pairs of links would be thousands more.
    if (asked > ranks ** 2 + 500) throw new Error('it takes too long');
    return false;
  };
  const request = { topology, kind: 'allgather', root: 0, trees: undefined, chunks: undefined, seed: 0 } as const;
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
  const request = { topology, kind: 'allgather', root: 0, trees: undefined, chunks: undefined, seed: 0 } as const;
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
