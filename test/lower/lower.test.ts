/** What lowering makes of small schedules, operation by operation, worked out by hand from the rules of the language. */
import { describe, expect, it } from 'vitest';
import { CccError } from '../../src/ir/diagnostic.ts';
import { StepsBuilder, type Transfer } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, program, reduce, schedule } from './building.ts';
import { execute, seeded } from './execution.ts';

describe('homes of data', () => {
  it('out of place, an allgather sends its input, keeps what arrives in the output, and copies its own shard', () => {
    const steps = [[copy(0, 1, piece('data 0 2')), copy(1, 0, piece('data 2 2'))]];
    const plan = lower(schedule(collectiveOf('allgather', 2, { chunks: 2 }), steps));
    expect(program(plan, 0)).toEqual([
      '0: copy input 0+2 > output 0+2 @0',
      '1: send →1 input 0+2 @1',
      '2: recv ←1 output 2+2 @1',
    ]);
    expect(plan.buffers[0]).toEqual({ input: 2, output: 4, scratch: 0 });
  });

  it('in place, the same needs no copy', () => {
    const steps = [[copy(0, 1, piece('data 0 2')), copy(1, 0, piece('data 2 2'))]];
    const plan = lower(schedule(collectiveOf('allgather', 2, { chunks: 2, inPlace: true }), steps));
    expect(program(plan, 1)).toEqual(['0: send →0 output 2+2 @1', '1: recv ←0 output 0+2 @1']);
  });

  it('places the input where a reduction lands, and only there', () => {
    const steps = [[reduce(0, 1, piece('data 1'))]];
    const plan = lower(schedule(collectiveOf('reducescatter', 2), steps));
    expect(program(plan, 0)).toEqual(['0: copy input 0+1 > output 0+1 @0', '1: send →1 input 1+1 @1']);
    expect(program(plan, 1)).toEqual(['0: copy input 1+1 > output 0+1 @0', '1: recvReduce ←0 output 0+1 @1 after 0.0']);
  });

  it('copies neighbours in the input one by one where they live in different buffers', () => {
    const steps = [[reduce(1, 0, piece('data 0'))], [reduce(1, 0, piece('data 1'))]];
    const plan = lower(schedule(collectiveOf('reducescatter', 2), steps));
    expect(program(plan, 0)).toEqual([
      '0: copy input 0+1 > output 0+1 @0',
      '0: copy input 1+1 > scratch 0+1 @0',
      '1: recvReduce ←1 output 0+1 @1 after 0.0',
      '1: recvReduce ←1 scratch 0+1 @2 after 0.1',
    ]);
  });

  it('keeps the input and what arrived together where one message carries both', () => {
    const steps = [[copy(0, 1, piece('data 0'))], [copy(1, 2, piece('data 0 2'))]];
    const plan = lower(schedule(collectiveOf('gather', 3, { root: 2 }), steps));
    expect(program(plan, 1)).toEqual([
      '0: copy input 0+1 > scratch 1+1 @0',
      '1: recv ←0 scratch 0+1 @1',
      '2: send →2 scratch 0+2 @2 after 0.0 1.0',
    ]);
    expect(plan.buffers.map(({ scratch }) => scratch)).toEqual([0, 2, 0]);
  });

  it('receives in scratch what lies only partly in the output, and copies the output at the end', () => {
    const steps = [[copy(0, 1, piece('data 1 2'))], [copy(1, 2, piece('data 2'))]];
    const plan = lower(schedule(collectiveOf('scatter', 3), steps));
    expect(program(plan, 1)).toEqual([
      '0: copy scratch 0+1 > output 0+1 @3 after 1.0',
      '1: recv ←0 scratch 0+2 @1',
      '2: send →2 scratch 1+1 @2 after 1.0',
    ]);
    expect(program(plan, 2)).toEqual(['0: recv ←1 output 0+1 @2']);
  });

  it('in place, gives data memory of its own where the schedule reads the input after data was written', () => {
    const steps = [[copy(0, 1, piece('input 0', 'data 0'))], [copy(1, 2, piece('input 0', 'data 0'))]];
    const plan = lower(schedule(collectiveOf('exscan', 3, { inPlace: true, ordered: true }), steps));
    expect(program(plan, 1)).toEqual([
      '0: copy scratch 0+1 > output 0+1 @3 after 1.0 2.0',
      '1: recv ←0 scratch 0+1 @1',
      '2: send →2 output 0+1 @2',
    ]);
  });

  it('reads a slot that nothing has written where it would be, and repairs nothing', () => {
    const plan = lower(schedule(collectiveOf('broadcast', 2), [[copy(1, 0, piece('data 0'))]]));
    expect(program(plan, 1)).toEqual(['0: send →0 output 0+1 @1']);
  });

  it('leaves output that the schedule writes by name to the schedule', () => {
    const steps = [[copy(0, 1, piece('input 0', 'output 0')), copy(0, 0, piece('input 0', 'output 0'))]];
    const plan = lower(schedule(collectiveOf('broadcast', 2), steps));
    expect(program(plan, 0)).toEqual(['0: copy input 0+1 > output 0+1 @1', '1: send →1 input 0+1 @1']);
    expect(program(plan, 1)).toEqual(['0: recv ←0 output 0+1 @1']);
  });
});

