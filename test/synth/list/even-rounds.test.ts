/** When other paths are looked for, so that rounds are filled evenly. */
import { expect, it } from 'vitest';
import { Random } from '../../../src/ir/random.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { choices } from '../../../src/synth/list/routed/choices.ts';
import { fewestChunks } from '../../../src/synth/list/routed/chunks.ts';
import { arcNetwork } from '../../../src/synth/list/routed/network.ts';
import { parcelsFrom } from '../../../src/synth/list/routed/parcels.ts';
import { equalShares } from '../../../src/synth/shares.ts';

it('is where bytes count, not latencies', () => {
  const network = arcNetwork(new Routes(resolveTopology('tree:31')));
  if (network === undefined) throw new Error('it is small');
  const ranks = Array.from({ length: network.ranks }, (_, rank) => rank);
  const parcelsFor = (parts: number) => parcelsFrom(0, equalShares(ranks), parts);
  const random = new Random(0);
  const pairs = fewestChunks(network, parcelsFor, { chunks: undefined, chunkCounts: [1], random, effort: 'quick' });
  if (pairs === undefined) throw new Error('all ranks can be reached');
  const looks = (unitBytes: number): number => {
    let asked = 0;
    const reroute = () => {
      asked++;
      return pairs;
    };
    Array.from(choices({ network, soonest: pairs, even: pairs, reroute, strict: false, unitBytes, random }));
    return asked;
  };
  expect(looks(1)).toBe(0);
  expect(looks(2 ** 30)).toBeGreaterThan(0);
});
