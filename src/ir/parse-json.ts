/** JSON in whole documents, as programs wrote them. */
import { CccError, type SourceText } from './diagnostic.ts';

/**
 * @param expected what the text should be
 * @throws CccError 'syntax' with the place where it stops being JSON
 */
export function parseJson(source: SourceText, expected: string): unknown {
  try {
    return JSON.parse(source.text);
  } catch (error) {
    // V8 says where, but for texts that end too soon.
    const position = /position (\d+)/.exec(String(error))?.[1];
    const start = position === undefined ? source.text.length : Number(position);
    throw new CccError('syntax', `${source.name} is not JSON: expected ${expected}`, { source, start, end: start + 1 });
  }
}
