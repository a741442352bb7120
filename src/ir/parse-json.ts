/** Parses JSON documents and reports where they are malformed. */
import { CccError, type SourceText } from './diagnostic.ts';

/**
 * @param expected what the text should be
 * @throws CccError 'syntax' with the place where it stops being JSON
 */
export function parseJson(source: SourceText, expected: string): unknown {
  try {
    return JSON.parse(source.text);
  } catch (error) {
    // V8 reports the position of a fault, except for texts that end too early.
    const position = /position (\d+)/.exec(String(error))?.[1];
    const start = position === undefined ? source.text.length : Number(position);
    throw new CccError('syntax', `${source.name} is not JSON: expected ${expected}`, { source, start, end: start + 1 });
  }
}
