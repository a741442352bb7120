/** What readers make of damaged texts: what they read, or a CccError with its place; never another error, never without end. */
import { expect, it } from 'vitest';
import { CccError } from '../../src/ir/diagnostic.ts';
import { Random } from '../../src/ir/random.ts';
import { testSeed } from '../draw.ts';
import { damaged, hostile } from './damage.ts';
import type { Reader } from './readers.ts';

/** Errors that are of a file as a whole, or of what it asks for. */
const withoutPlace =
  /^(?:schema|limit|range|unit|usage|topology|disconnected|unsupported|unproved|schedule|syntax|stopped)$/;

/** `read`, `error with its place` or an error's code. */
async function outcome({ read }: Reader, text: string): Promise<string> {
  try {
    await read({ name: 'fuzz', text });
    return 'read';
  } catch (error) {
    if (!(error instanceof CccError))
      throw new Error(`${String(error)}\nfrom ${JSON.stringify(text.slice(0, 2000))}`, { cause: error });
    expect(error.message).not.toBe('');
    if (error.range === undefined) {
      expect(error.code).toMatch(withoutPlace);
      return error.code;
    }
    const { start, end, source } = error.range;
    expect(start >= 0 && end >= start && end <= source.text.length + 1).toBe(true);
    return 'error with its place';
  }
}

/**
 * @param amount of damage: cuts of each text, and damaged texts
 * @param isLong whether texts that nobody wrote by mistake are read as well: deep nesting, references without end, and the like
 */
export function survives(reader: Reader, amount: number, isLong: boolean): void {
  const texts = reader.texts();
  // The shortest ones: what matters is what is in them.
  const short = [...texts].sort((a, b) => a.length - b.length).slice(0, 3);

  it('reads what is right', async () => {
    for (const text of short) expect(await outcome(reader, text)).toBe('read');
  });

  it('refuses or reads the text cut off anywhere', async () => {
    for (const text of short) {
      const apart = Math.max(1, Math.ceil(text.length / amount));
      for (let end = 0; end < text.length; end += apart) await outcome(reader, text.slice(0, end));
    }
  });

  it('refuses or reads the text damaged at random', async () => {
    const random = new Random(testSeed + amount);
    const seen = new Set<string>();
    for (let run = 0; run < amount; run++) seen.add(await outcome(reader, damaged(short[run % short.length], random)));
    // Both sides are met, or the long test would show little.
    if (!isLong) return;
    expect(seen).toContain('read');
    expect(seen.size).toBeGreaterThan(1);
  });

  it.runIf(isLong)('refuses or reads hostile texts', async () => {
    for (const text of hostile(short[0])) await outcome(reader, text);
  });
}
