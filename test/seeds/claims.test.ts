/** What each schedule claims to work for; whatever is not listed works for every number of ranks and, if it reduces, in any order. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listShipped } from '../../src/read/index.ts';
import { claims } from './library.ts';
import { claimedRanks } from './prove.ts';

const everyRanks = Array.from({ length: 64 }, (_, index) => index + 1);

const powersOfTwo = [
  'hypercube-alltoall',
  'in-order-recursive-halving-reducescatter',
  'mirrored-recursive-doubling-allreduce',
  'mirrored-recursive-doubling-barrier',
  'pairwise-exchange-alltoall',
  'recursive-doubling-allgather',
  'scatter-recursive-doubling-allgather-broadcast',
  'swing-allreduce',
];

const inOrder = [
  'chain-exscan',
  'chain-scan',
  'direct-exscan',
  'direct-scan',
  'dissemination-exscan',
  'dissemination-scan',
  'full-mesh-allreduce',
  'hypercube-exscan',
  'hypercube-scan',
  'in-order-binomial-reduce',
  'in-order-chain-reduce',
  'in-order-pairwise-reducescatter',
  'in-order-recursive-halving-reducescatter',
  'linear-reduce',
  'mirrored-hypercube-exscan',
  'mirrored-hypercube-scan',
  'mirrored-recursive-doubling-allreduce',
  'naive-ring-allreduce',
  'nonoverlapping-reducescatter',
  'pipelined-chain-scan',
  'recursive-doubling-allreduce',
  'recursive-doubling-reducescatter',
  'reduce-broadcast-allreduce',
  'reduce-exchange-broadcast-allreduce',
  'reduce-exchange-broadcast-custom',
  'ring-exscan',
  'ring-scan',
  'send-custom',
  'single-node-allreduce',
  'smp-allreduce',
];

describe('claims', () => {
  it('are every number of ranks, but for those that need a power of two, an even number or two groups', () => {
    for (const name of listShipped('schedules')) {
      const claimed = claimedRanks(name);
      if (powersOfTwo.includes(name)) expect(claimed, name).toEqual([1, 2, 4, 8, 16, 32, 64]);
      else if (name === 'edge-disjoint-trees-broadcast') expect(claimed, name).toEqual([8, 16, 32, 64]);
      else if (name.startsWith('neighbour-exchange-'))
        expect(claimed, name).toEqual(everyRanks.filter((n) => n % 2 === 0));
      else if (name === 'paired-ring-allreduce')
        expect(claimed, name).toEqual(everyRanks.filter((n) => n % 2 === 0 && n >= 4));
      else if (name.endsWith('-custom')) expect(claimed, name).toEqual(everyRanks.slice(1));
      else expect(claimed, name).toEqual(everyRanks);
    }
  });

  it('say which schedules keep rank order', () => {
    const reducing = /-(reduce|reducescatter|allreduce|scan|exscan|custom)$/;
    const names = listShipped('schedules').filter((name) => reducing.test(name));
    expect(names.filter((name) => claims(name, 8, { ordered: true }))).toEqual(inOrder);
  });
});

describe('docs/algorithms.md', () => {
  const page = readFileSync(new URL('../../docs/algorithms.md', import.meta.url), 'utf8');
  const listed = [
    ...page.matchAll(
      /`([a-z-]+-(?:broadcast|reduce|scatter|gather|allgather|reducescatter|alltoall|allreduce|scan|exscan|barrier|custom))`/g,
    ),
  ];

  it('lists every shipped schedule and no other', () => {
    expect([...new Set(listed.map((match) => match[1]))].sort()).toEqual(listShipped('schedules'));
  });
});
