/** The pages of the documentation and the blocks in them, for tests that hold the pages to what they show. */
import { readdirSync, readFileSync } from 'node:fs';

export const root = new URL('../../', import.meta.url).pathname;
const pages = [
  ...['README.md', 'README.zh-CN.md'],
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
];

/** Every block of the pages whose text matches the pattern, as `page, line` and the pattern's first group. */
export function blocksOf(pattern: RegExp): readonly (readonly [place: string, text: string])[] {
  return pages.flatMap((page) => {
    const text = readFileSync(root + page, 'utf8');
    return [...text.matchAll(pattern)].map((match): readonly [string, string] => [
      `${page}, line ${text.slice(0, match.index).split('\n').length}`,
      match[1],
    ]);
  });
}

export const yamlBlocks = blocksOf(/^```yaml\n(.*?)^```$/gms);
