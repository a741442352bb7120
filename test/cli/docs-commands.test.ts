/** The commands of the documentation print what the pages show. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../temporary.ts';
import { inProcess, lineInProcess } from './in-process.ts';
import { blocksOf, root, yamlBlocks } from './pages.ts';
import { fileWith, shell } from './run.ts';

/** Every block of commands with what they print, as `page, line` and its lines. */
const sessions = blocksOf(/^```\n(\$ .*?)^```$/gms).map(([place, text]): readonly [string, readonly string[]] => [
  place,
  text.trimEnd().split('\n'),
]);

/** The schedule that the start page shows a mistake in: that of the page, a step too early. */
const early = yamlBlocks
  .find(([, text]) => text.includes('name: my-allgather\n'))?.[1]
  .replace('my-allgather', 'early-allgather')
  .replace('r + 1 - s', 'r - s');

/** Measured times, and what a machine has, are others each time; their columns may be, too. */
function withoutMeasurements(line: string): string {
  return line
    .replaceAll(/[\d.]+ (?:[nµm]?s|[kMG]B\/s)\b/g, '# #')
    .replaceAll(/\d+ threads?/g, '# threads')
    .replaceAll(/ +/g, ' ');
}

describe('what the pages show of commands', () => {
  const folder = emptyFolder();
  writeFileSync(`${folder}/early-allgather.yaml`, early ?? '');

  it('is there', () => {
    expect(sessions.length).toBeGreaterThanOrEqual(5);
  });

  it.each(sessions)('%s, is what they print', async (_, lines) => {
    for (let at = 0; at < lines.length; ) {
      const command = lines[at].replace(/^\$ (?:npx )?/, '');
      const next = lines.findIndex((line, index) => index > at && line.startsWith('$ '));
      const shown = lines.slice(at + 1, next < 0 ? lines.length : next);
      at = next < 0 ? lines.length : next;
      const isMeasured = command.startsWith('ccc run');
      // Plans run in threads, which only the built command has.
      const { stdout, stderr } = isMeasured ? shell(command, folder) : await lineInProcess(command, folder);
      const form = (line: string): string => (isMeasured ? withoutMeasurements(line) : line);
      const printed = (stdout + stderr).trimEnd().split('\n').map(form);
      if (!shown.includes('…')) expect(shown.length === 0 ? [] : printed).toEqual(shown.map(form));
      // `…` stands for any lines.
      let from = 0;
      for (const part of shown.join('\n').split(/^…$/m)) {
        const wanted = part
          .split('\n')
          .filter((line, index, all) => line !== '' || (index > 0 && index < all.length - 1));
        const found = printed.findIndex(
          (_, start) => start >= from && wanted.every((line, i) => printed[start + i] === form(line)),
        );
        expect({ part, found: found >= 0 || wanted.length === 0 }).toEqual({ part, found: true });
        from = found + wanted.length;
      }
    }
  });
});

describe('the start page', () => {
  const textOf = (name: string): string => yamlBlocks.find(([, text]) => text.includes(`name: ${name}\n`))?.[1] ?? '';

  it('proves its schedule for 1 … 64 ranks and makes a plan of it', async () => {
    const path = fileWith(textOf('my-allgather'), 'my-schedule.yaml');
    expect((await inProcess(['verify', path, '--ranks', '1..64'])).stdout).toContain('verified for N = 1 … 64\n');
    expect((await inProcess(['compile', 'allgather', '--topo', 'ring:8', '--algorithm', path])).status).toBe(0);
  });

  it('shows a part of the plan that its first command writes', async () => {
    const excerpt = /^```\n( +\{ "rank": 0.*?)^```$/ms.exec(readFileSync(`${root}README.md`, 'utf8'))?.[1];
    expect((await inProcess(['compile', 'allgather', '--topo', 'sg2260x4'])).stdout).toContain(excerpt);
  });

  it('uses its topology', async () => {
    const path = fileWith(textOf('square'), 'square.yaml');
    expect((await inProcess(['compile', 'allreduce', '--topo', path])).status).toBe(0);
  });
});
