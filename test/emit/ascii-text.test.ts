import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AsciiText, asciiOf } from '../../src/emit/ascii-text.ts';
import { drawn } from '../draw.ts';

const ascii = fc.string({ unit: fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code)) });

it('Text of parts and whole numbers is what joining them makes, however long', () => {
  const number = fc.oneof(fc.nat(), fc.constantFrom(0, 9, 10, 99, 100, 2 ** 31 - 1));
  fc.assert(
    fc.property(fc.array(fc.oneof(ascii, number)), fc.nat({ max: 300 }), (parts, times) => {
      const text = new AsciiText();
      for (let time = 0; time < times; time++) {
        for (const part of parts) {
          if (typeof part === 'string') text.add(asciiOf(part));
          else text.addNumber(part);
        }
      }
      const joined = parts.join('').repeat(times);
      expect(text.length).toBe(joined.length);
      expect(text.take()).toBe(joined);
      expect(text.take()).toBe('');
    }),
    drawn(100),
  );
});
