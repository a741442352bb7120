/** Where elements lie: every one in exactly one slot of one bulk, and as many in an output slot as in the inputs that make it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Collective,
  collectiveKinds,
  expectation,
  inputChunks,
  messageChunks,
  outputChunks,
} from '../../src/ir/collective.ts';
import { ByteLayout, type LayoutRequest } from '../../src/run/layout.ts';

const requests: fc.Arbitrary<LayoutRequest> = fc
  .record({
    kind: fc.constantFrom(...collectiveKinds.filter((kind) => kind !== 'custom')),
    ranks: fc.integer({ min: 1, max: 6 }),
    chunks: fc.integer({ min: 1, max: 4 }),
    bulks: fc.integer({ min: 1, max: 4 }),
    root: fc.nat(5),
    inPlace: fc.boolean(),
    elements: fc.nat(100),
    elementBytes: fc.constantFrom(1, 2, 4, 8),
    alignment: fc.constantFrom(undefined, 8, 16, 128),
  })
  .map(({ kind, ranks, chunks, root, inPlace, ...rest }) => {
    const collective: Collective = {
      ...{ kind, ranks, chunks, inPlace, root: root % ranks, op: 'sum', ordered: false },
    };
    const buffers = Array.from({ length: ranks }, (_, rank) => ({
      input: inputChunks(collective, rank),
      output: outputChunks(collective, rank),
      scratch: 2,
    }));
    return { collective, buffers, scratchPerBulk: 2, staged: [], ...rest };
  });

/** A barrier's token is one chunk, whatever C is. */
const withoutTokens = requests.filter(({ collective }) => collective.kind !== 'barrier');

const codes = { input: 0, output: 1, scratch: 2 } as const;

/** Bytes from the first to the one behind the last of a slot. */
function place(
  layout: ByteLayout,
  request: LayoutRequest,
  rank: number,
  buffer: 0 | 1 | 2,
  slot: number,
  bulk: number,
) {
  layout.find(rank, buffer, slot, bulk);
  return { start: layout.address, length: layout.length, end: layout.address + layout.length * request.elementBytes };
}

describe('layout', () => {
  it('puts every element of a buffer into one slot of one bulk', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const layout = new ByteLayout(request);
        for (let rank = 0; rank < request.collective.ranks; rank++) {
          for (const buffer of ['input', 'output'] as const) {
            const parts = [];
            for (let bulk = 0; bulk < request.bulks; bulk++) {
              for (let slot = 0; slot < request.buffers[rank][buffer]; slot++) {
                parts.push(place(layout, request, rank, codes[buffer], slot, bulk));
              }
            }
            const filled = parts.filter(({ length }) => length > 0).sort((a, b) => a.start - b.start);
            let at = layout.base(rank, buffer);
            for (const part of filled) {
              expect(part.start).toBe(at);
              at = part.end;
            }
            expect(at - layout.base(rank, buffer)).toBe(
              (layout.shards(rank, buffer).at(-1) ?? 0) * request.elementBytes,
            );
            expect(at).toBeLessThanOrEqual(layout.bytes);
          }
        }
      }),
    );
  });

  it('gives a slot of the output as many elements as the slots of the inputs that make it', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const layout = new ByteLayout(request);
        const { collective } = request;
        for (let rank = 0; rank < collective.ranks; rank++) {
          for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
            const wanted = expectation(collective, rank, slot);
            if (wanted.kind !== 'ranks') continue;
            for (let bulk = 0; bulk < request.bulks; bulk++) {
              const { length } = place(layout, request, rank, 1, slot, bulk);
              for (let from = wanted.first; from <= wanted.last; from++) {
                expect(place(layout, request, from, 0, wanted.chunk, bulk).length).toBe(length);
              }
              expect(place(layout, request, rank, 2, 0, bulk).length).toBeGreaterThanOrEqual(length);
            }
          }
        }
      }),
    );
  });

  it('cuts whole units on units, as many for each chunk of a shard as can be', () => {
    fc.assert(
      fc.property(withoutTokens, fc.integer({ min: 1, max: 8 }), (given, more) => {
        const { collective, bulks, elementBytes, alignment = 8 } = given;
        // Every shard has whole units, one for each of its chunks and more.
        const parts = collective.chunks * bulks + more;
        const shards = messageChunks(collective) / collective.chunks;
        const request = { ...given, alignment, elements: (shards * parts * alignment) / elementBytes };
        const layout = new ByteLayout(request);
        for (let rank = 0; rank < collective.ranks; rank++) {
          for (const buffer of ['input', 'output', 'scratch'] as const) {
            for (let slot = 0; slot < request.buffers[rank][buffer]; slot++) {
              const { start, length } = place(layout, request, rank, codes[buffer], slot, bulks - 1);
              expect(start % alignment).toBe(0);
              expect((length * elementBytes) % alignment).toBe(0);
              const units = (length * elementBytes) / alignment;
              expect(Math.abs(units - parts / (collective.chunks * bulks))).toBeLessThan(1);
            }
          }
        }
      }),
    );
  });

  it('shares elements out by shards, whatever the chunks: floor(i·n/N)', () => {
    const collective: Collective = {
      ...{ kind: 'allgather', ranks: 4, chunks: 3, inPlace: true, root: 0, op: 'sum', ordered: false },
    };
    const buffers = Array(4).fill({ input: 3, output: 12, scratch: 0 });
    const layout = new ByteLayout({
      collective,
      buffers,
      bulks: 2,
      scratchPerBulk: 1,
      staged: [],
      elements: 10,
      elementBytes: 4,
    });
    expect([...layout.shards(1, 'output')]).toEqual([0, 2, 5, 7, 10]);
    expect([...layout.shards(1, 'input')]).toEqual([0, 3]);
    // In place, the input is the rank's shard of the output.
    expect(layout.base(3, 'input') - layout.base(3, 'output')).toBe(7 * 4);
  });
});
