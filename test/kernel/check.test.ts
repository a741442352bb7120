/** Plans made by hand of which it is known whether they are right, most of them such that a checker might get them wrong. */
import { describe, expect, it } from 'vitest';
import { customResults } from '../../src/ir/custom-results.ts';
import { checkPlan, type RuntimeConditions } from '../../src/kernel/check.ts';
import type { PlanTables } from '../../src/kernel/tables.ts';
import { kernelTablesOf } from '../../src/verify/kernel-tables.ts';
import { collectiveOf } from '../collectives.ts';
import { type PlanText, planOf } from '../verify/plans.ts';
import { wordOf } from './answers.ts';

function answer(text: PlanText, conditions: RuntimeConditions = {}, changes: Partial<PlanTables> = {}): string {
  return wordOf(() => checkPlan({ ...kernelTablesOf(planOf(text)), ...changes }, conditions));
}
const broadcast = collectiveOf('broadcast', 2);

describe('rendezvous', () => {
  const collective = collectiveOf('barrier', 2);
  /** Rank 1 receives twice into one slot, in two lanes: only the sender's lane orders them. */
  const ordered: PlanText = {
    ...{ collective: broadcast, scratch: 2 },
    programs: [
      [['copy i0 o0'], ['send i0 1 ch=2', 'copy i0 s0', 'send i0 1', 'send i0 1 ch=1']],
      [['recv s0 0 ch=2', 'copy s0 s1', 'recv o0 0'], ['recv o0 0 ch=1']],
    ],
  };

  it('lets what follows the send follow the receive', () => {
    expect(answer(ordered, { inflight: 0 })).toBe('correct');
    expect(answer(ordered, { inflight: 1 })).toBe('race');
    expect(answer(ordered, { inflight: 0, ownership: 'strict' })).toBe('race');
  });

  it('does not take a receive for later that is posted before the send is done', () => {
    // Rank 1 owns its one slot for the send and for the receive at once, although the data come back only after they have left.
    const text: PlanText = {
      collective: collectiveOf('allreduce', 2, { inPlace: true }),
      programs: [
        [['recvReduce o0 1'], ['send o0 1 after=0.0']],
        [['send o0 0'], ['recv o0 0']],
      ],
    };
    for (const inflight of [0, 1, undefined]) {
      expect(answer(text, { inflight })).toBe('correct');
      expect(answer(text, { inflight, ownership: 'strict' })).toBe('race');
    }
  });

  it('deadlocks where both send first', () => {
    const exchange = [0, 1].map((rank) => [[`send i0 ${1 - rank}`, `recv s0 ${1 - rank}`]]);
    const text = { collective, scratch: 1, programs: exchange };
    expect(answer(text, { inflight: 0 })).toBe('deadlock');
    expect(answer(text, { inflight: 1 })).toBe('correct');
  });

  it('makes a barrier of one message', () => {
    const text = { collective, scratch: 1, programs: [[['send i0 1']], [['recv s0 0']]] };
    expect(answer(text, { inflight: 0 })).toBe('correct');
    expect(answer(text)).toBe('wrong-result');
  });
});

describe('bulks', () => {
  const relayed = (bulks: number, scratchPerBulk: number, after = ''): PlanText => ({
    ...{ collective: collectiveOf('broadcast', 2), scratch: 1, bulks, scratchPerBulk },
    programs: [[['copy i0 o0', 'send i0 1']], [['recv s0 0'.concat(after)], ['copy s0 o0 after=0.0']]],
  });

  it('meet in scratch as soon as a copy is used again', () => {
    expect(answer(relayed(2, 2))).toBe('correct');
    expect(answer(relayed(3, 2))).toBe('race');
    expect(answer(relayed(3, 2, ' after=1.0/2'))).toBe('correct');
    expect(answer(relayed(3, 2, ' after=1.0/1'))).toBe('correct');
    expect(answer(relayed(3, 2, ' after=1.0/3'))).toBe('race');
  });

  it('do not keep a rank in a barrier that it left in the bulk before', () => {
    const programs = [[['send i0 1']], [['recv s0 0']]];
    const text = { collective: collectiveOf('barrier', 2), scratch: 1, bulks: 2, programs };
    expect(answer(text, { inflight: 1 })).toBe('wrong-result');
  });
});

