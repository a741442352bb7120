import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Carried } from '../../../src/compact/verify/carried.ts';
import { drawn } from '../../draw.ts';

it('What a message carries is what was put, in whatever order messages are taken', () => {
  const message = fc.record({ count: fc.integer({ min: 1, max: 700 }), later: fc.nat({ max: 5 }) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 20 }), (messages) => {
      const carried = new Carried(messages.length);
      const valueAt = (operation: number, i: number): number => operation * 1000 + i;
      const takeAll = (time: number): void => {
        messages.forEach(({ count, later }, operation) => {
          if (operation + later !== time) return;
          const at = carried.take(operation, count);
          const values = [...carried.values.subarray(at, at + count)];
          expect(values).toEqual(values.map((_, i) => valueAt(operation, i)));
        });
      };
      messages.forEach(({ count }, operation) => {
        const at = carried.put(operation, count);
        for (let i = 0; i < count; i++) carried.values[at + i] = valueAt(operation, i);
        takeAll(operation);
      });
      for (let time = messages.length; time < messages.length + 5; time++) takeAll(time);
    }),
    drawn(200),
  );
});

it('Messages that are taken at once need the room of one', () => {
  const carried = new Carried(100);
  for (let operation = 0; operation < 100; operation++) {
    carried.put(operation, 1000);
    carried.take(operation, 1000);
  }
  expect(carried.values.length).toBeLessThan(3000);
});
