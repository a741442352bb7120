/** Bad inputs with the place of the error marked in them: `⟦…⟧` around what the caret must stand under. */
import { expect } from 'vitest';
import { CccError, type ErrorCode, type SourceText } from '../../src/ir/diagnostic.ts';

/** Name, text with one marked place, code, and words that the message must contain. */
export type BadInput = readonly [name: string, marked: string, code: ErrorCode, words: readonly string[]];

/** The CccError that reading ends with; anything else that is thrown, or nothing, fails the test. */
export function failureOf(read: () => unknown): CccError {
  try {
    read();
  } catch (error) {
    if (error instanceof CccError) return error;
    throw error;
  }
  throw new Error('this was read without an error');
}

/** Reads the text without its marks, and checks code, message and the exact range of the error. */
export function expectFailure(read: (source: SourceText) => unknown, [, marked, code, words]: BadInput): void {
  const start = marked.indexOf('⟦');
  const end = marked.indexOf('⟧') - 1;
  const text = marked.replace('⟦', '').replace('⟧', '');
  const error = failureOf(() => read({ name: 'test.yaml', text }));
  for (const word of words) expect(error.message).toContain(word);
  expect(error.code).toBe(code);
  expect(error.range && [text.slice(error.range.start, error.range.end), error.range.start]).toEqual([
    text.slice(start, end),
    start,
  ]);
}