describe('conditions', () => {
  const of = (parts: readonly (readonly [number, number])[], ordered: boolean, op: 'sum' | 'max') => {
    const results = customResults([[parts.map(([rank, chunk]) => ({ rank, chunk }))], []]);
    return collectiveOf('custom', 2, { op, ordered, custom: { input: [2, 1], output: [1, 0], results } });
  };
  const sum = (collective: PlanText['collective'], first = ''): string =>
    answer({ collective, programs: [[['copy i0 o0', `reduce i1 o0${first}`]], []] });

  it('combine what is listed, in order where that matters, as often', () => {
    expect(
      sum(
        of(
          [
            [0, 0],
            [0, 1],
          ],
          true,
          'sum',
        ),
      ),
    ).toBe('correct');
    expect(
      sum(
        of(
          [
            [0, 1],
            [0, 0],
          ],
          false,
          'sum',
        ),
      ),
    ).toBe('correct');
    expect(
      sum(
        of(
          [
            [0, 1],
            [0, 0],
          ],
          true,
          'sum',
        ),
      ),
    ).toBe('wrong-result');
    expect(
      sum(
        of(
          [
            [0, 1],
            [0, 0],
          ],
          true,
          'sum',
        ),
        ' first',
      ),
    ).toBe('correct');
    expect(
      sum(
        of(
          [
            [0, 0],
            [0, 1],
            [0, 1],
          ],
          false,
          'sum',
        ),
      ),
    ).toBe('wrong-result');
    expect(
      sum(
        of(
          [
            [0, 0],
            [0, 1],
            [0, 1],
          ],
          false,
          'max',
        ),
      ),
    ).toBe('correct');
  });

  it('name inputs that there are: those of a rank do not go on in the next one', () => {
    const collective = of([[0, 2]], false, 'sum');
    expect(answer({ collective, programs: [[['recv o0 1']], [['send i0 0']]] })).toBe('malformed');
    expect(answer({ collective: of([[1, 0]], false, 'sum'), programs: [[['recv o0 1']], [['send i0 0']]] })).toBe(
      'correct',
    );
  });
});

describe('the ends of the scale', () => {
  it('one operation that waits for two hundred thousand', () => {
    const lanes = 200_000;
    const waits = Array.from({ length: lanes }, (_, lane) => ` after=${lane + 1}.0`).join('');
    const others = Array.from({ length: lanes }, (_, lane) => [`copy i0 s${lane}`]);
    const text = {
      collective: collectiveOf('allgather', 1),
      scratch: lanes,
      programs: [[[`copy i0 o0${waits}`], ...others]],
    };
    expect(answer(text)).toBe('correct');
  });

  it('one rank, nothing to do, and what nobody asks for', () => {
    expect(answer({ collective: collectiveOf('allreduce', 1, { inPlace: true }), programs: [[]] })).toBe('correct');
    expect(answer({ collective: collectiveOf('allreduce', 1), programs: [[]] })).toBe('wrong-result');
    expect(answer({ collective: collectiveOf('barrier', 1), programs: [[[]]] })).toBe('correct');
    expect(answer({ collective: collectiveOf('barrier', 2), programs: [[], []] })).toBe('wrong-result');
    expect(answer({ collective: collectiveOf('exscan', 1), programs: [[]] })).toBe('correct');
  });

  it.each([1, 2, 33, 64, 65])('a barrier of %i ranks and one that lets go before the last has come', (ranks) => {
    const peers = Array.from({ length: ranks - 1 }, (_, i) => i + 1);
    const root = [...peers.map((rank) => `recv s0 ${rank}`), ...peers.map((rank) => `send i0 ${rank} ch=1`)];
    const others = peers.map(() => [['send i0 0', 'recv s0 0 ch=1']]);
    const text = { collective: collectiveOf('barrier', ranks), scratch: 1 };
    expect(answer({ ...text, programs: [[root], ...others] })).toBe('correct');
    if (ranks < 3) return;
    const left = [...root.slice(0, ranks - 2), ...root.slice(ranks - 1), root[ranks - 2]];
    expect(answer({ ...text, programs: [[left], ...others] }, { inflight: 1 })).toBe('wrong-result');
  });

  it('shards of no bytes, and chunks that do not fit', () => {
    const gather = collectiveOf('allgather', 2, { counts: [8, 0] });
    const programs = [[['copy i0 o0', 'send i0 1']], [['recv o0 0']]];
    expect(answer({ collective: gather, programs })).toBe('correct');
    const detour = [[['copy i0 o1', 'copy o1 o0', 'send i0 1']], [['recv o0 0']]];
    expect(answer({ collective: gather, programs: detour })).toBe('wrong-result');
    const swap = collectiveOf('alltoall', 2, { counts: [1, 2, 3, 4], inPlace: true });
    expect(answer({ collective: swap, programs: [[], []] })).toBe('malformed');
  });

  it('no sizes of shards where a collective has none: what has no bytes would be asked for by nobody', () => {
    const text = { collective: collectiveOf('allreduce', 2), programs: [[], []] };
    for (const counts of [[], [0], [0, 0], [0, 0, 0, 0]]) {
      expect(answer(text, {}, { collective: { ...text.collective, custom: undefined, counts } })).toBe('malformed');
    }
  });
});

