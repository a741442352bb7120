/**
 * Machines without lanes have the times, bounds and digests that they had before there were lanes, to the bit: hashes of them all, taken from that
 * version.
 */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { lowerBound } from '../../../src/bounds/index.ts';
import { topologyDigest } from '../../../src/emit/topology-digest.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { ranksOf } from '../../../src/ir/topology.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { claims, planOf } from '../../seeds/library.ts';

/** By machine: of its digest, and of what these schedules take there. */
const before: Readonly<Record<string, readonly [digest: string, times: string]>> = {
  'ring:5': ['c2f963d5835b', '4d28c6d02f91'],
  'line:4': ['d99707bbdd8d', '7a92b77f7be9'],
  'full:6': ['22ec02549f28', '323a19f3b859'],
  'switch:7': ['eac8e9bae8b4', 'da8dae7c8d71'],
  'torus:3x3': ['9f707dca07e4', '1700ad5e681e'],
  'mesh:2x4': ['3bd5b31090c1', '6ec48b8f15b0'],
  'hypercube:3': ['8a99a7011430', 'efc14ed67d2a'],
  'tree:7': ['70a3eee8375c', 'd00cd3fa32f0'],
  dgx1: ['b7f776792e48', 'a3e55619a33a'],
  a100: ['1ecb54737137', '535f93e8355d'],
  h100: ['4265fc07dc19', '8fa7548b9910'],
  'h100:2': ['d141eb7420b9', 'e867fda79596'],
  fattree: ['2bea75bf0e53', '4d88b22f210b'],
  'routed-ring:6': ['bcd749a9f48e', 'b41970c1b7ce'],
};

const names = [
  ...['ring-allgather', 'ring-allreduce', 'ring-reducescatter', 'bruck-allgather', 'recursive-doubling-allgather'],
  ...['recursive-doubling-allreduce', 'binomial-broadcast', 'binomial-reduce', 'binomial-scatter', 'chain-broadcast'],
  ...['chain-scan', 'pairwise-alltoall', 'direct-allreduce', 'dissemination-barrier'],
];
const sizes = [1, 1000, 2 ** 20 + 3, 2 ** 26];

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

it.each(Object.keys(before))('%s', (spec) => {
  const topology = resolveTopology(spec);
  const routes = new Routes(topology);
  const ranks = ranksOf(topology);
  const lines = names.flatMap((name) => {
    if (!claims(name, ranks)) return [];
    const plan = planOf(name, ranks);
    return sizes.flatMap((size) => {
      const times = [1, 5].map((bulks) => simulate({ ...plan, bulks }, routes, size).seconds);
      // Theorems that came later prove more of some; those that there were prove what they did.
      const { certificates } = lowerBound(plan.collective, topology, size);
      const bounds = certificates.filter(({ kind }) => kind !== 'handing-on').map(({ seconds }) => seconds);
      return [name, size, ...times, Math.max(0, ...bounds)].join(' ');
    });
  });
  expect([hash(topologyDigest(topology)), hash(lines.join('\n'))]).toEqual(before[spec]);
});
