/** Scans as two alltoalls with a local scan between them. */
import { describe, expect, it } from 'vitest';
import type { Collective } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { transposeScan } from '../../src/passes/index.ts';
import { instantiate, loadScheduleFile, resolveTopology, withoutChip } from '../../src/read/index.ts';
import { collectiveOf } from '../collectives.ts';
import { candidatesOn, provedSeconds } from '../synth/list/support.ts';

function transposed(name: string, kind: 'scan' | 'exscan', ranks: number, shard = 1, inPlace = false): Schedule {
  const request = { ranks, root: 0, op: 'sum', ordered: false, inPlace, chunks: shard } as const;
  const alltoall = instantiate(loadScheduleFile(name), { ...request, parameters: {}, limits: defaultLimits });
  const target: Collective = collectiveOf(kind, ranks, { chunks: ranks * shard, ordered: true, inPlace });
  return transposeScan(alltoall, target);
}

/** Shards that ranks send each other. */
function shardsSent({ steps, collective }: Schedule): number {
  let chunks = 0;
  for (let t = 0; t < steps.transferCount; t++) {
    const { source, destination, pieces } = steps.transfer(t);
    if (source !== destination) chunks += pieces.reduce((sum, { count }) => sum + count, 0);
  }
  return (chunks * collective.ranks) / collective.chunks;
}

describe('a scan by transposing', () => {
  it.each(['scan', 'exscan'] as const)(
    'is a proved %s in rank order, for any number of ranks, in place too',
    (kind) => {
      for (const ranks of [2, 3, 5, 6, 7, 8]) {
        for (const name of ['full-mesh-alltoall', 'bruck-alltoall', 'pairwise-alltoall']) {
          provedSeconds(transposed(name, kind, ranks), `full:${ranks}`);
          provedSeconds(transposed(name, kind, ranks, 2, true), `full:${ranks}`);
        }
      }
    },
  );

  it('is proved where others pass on what nobody needs: more ranks than are looked at for that', () => {
    const [candidate] = candidatesOn('mesh:5x7', { kind: 'alltoall' });
    const alltoall = candidate.build(1);
    const chunks = 35 * alltoall.collective.chunks;
    const target: Collective = { ...alltoall.collective, kind: 'exscan', chunks, ordered: true };
    provedSeconds(transposeScan(alltoall, target), 'mesh:5x7');
  });

  it('takes two steps on linked pairs, and reduces an N-th part at each rank', () => {
    // full:8: α = 1 µs, β = 10 GB/s, γ = 50 GB/s, and every rank reduces 7 of 8 shards.
    const size = 2 ** 26;
    const seconds = provedSeconds(transposed('full-mesh-alltoall', 'scan', 8), 'full:8', size);
    expect(seconds).toBeCloseTo(2 * (1e-6 + size / 8 / 10e9) + ((7 / 8) * size) / 50e9, 12);
  });

  it('lets nobody reduce before all of its shards have come, if that is asked for', () => {
    const size = 2 ** 26;
    for (const machine of [resolveTopology('mesh:4x4'), withoutChip(resolveTopology('torus:5x5'), 3)]) {
      const [candidate] = candidatesOn(machine, { kind: 'alltoall' });
      const alltoall = candidate.build(1);
      const { ranks } = alltoall.collective;
      const chunks = ranks * alltoall.collective.chunks;
      const target: Collective = { ...alltoall.collective, kind: 'scan', chunks, ordered: true };
      const seconds = (atOnce: boolean) => provedSeconds(transposeScan(alltoall, target, atOnce), machine, size);
      // Two alltoalls, and an N-th part of all reductions between them, γ = 50 GB/s; those who reduce early hold up others.
      const inTurn = 2 * provedSeconds(alltoall, machine, size) + (((ranks - 1) / ranks) * size) / 50e9;
      expect(seconds(true)).toBeCloseTo(inTurn, 6);
      expect(seconds(false)).toBeGreaterThan(inTurn * 1.01);
    }
  });

  it('sends no shard that no result depends on', () => {
    // An exscan needs nothing of the last rank, and rank 0 gets nothing.
    const ranks = 6;
    const pairs = ranks * (ranks - 1);
    expect(shardsSent(transposed('full-mesh-alltoall', 'scan', ranks))).toBe(2 * pairs);
    expect(shardsSent(transposed('full-mesh-alltoall', 'exscan', ranks))).toBe(2 * (pairs - (ranks - 1)));
  });

  it('leaves such shards out of messages with others', () => {
    // On a hypercube a shard goes as many hops as its ranks differ in bits: 1 + 1 + 2 for those of a rank, 16 in all, less one rank's each way.
    expect(shardsSent(transposed('hypercube-alltoall', 'exscan', 4))).toBe(2 * (16 - 4));
  });

  it('is made of nothing but an alltoall of as many chunks', () => {
    const request = {
      ranks: 4,
      root: 0,
      op: 'sum',
      ordered: false,
      inPlace: false,
      chunks: 1,
      parameters: {},
      limits: defaultLimits,
    } as const;
    const target: Collective = collectiveOf('scan', 4, { chunks: 4, ordered: true });
    const allgather = instantiate(loadScheduleFile('ring-allgather'), request);
    expect(() => transposeScan(allgather, target)).toThrow('does not transpose the 4 chunks of a scan');
    const alltoall = instantiate(loadScheduleFile('full-mesh-alltoall'), request);
    expect(() => transposeScan(alltoall, { ...target, chunks: 8 })).toThrow(
      'does not transpose the 8 chunks of a scan',
    );
    expect(() => transposeScan(alltoall, { ...target, kind: 'allreduce' })).toThrow('allreduce');
  });
});