describe('limits of the machine', () => {
  const text: PlanText = {
    collective: broadcast,
    programs: [[['copy i0 o0', 'send i0 1', 'send i0 1']], [['recv o0 0', 'recv o0 0']]],
  };

  it('chunks are whole numbers of aligned units', () => {
    expect(answer(text, {}, { size: 256, limits: { alignment: 128 } })).toBe('correct');
    expect(answer(text, {}, { size: 200, limits: { alignment: 128 } })).toBe('over-capacity');
    expect(answer({ ...text, bulks: 4 }, {}, { size: 256, limits: { alignment: 128 } })).toBe('over-capacity');
    expect(answer(text, {}, { limits: { alignment: 128 } })).toBe('over-capacity');
    expect(answer(text, {}, { size: 256, limits: { alignment: 0 } })).toBe('malformed');
    const alone = { collective: collectiveOf('broadcast', 1), programs: [[['copy i0 o0']]] };
    expect(answer(alone, {}, { size: 1, limits: { alignment: 128 } })).toBe('correct');
  });

  it('the token of a barrier and a slot of a custom collective are one chunk, whatever C is', () => {
    const barrier = {
      collective: collectiveOf('barrier', 2, { chunks: 2 }),
      programs: [[['send i0 1']], [['recv i0 0']]],
    };
    const signal: PlanText = { ...barrier, collective: { ...barrier.collective, inPlace: true } };
    expect(answer(signal, { inflight: 0 })).toBe('correct');
    expect(answer(signal, { inflight: 0 }, { size: 128, limits: { alignment: 128 } })).toBe('correct');
    expect(answer(signal, { inflight: 0 }, { size: 192, limits: { alignment: 128 } })).toBe('over-capacity');
    const results = customResults([[], [[{ rank: 0, chunk: 0 }], [{ rank: 0, chunk: 1 }]]]);
    const custom = { input: [2, 0], output: [0, 2], results };
    const pairs = {
      collective: collectiveOf('custom', 2, { chunks: 2, custom }),
      programs: [[['send i0*2 1']], [['recv o0*2 0']]],
    };
    expect(answer(pairs, {}, { size: 256, limits: { alignment: 128 } })).toBe('correct');
    expect(answer(pairs, {}, { size: 384, limits: { alignment: 128 } })).toBe('over-capacity');
  });

  it('no message has the number of one on its way', () => {
    expect(answer(text, {}, { limits: { messageIds: 2 } })).toBe('correct');
    expect(answer({ ...text, bulks: 2 }, {}, { limits: { messageIds: 2 } })).toBe('over-capacity');
    expect(answer({ ...text, bulks: 2 }, { inflight: 2 }, { limits: { messageIds: 2 } })).toBe('correct');
    expect(answer(text, {}, { limits: { messageIds: 0 } })).toBe('malformed');
  });
});

describe('the tables of a plan', () => {
  const text: PlanText = {
    collective: broadcast,
    programs: [[['copy i0 o0'], ['send i0 1']], [['recv o0 0 after=0.0/1']]],
  };
  const { ops, firstLane, firstOp } = kernelTablesOf(planOf(text));
  const longer = (column: Int32Array): Int32Array => Int32Array.of(...column, 0);
  const operations = (changes: Partial<PlanTables['ops']>): string => answer(text, {}, { ops: { ...ops, ...changes } });

  it('fit together: nothing is left out, and nothing stands twice', () => {
    expect(answer(text)).toBe('correct');
    expect(answer(text, {}, { firstLane: longer(firstLane) })).toBe('malformed');
    expect(answer(text, {}, { firstLane: Int32Array.of(0, 2, 2) })).toBe('malformed');
    expect(answer(text, {}, { firstLane: Int32Array.of(1, 2, 3) })).toBe('malformed');
    expect(answer(text, {}, { firstOp: Int32Array.of(0, 2, 1, 3) })).toBe('malformed');
    expect(answer(text, {}, { firstOp: firstOp.subarray(0, 3) })).toBe('malformed');
    expect(operations({ firstAfter: Int32Array.of(0, 0, 0, 0) })).toBe('malformed');
    expect(operations({ afterBulks: new Int32Array(0) })).toBe('malformed');
    for (const name of ['peer', 'channel', 'receivedFirst', 'srcOffset', 'dstBuffer', 'dstCount'] as const) {
      expect(operations({ [name]: longer(ops[name]) })).toBe('malformed');
      expect(operations({ [name]: ops[name].subarray(1) })).toBe('malformed');
    }
  });

  it('have no slice for what an operation does not have', () => {
    expect(operations({ dstBuffer: Int32Array.of(1, 2, 1), dstOffset: Int32Array.of(0, 7, 0) })).toBe('malformed');
    expect(operations({ srcBuffer: Int32Array.of(0, 0, 2), srcOffset: Int32Array.of(0, 0, 7) })).toBe('malformed');
  });

  it('relay by a later send of the same lane', () => {
    const chain: PlanText = {
      ...{ collective: collectiveOf('broadcast', 3) },
      programs: [[['copy i0 o0', 'send i0 1']], [['recv o0 0', 'send o0 2']], [['recv o0 1']]],
    };
    const tables = kernelTablesOf(planOf(chain));
    const relaying = (...relay: number[]): string =>
      answer(chain, {}, { ops: { ...tables.ops, relay: Int32Array.from(relay) } });
    expect(relaying(-1, -1, 3, -1, -1)).toBe('correct');
    for (const wrong of [0, 1, 2, 4, 5, -2]) expect(relaying(-1, -1, wrong, -1, -1)).toBe('malformed');
    expect(relaying(1, -1, -1, -1, -1)).toBe('malformed');
  });
});
