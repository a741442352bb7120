/** Transposition: of textbook algorithms, and of random schedules, whose reverse must be the transposed linear map. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Collective, type CollectiveKind, inputChunks, outputChunks } from '../../src/ir/collective.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { reverse } from '../../src/passes/index.ts';
import { collectiveOf } from '../collectives.ts';
import { drawn } from '../draw.ts';
import { copy, piece, reduce, schedule } from '../lower/building.ts';
import { execute, seeded } from '../lower/execution.ts';
import { outputsOf } from '../lower/meaning.ts';
import { describeSchedule, schedules } from '../lower/random-schedules.ts';
import { algorithms, binomialBroadcast, binomialReduce, sorted, transfersOf, wanted } from './algorithms.ts';

const duals = {
  allgather: 'reducescatter',
  reducescatter: 'allgather',
  broadcast: 'reduce',
  reduce: 'broadcast',
  scatter: 'gather',
  gather: 'scatter',
  alltoall: 'alltoall',
} as const satisfies Partial<Record<CollectiveKind, CollectiveKind>>;
type Reversible = keyof typeof duals;

function dualOf(target: Collective): Collective {
  return { ...target, kind: duals[target.kind as Reversible] };
}

describe.each(Object.entries(algorithms))('the reverse of %s', (_, algorithm) => {
  it.each([1, 2, 3, 4, 5, 8, 13])('is the dual collective, %i ranks', (ranks) => {
    const forward = algorithm(ranks);
    const backward = reverse(forward, dualOf(forward.collective));
    outputsOf(backward).forEach((output, rank) => {
      expect(output.map(sorted)).toEqual(wanted(backward.collective, rank, output.length));
    });
  });

  it.each([1, 2, 3, 4, 5, 8, 13])('and its reverse is what it was, %i ranks', (ranks) => {
    const forward = algorithm(ranks);
    const again = reverse(reverse(forward, dualOf(forward.collective)), forward.collective);
    expect(transfersOf(again)).toEqual(transfersOf(forward));
    expect(again.scratch).toBe(forward.scratch);
  });
});

describe('the reverse', () => {
  it('of a binomial broadcast is the binomial reduce, transfer by transfer', () => {
    const backward = reverse(binomialBroadcast(8), collectiveOf('reduce', 8));
    expect(transfersOf(backward)).toEqual(transfersOf(binomialReduce(8)));
  });

  it('needs an operator that commutes if it reduces', () => {
    const forward = { ...binomialBroadcast(4), commutative: false };
    expect(reverse(forward, collectiveOf('reduce', 4)).commutative).toBe(true);
    expect(reverse(binomialReduce(4), collectiveOf('broadcast', 4)).commutative).toBe(false);
  });

  it('keeps a message whole that copies some chunks and reduces others, and sorts them out locally', () => {
    // Backwards, rank 1 gives its contribution to chunk 1 a place that is empty and adds that to chunk 0 to what is there.
    const forward = schedule(
      collectiveOf('broadcast', 2, { chunks: 2 }),
      [[copy(0, 0, piece('data 1', 'scratch 0'))], [copy(0, 1, piece('data 0'), piece('scratch 0', 'data 1'))]],
      { scratch: 1 },
    );
    const backward = reverse(forward, collectiveOf('reduce', 2, { chunks: 2 }));
    expect(transfersOf(backward)).toEqual([
      [copy(1, 0, piece('data 0', 'scratch 1'), piece('data 1', 'scratch 2'))],
      [copy(0, 0, piece('scratch 2', 'scratch 0'))],
      [reduce(0, 0, piece('scratch 1', 'data 0'))],
      [reduce(0, 0, piece('scratch 0', 'data 1'))],
    ]);
    expect(backward.scratch).toBe(3);
  });

  it('does not send what holds nothing', () => {
    // What rank 1 gets first reaches no output.
    const forward = schedule(
      collectiveOf('broadcast', 2),
      [[copy(0, 1, piece('data 0', 'scratch 0'))], [copy(0, 1, piece('data 0'))]],
      { scratch: 1 },
    );
    const backward = reverse(forward, collectiveOf('reduce', 2));
    expect(transfersOf(backward)).toEqual([[reduce(1, 0, piece('data 0'))]]);
  });

  it('names the output where the schedule named the input', () => {
    const forward = schedule(collectiveOf('broadcast', 2), [[copy(0, 1, piece('input 0', 'data 0'))]]);
    const backward = reverse(forward, collectiveOf('reduce', 2));
    expect(transfersOf(backward)).toEqual([[copy(1, 0, piece('data 0', 'output 0'))]]);
  });

  it.each([
    ['another kind', collectiveOf('allreduce', 4)],
    ['another number of ranks', collectiveOf('reduce', 5)],
    ['another number of chunks', collectiveOf('reduce', 4, { chunks: 2 })],
    ['another root', collectiveOf('reduce', 4, { root: 1 })],
  ])('for %s is refused', (_, target) => {
    expect(() => reverse(binomialBroadcast(4), target)).toThrow(CccError);
  });

  it('of any schedule is its transpose', () => {
    const kinds = Object.keys(duals) as Reversible[];
    let seed = 1;
    fc.assert(
      fc.property(schedules({ kinds, namesInput: false }), (forward) => {
        const map = weights(forward, outputsOf(forward));
        // A schedule that loses an input has a transpose with an output of nothing, which no schedule can express.
        fc.pre(usesEveryInput(forward.collective, map));
        const backward = reverse(forward, dualOf(forward.collective));
        const outputs = execute(lower(backward), 1, seeded(seed++));
        if (outputs === undefined) throw new Error(`stuck: ${describeSchedule(backward)}`);
        const transposed = weights(backward, outputs[0]);
        const turned = Object.fromEntries(Object.entries(transposed).map(([key, count]) => [turn(key), count]));
        if (JSON.stringify(sortKeys(turned)) !== JSON.stringify(sortKeys(map))) {
          throw new Error(`${describeSchedule(forward)}\n${describeSchedule(backward)}`);
        }
      }),
      drawn(300),
    );
  });
});

/** How often each input chunk is in each output chunk, `rank.chunk of output < rank.chunk of input`; what is undefined is 0. */
function weights({ collective: target }: Schedule, outputs: string[][]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let rank = 0; rank < target.ranks; rank++) {
    expect(outputs[rank]).toHaveLength(outputChunks(target, rank));
    outputs[rank].forEach((value, chunk) => {
      for (const [input] of value.matchAll(/\d+\.\d+/g)) {
        const [source, from] = input.split('.').map(Number);
        expect(from).toBeLessThan(inputChunks(target, source));
        const key = `${rank}.${chunk}<${input}`;
        counts[key] = (counts[key] ?? 0) + 1;
      }
    });
  }
  return counts;
}

function usesEveryInput(target: Collective, map: Record<string, number>): boolean {
  const used = new Set(Object.keys(map).map((key) => key.split('<')[1]));
  let inputs = 0;
  for (let rank = 0; rank < target.ranks; rank++) inputs += inputChunks(target, rank);
  return used.size === inputs;
}

function turn(key: string): string {
  const [output, input] = key.split('<');
  return `${input}<${output}`;
}

function sortKeys(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}
