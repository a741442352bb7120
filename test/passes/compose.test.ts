/** One schedule after the other. */
import { describe, expect, it } from 'vitest';
import { CccError } from '../../src/ir/diagnostic.ts';
import { compose, reverse } from '../../src/passes/index.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, schedule } from '../lower/building.ts';
import { outputsOf } from '../lower/meaning.ts';
import {
  binomialBroadcast,
  binomialReduce,
  bruckAllgather,
  ringAllgather,
  sorted,
  transfersOf,
  wanted,
} from './algorithms.ts';

const ringReducescatter = (ranks: number) =>
  reverse(ringAllgather(ranks), collectiveOf('reducescatter', ranks, { chunks: 2 }));

describe('a composition', () => {
  it.each([1, 2, 3, 5, 8])('of reducescatter and allgather is allreduce, %i ranks', (ranks) => {
    const target = collectiveOf('allreduce', ranks, { chunks: 2 * ranks });
    const whole = compose([ringReducescatter(ranks), ringAllgather(ranks)], { name: 'whole', collective: target });
    outputsOf(whole).forEach((output, rank) => {
      expect(output.map(sorted)).toEqual(wanted(target, rank, output.length));
    });
    expect(whole.steps.stepCount).toBe(2 * (ranks - 1));
  });

  it('of reduce and broadcast is allreduce', () => {
    const target = collectiveOf('allreduce', 6);
    const whole = compose([binomialReduce(6), binomialBroadcast(6)], { name: 'whole', collective: target });
    outputsOf(whole).forEach((output, rank) => {
      expect(output.map(sorted)).toEqual(wanted(target, rank, output.length));
    });
  });

  it('gives each part scratch of its own', () => {
    const target = collectiveOf('allreduce', 3, { chunks: 3 });
    const parts = [reverse(bruckAllgather(3), collectiveOf('reducescatter', 3)), bruckAllgather(3)];
    const whole = compose(parts, { name: 'whole', collective: target });
    expect(whole.scratch).toBe(parts[0].scratch + 3);
    const shifted = transfersOf(whole)[parts[0].steps.stepCount][0].pieces[0];
    expect(shifted).toEqual(piece('data 0', `scratch ${parts[0].scratch}`));
  });

  it('commutes and is a ring only if its parts do and are', () => {
    const target = { name: 'whole', collective: collectiveOf('allreduce', 4, { chunks: 8 }) };
    const ordered = { ...ringAllgather(4), commutative: false };
    expect(compose([ordered, ordered], target)).toMatchObject({ commutative: false, ring: true });
    expect(compose([ringReducescatter(4), ordered], target)).toMatchObject({ commutative: true, ring: true });
    expect(compose([{ ...ordered, ring: false }, ordered], target)).toMatchObject({ commutative: false, ring: false });
  });

  it('is refused where sizes differ', () => {
    const target = { name: 'whole', collective: collectiveOf('allreduce', 4) };
    expect(() => compose([binomialReduce(5)], target)).toThrow(/4 ranks.* 5/);
    expect(() => compose([ringAllgather(4)], target)).toThrow(/1 chunk,.* 8/);
    expect(() => compose([ringAllgather(4)], target)).toThrow(CccError);
  });

  it('is refused where a part names an output that is not that of the whole', () => {
    const part = schedule(collectiveOf('reducescatter', 2), [[copy(0, 1, piece('data 1', 'output 0'))]]);
    const target = { name: 'whole', collective: collectiveOf('allreduce', 2, { chunks: 2 }) };
    expect(() => compose([part], target)).toThrow(/names its output/);
  });
});
