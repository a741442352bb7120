/**
 * Every reader of files with damaged ones (survival.ts). Limits are small, so that whatever is read is soon done with. readers-long.test.ts does
 * more of it, and `npm run test:exhaustive` much more.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readers } from './readers.ts';
import { survives } from './survival.ts';

/** Exported functions of src whose first parameter is a text with its name, and that read it. */
function readersOf(folder: URL, path = 'src'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = `${path}/${entry.name}`;
    if (entry.isDirectory()) return readersOf(new URL(`${entry.name}/`, folder), name);
    const text = readFileSync(new URL(entry.name, folder), 'utf8');
    const found = text.matchAll(
      /export (?:async )?function\*? ((?:read|parse|open|describe|convert)[A-Z]\w*)\(\s*source: SourceText\b/g,
    );
    return [...found].map(([, reader]) => `${name}: ${reader}`);
  });
}

it('the list of readers names every reader of src', () => {
  const known = new Set(readers.flatMap(({ through }) => through));
  expect([...known].sort()).toEqual(readersOf(new URL('../../src/', import.meta.url)).sort());
});

describe.each(readers.map((reader) => ({ name: reader.format, reader })))('the reader of $name', ({ reader }) =>
  survives(reader, 15, false),
);
