/** What custom collectives want, in runs: the same as written out slot by slot, in finer and in fewer chunks as well. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Collective, type Contribution, expectation, listed } from '../../src/ir/collective.ts';
import { CustomResultsBuilder, customResults, withChunks } from '../../src/ir/custom-results.ts';
import { inFewestChunks } from '../../src/ir/fewest-chunks.ts';
import { listsOf } from './custom-lists.ts';

const contributions = fc.array(fc.record({ rank: fc.nat(2), chunk: fc.nat(3) }), { maxLength: 3 });
const slot = fc.oneof(fc.constant(null), contributions);
const lists = fc.array(fc.array(slot, { maxLength: 6 }), { minLength: 1, maxLength: 4 });

function customOf(written: readonly (readonly (readonly Contribution[] | null)[])[], chunks = 1): Collective {
  const custom = {
    input: written.map(() => 4 * chunks),
    output: written.map((slots) => slots.length),
    results: customResults(written),
  };
  const named = { ranks: written.length, chunks, root: 0, op: 'sum', ordered: false, inPlace: false } as const;
  return { kind: 'custom', ...named, custom };
}

/** What a slot wants when each chunk is cut into so many. */
function finer(written: readonly (readonly (readonly Contribution[] | null)[])[], factor: number) {
  return written.map((slots) =>
    slots.flatMap((wanted) =>
      Array.from({ length: factor }, (_, part) => {
        return wanted?.map(({ rank, chunk }) => ({ rank, chunk: chunk * factor + part })) ?? null;
      }),
    ),
  );
}

describe('what slots want', () => {
  it('is the same in runs', () => {
    fc.assert(
      fc.property(lists, (written) => {
        expect(listsOf(customResults(written))).toEqual(written);
      }),
    );
  });

  it('is found slot by slot, and nothing where no slot is', () => {
    fc.assert(
      fc.property(lists, (written) => {
        const collective = customOf(written);
        written.forEach((slots, rank) => {
          slots.forEach((wanted, at) => {
            const found = expectation(collective, rank, at);
            expect(found.kind === 'list' ? listed(found) : null).toEqual(wanted);
          });
          expect(expectation(collective, rank, slots.length).kind).toBe('undefined');
        });
        expect(expectation(collective, written.length, 0).kind).toBe('undefined');
      }),
    );
  });

  it('of any number of chunks is one run for each shard', () => {
    const builder = new CustomResultsBuilder();
    for (const own of [0, 1]) {
      builder.openRank();
      for (let chunk = 0; chunk < 1000; chunk++) builder.add([{ rank: own, chunk }]);
      builder.add(null, 7);
      builder.add([{ rank: 1 - own, chunk: 5 }], 1000);
    }
    const { slot: first, count, lists: parts } = builder.build();
    expect([...first]).toEqual([0, 1000, 1007, 0, 1000, 1007]);
    expect([...count]).toEqual([1000, 7, 1000, 1000, 7, 1000]);
    expect(parts).toEqual([[{ rank: 0, chunk: 0 }], [{ rank: 1, chunk: 0 }]]);
  });
});

describe('other numbers of chunks', () => {
  it('are what cutting every slot gives', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 4 }), (written, factor) => {
        const cut = withChunks(customResults(written), (chunks) => chunks * factor);
        expect(listsOf(cut)).toEqual(finer(written, factor));
      }),
    );
  });

  it('are as few as say the same', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 2, max: 4 }), (written, factor) => {
        const collective = customOf(finer(written, factor), factor);
        const fewest = inFewestChunks(collective);
        const left = (fewest.custom?.input[0] ?? 0) / 4;
        // Neighbours that were one run to begin with may be cut less than they were.
        expect(factor % left).toBe(0);
        expect(fewest.custom && listsOf(fewest.custom.results)).toEqual(finer(written, left));
        expect(fewest.chunks).toBe(left);
      }),
    );
    const twice = customOf([[[{ rank: 0, chunk: 2 }], [{ rank: 0, chunk: 3 }]]], 2);
    expect(inFewestChunks(twice)).toEqual(customOf([[[{ rank: 0, chunk: 1 }]]], 1));
  });

  it('stay where one slot is wanted otherwise', () => {
    const uneven = customOf([[[{ rank: 0, chunk: 2 }], [{ rank: 0, chunk: 1 }]]], 2);
    expect(inFewestChunks(uneven)).toBe(uneven);
    // Both slots in one run, of which the second rank's part is shifted by half of two chunks.
    const shifted = [0, 1].map((chunk) => [
      { rank: 0, chunk },
      { rank: 1, chunk: chunk + 1 },
    ]);
    const askew = customOf([shifted, shifted], 2);
    expect(inFewestChunks(askew)).toBe(askew);
  });
});
