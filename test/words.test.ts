/** The pages are plain: short sentences, small cells, and at the top what a page is for, with an example. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(new URL('docs/', root)).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const textOf = (page: string): string =>
  readFileSync(new URL(page, root), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** What is code or formula counts as a word, and a link as its text. */
function plain(text: string): string {
  return text.replaceAll(/`[^`]*`/g, 'code').replaceAll(/\]\([^)]*\)/g, ']');
}

/** Words of each sentence: paragraphs and items of lists end sentences, and so do full stops, question marks and colons before more. */
function sentences(page: string): readonly number[] {
  const prose = textOf(page)
    .split('\n')
    .map((line) => (/^\||^#/.test(line) ? '' : line.replace(/^\s*(?:[-*]|\d+\.)\s+/, '\n')))
    .join('\n');
  return prose
    .split(/\n\s*\n/)
    .flatMap((paragraph) =>
      plain(paragraph)
        .replaceAll(/\s+/g, ' ')
        .split(/(?<=[.!?:]\)?)\s+(?=[\p{Lu}\p{N}(*[\u201c]|code)/u),
    )
    .map(wordsIn)
    .filter((words) => words > 1);
}

describe.each(pages)('%s', (page) => {
  it('has sentences of at most 20 words on average', () => {
    const lengths = sentences(page);
    const average = lengths.reduce((sum, words) => sum + words, 0) / Math.max(1, lengths.length);
    expect(average).toBeLessThanOrEqual(20);
  });

  it('has no table cell of more than 25 words', () => {
    const rows = textOf(page)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/)).filter((cell) => wordsIn(plain(cell)) > 25);
    expect(cells).toEqual([]);
  });
});

const docs = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
it.each(docs)('%s opens with what it is for, and soon has an example', (page) => {
  const lines = readFileSync(new URL(page, root), 'utf8').split('\n');
  expect(lines[0]).toMatch(/^# /);
  expect(lines[2]).toMatch(/^[\p{Lu}`"[“(\d]/u);
  const head = lines.slice(0, 32).join('\n');
  expect(head).toMatch(/^```|^\$ |`ccc |`npx /m);
});

it('counts as a reader would', () => {
  expect(wordsIn('two words – and `code`')).toBe(4);
  expect(plain('[a page](x.md) has `let x = 1`')).toBe('[a page] has code');
});
