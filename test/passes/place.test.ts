/** Small schedules as parts of a large one. */
import { describe, expect, it } from 'vitest';
import { CccError } from '../../src/ir/diagnostic.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { compose, place, type SchedulePlacement } from '../../src/passes/index.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, schedule } from '../lower/building.ts';
import { outputsOf } from '../lower/meaning.ts';
import { bruckAllgather, meshAllgather, ringAllgather, sorted, transfersOf, wanted } from './algorithms.ts';

/** Rank g·P + p is at position p of group g. */
const rank = (group: number, position: number, positions: number): number => group * positions + position;
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function shards(ranks: readonly number[], chunks: number): Int32Array {
  return Int32Array.from(ranks.flatMap((shard) => range(chunks).map((chunk) => shard * chunks + chunk)));
}

/** Allgather over groups: among those at the same position, then in each group what its members have got. */
function grouped(groups: number, positions: number, across: Schedule, within: Schedule, chunks: number): Schedule {
  const target = { name: 'grouped', collective: collectiveOf('allgather', groups * positions, { chunks }) };
  const rail = (position: number) => range(groups).map((group) => rank(group, position, positions));
  const first = range(positions).map((position): SchedulePlacement => {
    return { schedule: across, members: rail(position), slots: shards(rail(position), chunks) };
  });
  const second = range(groups).map((group): SchedulePlacement => {
    const members = range(positions).map((position) => rank(group, position, positions));
    return { schedule: within, members, slots: shards(range(positions).flatMap(rail), chunks) };
  });
  return compose([place(first, target), place(second, target, 1)], target);
}

describe('schedules side by side', () => {
  it.each([
    [2, 3, ringAllgather(2), ringAllgather(3), 2],
    [3, 2, ringAllgather(3, 1), ringAllgather(2, 3), 6],
    [3, 4, bruckAllgather(3), meshAllgather(4), 1],
    [2, 5, meshAllgather(2), bruckAllgather(5), 3],
    [4, 1, bruckAllgather(4), ringAllgather(1), 2],
  ])('make an allgather of %i groups of %i', (groups, positions, across, within, chunks) => {
    const whole = grouped(groups, positions, across, within, chunks);
    outputsOf(whole).forEach((output, r) => {
      expect(output.map(sorted)).toEqual(wanted(whole.collective, r, output.length));
    });
  });

  it('run step by step, each as long as it lasts, in channels of their own', () => {
    const target = { name: 'two', collective: collectiveOf('allgather', 5, { chunks: 2 }) };
    const placements = [
      { schedule: ringAllgather(3), members: [4, 0, 2], slots: shards([4, 0, 2], 2) },
      { schedule: ringAllgather(2), members: [3, 1], slots: shards([3, 1], 2) },
    ];
    const steps = transfersOf(place(placements, target, 7));
    expect(steps.map((step) => step.map(({ source, destination }) => `${source}>${destination}`))).toEqual([
      ['4>0', '0>2', '2>4', '3>1', '1>3'],
      ['4>0', '0>2', '2>4'],
    ]);
    expect(steps.flat().every(({ channel }) => channel === 7)).toBe(true);
    expect(steps[0].map(({ pieces }) => pieces)).toEqual(
      [4, 0, 2, 3, 1].map((shard) => [piece(`data ${2 * shard} 2`)]),
    );
  });

  it('send nothing where chunks stand for nothing, and all that they stand for elsewhere', () => {
    const target = { name: 'one', collective: collectiveOf('allgather', 3) };
    const placement = {
      schedule: ringAllgather(3, 1),
      members: [0, 1, 2],
      slots: Int32Array.of(0, 2, 1),
      starts: Int32Array.of(0, 2, 2, 3),
    };
    const sent = transfersOf(place([placement], target)).map((step) =>
      step.map(({ source, pieces }) => [source, pieces]),
    );
    const [two, one] = [[piece('data 0'), piece('data 2')], [piece('data 1')]];
    expect(sent).toEqual([
      [
        [0, two],
        [2, one],
      ],
      [
        [0, one],
        [1, two],
      ],
    ]);
    expect(() => place([{ ...placement, schedule: bruckAllgather(3) }], target)).toThrow(CccError);
  });

  it('have scratch as large as their chunks are', () => {
    const target = { name: 'one', collective: collectiveOf('allgather', 3, { chunks: 4 }) };
    const placement = { schedule: bruckAllgather(3), members: [0, 1, 2], slots: shards([0, 1, 2], 4) };
    expect(place([placement], target).scratch).toBe(3 * 4);
  });

  it('are refused where chunks are not whole, or buffers are those of the whole', () => {
    const target = { name: 'one', collective: collectiveOf('allgather', 2, { chunks: 3 }) };
    const odd = { schedule: ringAllgather(2), members: [0, 1], slots: shards([0, 1], 3) };
    expect(() => place([odd], target)).toThrow(CccError);
    expect(() => place([odd], target)).toThrow(/4 chunks.* 6/);
    const naming = schedule(collectiveOf('allgather', 2), [[copy(0, 1, piece('input 0', 'output 0'))]]);
    expect(() => place([{ ...odd, schedule: naming }], target)).toThrow(/input/);
  });
});
