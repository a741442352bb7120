/** Pieces that are found bit by bit, against all there are. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/ir/random.ts';
import { runLength, wholeBlocks } from '../../../src/synth/list/bits.ts';
import { LongPieces } from '../../../src/synth/list/rounds/long-pieces.ts';

const items = 96;
const words = items / 32;
const isSet = (row: Uint32Array, item: number): boolean => ((row[item >> 5] >>> (item & 31)) & 1) === 1;

/** Rows of bits of which runs are set, so that there are pieces of many lengths. */
function rowOfRuns(random: Random): Uint32Array {
  const row = new Uint32Array(words);
  for (let item = 0; item < items; ) {
    const [length, set] = [1 + random.below(12), random.below(3) > 0];
    for (let i = item; set && i < Math.min(items, item + length); i++) row[i >> 5] |= 1 << (i & 31);
    item += length;
  }
  return row;
}

/** The pieces of an array, as long as may be, none across a multiple of `block`. */
function piecesOf(free: readonly boolean[], block: number): { first: number; count: number }[] {
  const pieces: { first: number; count: number }[] = [];
  free.forEach((isFree, item) => {
    const last = pieces.at(-1);
    if (!isFree) return;
    if (last !== undefined && last.first + last.count === item && item % block !== 0) last.count++;
    else pieces.push({ first: item, count: 1 });
  });
  return pieces;
}

describe('bits of a word', () => {
  it('are whole blocks where all are set, and in a row up to the first that is not', () => {
    const random = new Random(1);
    for (let trial = 0; trial < 200; trial++) {
      const row = rowOfRuns(random);
      for (let s = 0; s <= 5; s++) {
        const block = 1 << s;
        const starts = Array.from({ length: 32 }, (_, bit) => bit).filter(
          (bit) => bit % block === 0 && Array.from({ length: block }, (_, i) => isSet(row, bit + i)).every(Boolean),
        );
        const found = wholeBlocks(row[0], s);
        expect(Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (found >>> bit) & 1)).toEqual(starts);
      }
      const [piece] = piecesOf(
        Array.from({ length: 32 }, (_, bit) => isSet(row, bit)),
        32,
      );
      if (piece !== undefined) expect(runLength(row[0], piece.first)).toBe(piece.count);
    }
  });
});

describe('the longest pieces', () => {
  it.each([1, 2, 3, 8, 13, 40])('of at most %i items are found, and of these one with as few gaps as any', (most) => {
    const block = 2 ** Math.floor(Math.log2(Math.min(most, 32)));
    const random = new Random(most);
    let compared = 0;
    for (let trial = 0; trial < 300; trial++) {
      const [source, receiver, brought] = [rowOfRuns(random), rowOfRuns(random), rowOfRuns(random)];
      const bits = Uint32Array.from([...source, ...receiver]);
      const holders = new Int32Array(items).map(() => 1 + random.below(2));
      const found = new LongPieces({ words, bits, gets: bits, holders }, random);
      const isHeld = (item: number) =>
        item < 0 || item >= items || isSet(receiver, item) || isSet(brought, item) ? 1 : 0;
      const free = Array.from({ length: items }, (_, item) => isSet(source, item) && isHeld(item) === 0);
      const longest = Math.max(0, ...piecesOf(free, block).map(({ count }) => count));
      const all = piecesOf(free, block).filter(({ count }) => count === longest);
      expect(found.find(0, 1, brought, most)).toBe(all.length > 0);
      if (all.length === 0) continue;
      const { first, count } = found;
      expect(all).toContainEqual({ first, count });
      // Of very many whole blocks some are not looked at.
      if (longest === block && all.length > 4) continue;
      const held = (piece: { first: number; count: number }) =>
        isHeld(piece.first - 1) + isHeld(piece.first + piece.count);
      expect(held(found)).toBe(Math.max(...all.map(held)));
      const alike = all.filter((piece) => held(piece) === held(found));
      expect(holders[first]).toBe(Math.min(...alike.map((piece) => holders[piece.first])));
      if (alike.length > 1) compared++;
    }
    expect(compared).toBeGreaterThan(10);
  });
});
