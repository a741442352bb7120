/** Copies of staged schedules in another order: the period of the busiest link is reached, and nothing that was good gets worse. */
import { expect, it } from 'vitest';
import { searchDefaults, searchPlan } from '../../../src/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { verify } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';

const topology = resolveTopology('sg2260x4-ddr');

function timeOf(kind: 'alltoall' | 'allgather', size: number): number {
  const { bundle } = searchPlan({ ...searchDefaults, collective: collectiveOf(kind, 4), topology, size });
  expect(verify(bundle.proved.plan, { topology }).verdict).toBe('correct');
  return bundle.cost.seconds;
}

it('lets bulks of an alltoall follow each other as closely as the links allow', () => {
  const size = 2 ** 30;
  // Each direction of a link carries a shard for its neighbour, and half of two shards for chips opposite: 4 messages of half a shard.
  const bulks = 62;
  const period = 4 * (0.55e-6 + size / 4 / 2 / bulks / 64e9);
  const seconds = timeOf('alltoall', size);
  expect(seconds).toBeLessThanOrEqual(8593e-6);
  // The rest fills and drains the pipeline: less than one period.
  expect(seconds).toBeLessThan((bulks + 1) * period);
  expect(timeOf('alltoall', 2 ** 28)).toBeLessThanOrEqual(2233e-6);
});

it('leaves alone what it does not help', () => {
  expect(timeOf('allgather', 2 ** 26)).toBeLessThan(525e-6);
});
