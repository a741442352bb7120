/** Sets of cells, and the names of what stands in cells (src/verify/cell-bits.ts, compact/named-cells.ts), against plain sets and arrays. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NamedCells } from '../../src/compact/verify/named-cells.ts';
import { none } from '../../src/ir/none.ts';
import { TranslationGroup } from '../../src/ir/translation-group.ts';
import { CellBits } from '../../src/verify/cell-bits.ts';
import { drawn } from '../draw.ts';

const cells = 150;
const slice = fc.record({ first: fc.nat(cells - 1), count: fc.nat(cells) });
const endOf = ({ first, count }: { first: number; count: number }): number => Math.min(cells, first + count);

it('Ranges of bits are those of a set', () => {
  const change = fc.record({ slice, adds: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), slice, (changes, asked) => {
      const bits = new CellBits(cells + 1);
      const set = new Set<number>([0, cells]);
      bits.add(0);
      bits.add(cells);
      for (const { slice: range, adds } of changes) {
        const [first, end] = [Math.max(1, range.first), endOf(range)];
        if (adds) bits.addRange(first, end);
        else bits.removeRange(first, end);
        for (let cell = first; cell < end; cell++) {
          if (adds) set.add(cell);
          else set.delete(cell);
        }
      }
      const sorted = [...set].sort((a, b) => a - b);
      for (let cell = 0; cell <= cells; cell++) {
        expect(bits.has(cell)).toBe(set.has(cell));
        expect(bits.lastUpTo(cell)).toBe(sorted.findLast((other) => other <= cell));
        expect(bits.firstFrom(cell)).toBe(sorted.find((other) => other >= cell));
      }
      const range = sorted.filter((cell) => cell >= asked.first && cell < endOf(asked));
      expect(bits.hasRange(asked.first, endOf(asked))).toBe(range.length === Math.max(0, endOf(asked) - asked.first));
    }),
  );
});

it('Names are where copies, messages and reductions have brought them, seen from each rank', () => {
  const group = new TranslationGroup([3, 4]);
  const ids = 1000;
  const step = fc.record({
    kind: fc.constantFrom('copy', 'send', 'count', 'receive', 'receive', 'take'),
    from: fc.nat(cells - 1),
    to: fc.nat(cells - 1),
    count: fc.integer({ min: 1, max: 40 }),
    offset: fc.nat(11),
  });
  const shifted = (name: number, offset: number): number =>
    name === none ? name : group.add(Math.floor(name / ids), offset) * ids + (name % ids);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const named = new NamedCells(cells, ids, group);
      const plain = new Array<number>(cells).fill(none);
      named.count(10, 50, 0);
      for (let i = 0; i < 50; i++) plain[10 + i] = i;
      const sent = new Map<number, readonly number[]>();
      steps.forEach(({ kind, from, to, count: most, offset }, operation) => {
        const count = Math.min(most, cells - from, cells - to);
        const [waiting] = sent;
        if (kind === 'copy') {
          named.copy(from, to, count);
          plain.splice(to, count, ...plain.slice(from, from + count));
        } else if (kind === 'send') {
          named.send(operation, from, count);
          sent.set(operation, plain.slice(from, from + count));
        } else if (kind === 'count') {
          named.count(to, count, 5 * ids + from);
          plain.splice(to, count, ...Array.from({ length: count }, (_, i) => 5 * ids + from + i));
        } else if (waiting !== undefined) {
          const [sender, names] = waiting;
          const arrived = names.map((name) => shifted(name, offset));
          sent.delete(sender);
          if (kind === 'take') {
            expect([...named.namesFrom(sender, offset)]).toEqual(arrived);
          } else {
            const at = Math.min(to, cells - arrived.length);
            named.receive(sender, offset, at);
            plain.splice(at, arrived.length, ...arrived);
          }
        }
        expect([...named.names(0, cells)]).toEqual(plain);
      });
    }),
    drawn(150),
  );
});
