/** The pages lead where they say, are all in the list, and name files that exist; so do the comments of the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
const listed = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const pages = [
  ...['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md'],
  ...listed('docs', '.md'),
];
const code = [...listed('src', '.ts'), ...listed('test', '.ts'), ...listed('bench', '.ts')];

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map((match) => anchorOf(match[1]));
}

describe('the pages', () => {
  it('lead to pages and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([link, file, anchor]) => {
        const target = file === '' ? page : normalize(join(dirname(page), file));
        if (!existsSync(join(root, target))) return [`${page}: ${link}`];
        return anchor === undefined || anchorsOf(target).includes(anchor) ? [] : [`${page}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('are all in the list of pages', () => {
    const list = read('docs/README.md');
    const others = listed('docs', '.md').filter((page) => page !== 'docs/README.md');
    expect(others.filter((page) => !list.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
  });

  it('name files that exist', () => {
    const missing = pages.flatMap((page) =>
      [...read(page).matchAll(/`((?:src|test|bench|schemas|schedules|topologies)\/[\w./-]*\.\w+)`/g)]
        .map(([, file]) => file)
        .filter((file) => !existsSync(join(root, file)))
        .map((file) => `${page}: ${file}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('comments', () => {
  // The last ones are what ccc writes in examples.
  const names = new Set([...[...code, ...pages].map((file) => basename(file)), 'allgather.ts', 'allreduce.ts']);

  it('name files and pages that exist', () => {
    const missing = code.flatMap((file) =>
      [...read(file).matchAll(/^\s*(?:\/\*\*|\*|\/\/)(.*)$/gm)]
        .flatMap(([, text]) => [...text.matchAll(/(?<![\w/.<-])(docs\/)?([a-z][\w-]*\.(?:ts|md))\b/g)])
        .filter(([, folder, name]) => !(folder === undefined ? names.has(name) : existsSync(join(root, folder, name))))
        .map(([name]) => `${file}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});
