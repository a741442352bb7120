/** Command lists of every collective of the machines' library, ReduceScatter and scan on all machines, run on real numbers. */
import { describe, it } from 'vitest';
import { messageBytes } from '../../../src/ir/shards.ts';
import { bundleOf, library, listsOf, machines, runAndCheck } from './lists.ts';

const cases = Object.keys(machines).flatMap((name) => library.map((kind) => [kind, name] as const));

describe('command lists', () => {
  it.each(cases)('of %s on %s do what it means', async (kind, name) => {
    // No power of two: shards are rounded up, and chunks of a shard differ by a unit.
    const bundle = bundleOf(kind, machines[name], 60_000);
    const json = await listsOf(bundle);
    for (const seed of [1, 2, 3]) runAndCheck(json, bundle, seed);
  });

  it.each(library)('of %s in 7 bulks, staged, do what it means', async (kind) => {
    const bundle = bundleOf(kind, machines['sg2260x4-ddr'], 50_000, { bulks: 7, root: 2 });
    const json = await listsOf(bundle);
    for (const seed of [1, 2]) runAndCheck(json, bundle, seed);
  });

  it.each(library)('of %s in place do what it means', async (kind) => {
    const bundle = bundleOf(kind, machines.sg2260x4, 20_000, { inPlace: true, bulks: 3 });
    const json = await listsOf(bundle);
    for (const seed of [1, 2]) runAndCheck(json, bundle, seed);
  });

  it.each(Object.keys(machines))('of shards of different sizes on %s do what they mean', async (name) => {
    const { length } = machines[name].chips;
    const counts = Array.from({ length }, (_, rank) => 2 * ((rank * 977 + 300) % 4000));
    const pairs = Array.from({ length: length * length }, (_, pair) => 2 * ((pair * 613) % 700));
    for (const kind of ['allgather', 'gather', 'scatter', 'reducescatter', 'alltoall'] as const) {
      const given = kind === 'alltoall' ? pairs : counts;
      const bundle = bundleOf(kind, machines[name], messageBytes(kind, length, given), { counts: given });
      runAndCheck(await listsOf(bundle), bundle, 1);
    }
  });
});