describe('messages', () => {
  it('are packed and unpacked through scratch where their pieces are apart', () => {
    const parts = [piece('output 0', 'output 1'), piece('output 2', 'output 3')];
    const plan = lower(schedule(collectiveOf('allreduce', 2, { chunks: 4, inPlace: true }), [[copy(0, 1, ...parts)]]));
    expect(program(plan, 0)).toEqual([
      '0: copy output 0+1 > scratch 0+1 @1',
      '0: copy output 2+1 > scratch 1+1 @1',
      '0: send →1 scratch 0+2 @1',
    ]);
    expect(program(plan, 1)).toEqual([
      '0: recv ←0 scratch 0+2 @1',
      '0: copy scratch 0+1 > output 1+1 @1',
      '0: copy scratch 1+1 > output 3+1 @1',
    ]);
  });

  it('go without copies where their pieces follow each other in memory', () => {
    const parts = [piece('output 1', 'output 0'), piece('output 2', 'output 1')];
    const plan = lower(schedule(collectiveOf('allreduce', 2, { chunks: 4, inPlace: true }), [[copy(0, 1, ...parts)]]));
    expect(program(plan, 0)).toEqual(['0: send →1 output 1+2 @1']);
    expect(program(plan, 1)).toEqual(['0: recv ←0 output 0+2 @1']);
  });

  it('are unpacked by reductions that keep the order of the operands', () => {
    const parts = [piece('output 0', 'output 1'), piece('output 2', 'output 3')];
    const transfer: Transfer = { ...reduce(0, 1, ...parts), order: 'received-first' };
    const plan = lower(schedule(collectiveOf('allreduce', 2, { chunks: 4, inPlace: true }), [[transfer]]));
    expect(program(plan, 1).slice(1)).toEqual([
      '0: reduce scratch 0+1 > output 1+1 @1',
      '0: reduce scratch 1+1 > output 3+1 @1',
    ]);
    expect([...plan.ops.receivedFirst]).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it('of nothing are left out', () => {
    const plan = lower(schedule(collectiveOf('broadcast', 2), [[copy(0, 1)], [copy(0, 1, piece('data 0'))]]));
    expect(program(plan, 1)).toEqual(['0: recv ←0 output 0+1 @2']);
  });

  it('have a lane for each channel and direction', () => {
    const both = [
      copy(0, 1, piece('data 0')),
      { ...copy(0, 1, piece('data 1')), channel: 3 },
      copy(1, 0, piece('data 2')),
    ];
    const plan = lower(schedule(collectiveOf('allreduce', 2, { chunks: 4, inPlace: true }), [both]));
    expect(program(plan, 0)).toEqual([
      '0: send →1 output 0+1 @1',
      '1: send →1 output 1+1 @1',
      '2: recv ←1 output 2+1 @1',
    ]);
    const ofRank0 = [...plan.ops.channel].slice(0, 3);
    expect(ofRank0).toEqual([0, 3, 0]);
  });
});

describe('waits', () => {
  const inPlace = (chunks: number, ranks = 2) => collectiveOf('allreduce', ranks, { chunks, inPlace: true });

  it('hold a receive back until what it overwrites is sent', () => {
    const plan = lower(schedule(inPlace(1), [[reduce(0, 1, piece('data 0')), reduce(1, 0, piece('data 0'))]]));
    expect(program(plan, 0)).toEqual(['0: send →1 output 0+1 @1', '1: recvReduce ←1 output 0+1 @1 after 0.0']);
  });

  it('apply reductions of one step in the order they are listed', () => {
    const steps = [[reduce(2, 0, piece('data 0')), reduce(1, 0, piece('data 0')), reduce(3, 0, piece('data 0'))]];
    expect(program(lower(schedule(inPlace(1, 4), steps)), 0)).toEqual([
      '0: recvReduce ←2 output 0+1 @1',
      '1: recvReduce ←1 output 0+1 @1 after 0.0',
      '2: recvReduce ←3 output 0+1 @1 after 1.0',
    ]);
  });

  it('leave a race between two copies a race, though both follow what was there', () => {
    const steps = [[copy(0, 3, piece('data 0'))], [copy(1, 0, piece('data 0')), copy(2, 0, piece('data 0'))]];
    expect(program(lower(schedule(inPlace(1, 4), steps)), 0)).toEqual([
      '0: send →3 output 0+1 @1',
      '1: recv ←1 output 0+1 @2 after 0.0',
      '2: recv ←2 output 0+1 @2 after 0.0',
    ]);
  });

  it('leave out what another wait implies', () => {
    const steps = [[copy(1, 0, piece('data 0'))], [copy(0, 2, piece('data 0'))], [copy(3, 0, piece('data 0'))]];
    expect(program(lower(schedule(inPlace(1, 4), steps)), 0)).toEqual([
      '0: recv ←1 output 0+1 @1',
      '1: send →2 output 0+1 @2 after 0.0',
      '2: recv ←3 output 0+1 @3 after 1.0',
    ]);
  });

  it('hold a bulk back until an earlier one has used the same scratch', () => {
    const steps = [[copy(0, 1, piece('data 0', 'scratch 0'))], [copy(1, 2, piece('scratch 0', 'data 0'))]];
    for (const copies of [1, 2, 3]) {
      const plan = lower(schedule(inPlace(1, 3), steps, { scratch: 1 }), { bulks: 4, scratchPerBulk: copies });
      expect(program(plan, 1)).toEqual([
        `0: recv ←0 scratch 0+1 @1 after 1.0-${copies}`,
        '1: send →2 scratch 0+1 @2 after 0.0',
      ]);
      expect([plan.bulks, plan.scratchPerBulk]).toEqual([4, copies]);
    }
  });

  it('have a copy of scratch for each bulk where bulks are few, and none where no rank uses scratch', () => {
    const relay = [[copy(0, 1, piece('data 0', 'scratch 0'))], [copy(1, 2, piece('scratch 0', 'data 0'))]];
    const plan = lower(schedule(inPlace(1, 3), relay, { scratch: 1 }), { bulks: 2 });
    expect([plan.scratchPerBulk, program(plan, 1)[0]]).toEqual([2, '0: recv ←0 scratch 0+1 @1']);
    const direct = schedule(inPlace(1, 3), [[copy(0, 1, piece('data 0'))]]);
    expect(lower(direct, { bulks: 100 }).scratchPerBulk).toBe(1);
  });

  it('need nothing between bulks where a lane runs its own operations in order', () => {
    const parts = [piece('data 0'), piece('data 2')];
    const plan = lower(schedule(inPlace(4), [[copy(0, 1, ...parts)]]), { bulks: 3 });
    expect(plan.ops.afterOp.length).toBe(0);
  });
});

describe('ranks in step', () => {
  it('send when they have what earlier steps send them, though they send something else', () => {
    const steps = [
      [copy(0, 1, piece('data 0')), reduce(2, 1, piece('data 1'))],
      [copy(1, 3, piece('data 2')), copy(1, 0, piece('data 3'))],
    ];
    const target = collectiveOf('allreduce', 4, { chunks: 4, inPlace: true });
    const loose = schedule(target, steps);
    expect(program(lower(loose), 1).some((line) => line.includes('after'))).toBe(false);
    for (const asked of [{ inStep: true }, { sendsWait: true }] as const) {
      expect(program(lower({ ...loose, ...asked }), 1)).toEqual([
        '0: recv ←0 output 0+1 @1',
        '1: recvReduce ←2 output 1+1 @1',
        '2: send →3 output 2+1 @2 after 0.0 1.0',
        '3: send →0 output 3+1 @2 after 0.0 1.0',
      ]);
    }
  });
});

describe('steps', () => {
  const swap = (ranks: number) => collectiveOf('allreduce', ranks, { chunks: 2, inPlace: true });

  it('swap two slots by way of scratch', () => {
    const plan = lower(
      schedule(swap(1), [[copy(0, 0, piece('output 0', 'output 1')), copy(0, 0, piece('output 1', 'output 0'))]]),
    );
    expect(program(plan, 0)).toEqual([
      '0: copy output 1+1 > scratch 0+1 @1',
      '0: copy output 0+1 > output 1+1 @1',
      '0: copy scratch 0+1 > output 0+1 @1',
    ]);
  });

  it('shift a slice over itself by way of scratch', () => {
    const target = collectiveOf('allreduce', 1, { chunks: 3, inPlace: true });
    const plan = lower(schedule(target, [[copy(0, 0, piece('output 0 2', 'output 1'))]]));
    expect(program(plan, 0)).toEqual(['0: copy output 0+2 > scratch 0+2 @1', '0: copy scratch 0+2 > output 1+2 @1']);
  });

  it('drop copies of cells onto themselves', () => {
    expect(program(lower(schedule(swap(1), [[copy(0, 0, piece('data 0'))]])), 0)).toEqual([]);
  });

  it('claim rounds by their number in the plan, where step 0 claims none', () => {
    const builder = new StepsBuilder();
    builder.add(copy(0, 1, piece('data 0')));
    builder.endStep(2);
    builder.add(copy(1, 0, piece('data 1')));
    builder.endStep();
    const plan = lower({ ...schedule(swap(2), []), steps: builder.build() });
    expect(plan.rounds).toEqual([0, 2, 0]);
    expect(lower(schedule(swap(2), [])).rounds).toEqual([]);
  });
});

describe('one message in flight', () => {
  /** Runs a plan in many orders; whether a plan gets stuck does not depend on the order, so these agree. */
  function finishes(steps: Transfer[][], ranks: number): boolean {
    const plan = lower(schedule(collectiveOf('allreduce', ranks, { chunks: 6, inPlace: true }), steps));
    const outcomes = [1, 2, 3, 4, 5].map((seed) => execute(plan, 1, seeded(seed)) !== undefined);
    expect(new Set(outcomes).size).toBe(1);
    return outcomes[0];
  }

  it('is enough where the first message each way overwrites the source of the second', () => {
    const crossed = [
      copy(0, 1, piece('data 0', 'data 1')),
      copy(0, 1, piece('data 1', 'data 0')),
      copy(1, 0, piece('data 0', 'data 1')),
      copy(1, 0, piece('data 1', 'data 0')),
    ];
    expect(finishes([crossed], 2)).toBe(true);
  });

  it('is enough for an exchange of several chunks, without copies', () => {
    const exchange = [0, 1].flatMap((rank) => [0, 1, 2].map((chunk) => reduce(rank, 1 - rank, piece(`data ${chunk}`))));
    expect(finishes([exchange], 2)).toBe(true);
    const plan = lower(schedule(collectiveOf('allreduce', 2, { chunks: 3, inPlace: true }), [exchange]));
    expect(plan.buffers.map(({ scratch }) => scratch)).toEqual([0, 0]);
  });

  it('is enough where reductions are chained across connections in a circle', () => {
    // Ranks 1 and 2: what arrives second from rank 0 overwrites the source of what is sent second, and what arrives first
    // from the other is listed after it.
    const step = [
      ...[1, 2].flatMap((rank) => [
        reduce(0, rank, piece('data 3')),
        reduce(0, rank, piece('data 0 2')),
        reduce(3 - rank, rank, piece('data 4', 'data 1')),
      ]),
      reduce(2, 1, piece('data 0', 'data 2')),
      reduce(1, 2, piece('data 0', 'data 2')),
    ];
    expect(finishes([step], 3)).toBe(true);
  });
});

describe('size', () => {
  it('of chunks does not change what a plan of whole shards looks like', () => {
    const steps = (chunks: number) => [
      [copy(0, 1, piece(`data 0 ${chunks}`)), copy(1, 0, piece(`data ${chunks} ${chunks}`))],
    ];
    const plan = lower(schedule(collectiveOf('allgather', 2, { chunks: 12 }), steps(12)));
    expect(program(plan, 0)).toEqual([
      '0: copy input 0+12 > output 0+12 @0',
      '1: send →1 input 0+12 @1',
      '2: recv ←1 output 12+12 @1',
    ]);
  });
});

describe('transfers of what does not exist', () => {
  it.each([
    ['a rank', copy(0, 5, piece('data 0')), 'rank 5'],
    [
      'chunks behind the end',
      copy(0, 1, piece('data 1 2')),
      '2 chunks from chunk 1 of data on rank 0, which has 2 chunks',
    ],
    ['chunks before the start', copy(0, 1, piece('data 0', 'data -1')), 'chunk -1 of data on rank 1'],
    ['scratch', copy(0, 1, piece('data 0', 'scratch 0')), 'which has 0 chunks there'],
  ])('is refused: %s', (_, transfer, message) => {
    const wrong = schedule(collectiveOf('allreduce', 2, { chunks: 2 }), [[transfer]]);
    expect(() => lower(wrong)).toThrow(CccError);
    expect(() => lower(wrong)).toThrow(message);
  });
});
