/**
 * Allgathers in which ranks only pass on what has come are lowered in one go. What they must come to: the same schedule with what ranks start
 * with read by its name, `input`, which means the same and goes the way of all other schedules, operation by operation.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/ir/random.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { drawn } from '../draw.ts';

interface Wish {
  readonly ranks: number;
  readonly chunks: number;
  readonly inPlace: boolean;
  readonly seed: number;
}

const wishes: fc.Arbitrary<Wish> = fc.record({
  ranks: fc.integer({ min: 2, max: 6 }),
  chunks: fc.integer({ min: 1, max: 4 }),
  inPlace: fc.boolean(),
  seed: fc.nat(1e6),
});

/** Until everyone has everything, some of the ranks send some others some of what these lack, one chunk after the other in any order. */
function randomAllgather({ ranks, chunks, inPlace, seed }: Wish, own: 'data' | 'input'): Schedule {
  const random = new Random(seed);
  const slots = ranks * chunks;
  const has = Array.from({ length: ranks }, (_, rank) => new Set(slotsOf(rank)));
  const builder = new StepsBuilder();
  function slotsOf(rank: number): number[] {
    return Array.from({ length: chunks }, (_, chunk) => rank * chunks + chunk);
  }
  const pieceFor = (source: number, slot: number): Piece => {
    const isOwn = Math.floor(slot / chunks) === source;
    const [from, fromOffset] =
      isOwn && own === 'input' ? (['input', slot % chunks] as const) : (['data', slot] as const);
    return { from, fromOffset, to: 'data', toOffset: slot, count: 1 };
  };
  while (has.some((held) => held.size < slots)) {
    const before = has.map((held) => [...held]);
    for (let transfers = random.below(3 * ranks); transfers > 0; transfers--) {
      const source = random.below(ranks);
      const destination = random.below(ranks);
      // Of one kind: neighbours that a rank starts with and that came to it would be one piece under one name, and two under two.
      const ofOwn = random.below(2) === 0;
      const isOwn = (slot: number): boolean => Math.floor(slot / chunks) === source;
      const lacking = before[source].filter((slot) => isOwn(slot) === ofOwn && !has[destination].has(slot));
      const chosen = random.shuffle(lacking).slice(0, 1 + random.below(4));
      if (source === destination || chosen.length === 0) continue;
      const ordered = random.below(2) === 0 ? chosen : [...chosen].sort((a, b) => a - b);
      for (const slot of ordered) has[destination].add(slot);
      const pieces = ordered.map((slot) => pieceFor(source, slot));
      const plain = { kind: 'copy', order: 'held-first', origin: undefined } as const;
      builder.add({ ...plain, source, destination, channel: random.below(2), pieces });
    }
    builder.endStep();
  }
  const collective = collectiveOf('allgather', ranks, { chunks, inPlace });
  const steps = builder.build();
  return { name: 'random', collective, scratch: 0, commutative: false, ring: false, steps };
}

describe('a schedule that only passes on what has come', () => {
  it('has the plan that it has by any other name', () => {
    const check = (wish: Wish): void => {
      const plan = lower(randomAllgather(wish, 'data'));
      expect(plan).toEqual(lower(randomAllgather(wish, 'input')));
      expect(verify(plan).verdict).toBe('correct');
    };
    fc.assert(fc.property(wishes, check), drawn(100));
  });

  it('has the plan that it has by any other name in several bulks, and copies of scratch for all of them', () => {
    const wish = { ranks: 4, chunks: 3, inPlace: false, seed: 5 };
    for (const options of [
      { bulks: 3, scratchPerBulk: 3 },
      { bulks: 3, scratchPerBulk: 1 },
    ]) {
      const plan = lower(randomAllgather(wish, 'data'), options);
      expect(plan).toEqual(lower(randomAllgather(wish, 'input'), options));
      expect(verify(plan).verdict).toBe('correct');
    }
  });

  it('is as wrong as it was where it reads what nobody wrote, or writes what was there', () => {
    const collective = { kind: 'allgather', ranks: 3, chunks: 1, root: 0, op: 'sum', ordered: false } as const;
    const move = (source: number, destination: number, slot: number) => {
      const pieces = [{ from: 'data', fromOffset: slot, to: 'data', toOffset: slot, count: 1 } as const];
      const plain = { kind: 'copy', order: 'held-first', origin: undefined, channel: 0 } as const;
      return { ...plain, source, destination, pieces };
    };
    const verdictOf = (...steps: ReturnType<typeof move>[][]): string => {
      const builder = new StepsBuilder();
      for (const transfers of steps) {
        for (const transfer of transfers) builder.add(transfer);
        builder.endStep();
      }
      const schedule = { name: 'some', scratch: 0, commutative: false, ring: false, steps: builder.build() };
      return verify(lower({ ...schedule, collective: { ...collective, inPlace: false } })).verdict;
    };
    const round = [move(0, 1, 0), move(1, 2, 1), move(2, 0, 2)];
    expect(verdictOf(round, [move(0, 1, 2), move(1, 2, 0), move(2, 0, 1)])).toBe('correct');
    expect(verdictOf(round, [move(0, 1, 2), move(1, 2, 0)])).toBe('wrong-result');
    expect(verdictOf([...round, move(0, 1, 2), move(1, 2, 0), move(2, 0, 1)])).toBe('uninitialised');
    expect(verdictOf(round, [move(0, 1, 2), move(1, 2, 0), move(2, 0, 1), move(2, 1, 2)])).toBe('race');
    expect(verdictOf(round, [move(0, 1, 2), move(1, 2, 0), move(2, 0, 1)], [move(0, 1, 0)])).toBe('correct');
    expect(verdictOf([move(0, 1, 0)], [move(1, 0, 0)])).toBe('wrong-result');
  });
});
