/** Leaving out what the result does not need. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../src/ir/schedule.ts';
import { prune } from '../../src/passes/index.ts';
import { collectiveOf } from '../collectives.ts';
import { drawn } from '../draw.ts';
import { copy, piece, reduce, schedule } from '../lower/building.ts';
import { outputsOf } from '../lower/meaning.ts';
import { schedules } from '../lower/random-schedules.ts';
import { algorithms, transfersOf } from './algorithms.ts';

describe('pruning', () => {
  it.each(Object.entries(algorithms))('leaves nothing out of %s', (_, algorithm) => {
    for (const ranks of [1, 2, 5, 8])
      expect(transfersOf(prune(algorithm(ranks)))).toEqual(transfersOf(algorithm(ranks)));
  });

  it('leaves out what is overwritten unread, and steps that are empty then', () => {
    const steps = [
      [copy(0, 1, piece('data 0', 'scratch 0'))],
      [copy(0, 1, piece('data 0'))],
      [copy(1, 1, piece('scratch 0', 'scratch 1'))],
    ];
    const pruned = prune(schedule(collectiveOf('broadcast', 2), steps, { scratch: 2 }));
    expect(transfersOf(pruned)).toEqual([[copy(0, 1, piece('data 0'))]]);
  });

  it('keeps a message of which a part is needed whole', () => {
    const message = copy(0, 1, piece('data 0'), piece('data 0', 'scratch 0'));
    const forward = schedule(collectiveOf('broadcast', 2), [[message]], { scratch: 1 });
    expect(transfersOf(prune(forward))).toEqual([[message]]);
  });

  it('keeps what a reduction adds to', () => {
    const steps = [
      [copy(1, 0, piece('data 0', 'scratch 0'))],
      [reduce(2, 0, piece('data 0', 'scratch 0'))],
      [reduce(0, 0, piece('scratch 0', 'data 0'))],
    ];
    const forward = schedule(collectiveOf('reduce', 3), steps, { scratch: 1 });
    expect(transfersOf(prune(forward))).toEqual(steps);
  });

  it('keeps what is under a reduction even where only another part of it is needed, or it would reduce into nothing', () => {
    const steps = [
      [copy(0, 0, piece('data 0', 'scratch 0'))],
      [reduce(1, 0, piece('data 0'), piece('data 0', 'scratch 0'))],
    ];
    const forward = schedule(collectiveOf('reduce', 2), steps, { scratch: 1 });
    expect(transfersOf(prune(forward))).toEqual(steps);
  });

  it('keeps what writes the output by name', () => {
    const steps = [[copy(0, 1, piece('input 0', 'output 0'))]];
    expect(transfersOf(prune(schedule(collectiveOf('broadcast', 2), steps)))).toEqual(steps);
  });

  it('does not need what may hold anything: the first output of an exscan', () => {
    const steps = [[copy(1, 0, piece('input 0', 'data 0')), copy(0, 1, piece('input 0', 'data 0'))]];
    expect(transfersOf(prune(schedule(collectiveOf('exscan', 2), steps)))).toEqual([
      [copy(0, 1, piece('input 0', 'data 0'))],
    ]);
  });

  it('keeps a barrier, and writes to the input', () => {
    const token = copy(0, 1, piece('input 0', 'scratch 0'));
    const barrier = schedule(collectiveOf('barrier', 2), [[token]], { scratch: 1 });
    expect(transfersOf(prune(barrier))).toEqual([[token]]);
    const write = copy(0, 1, piece('data 0', 'input 0'));
    expect(transfersOf(prune(schedule(collectiveOf('allreduce', 2), [[write]])))).toEqual([[write]]);
  });

  it('changes no result of any schedule, and leaves nothing to a second time', () => {
    fc.assert(
      fc.property(schedules(), (forward: Schedule) => {
        const pruned = prune(forward);
        const kept = new Set(
          transfersOf(forward)
            .flat()
            .map((transfer) => JSON.stringify(transfer)),
        );
        for (const transfer of transfersOf(pruned).flat()) expect(kept.has(JSON.stringify(transfer))).toBe(true);
        const outputs = outputsOf(pruned);
        outputsOf(forward).forEach((output, rank) => {
          if (forward.collective.kind === 'exscan' && rank === 0) return;
          expect(outputs[rank]).toEqual(output);
        });
        expect(transfersOf(prune(pruned))).toEqual(transfersOf(pruned));
      }),
      drawn(300),
    );
  });
});
