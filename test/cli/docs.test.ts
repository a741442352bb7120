/** The YAML examples of the documentation work as they are typed. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../temporary.ts';
import { inProcess } from './in-process.ts';
import { ccc, fileWith, shell } from './run.ts';

const root = new URL('../../', import.meta.url).pathname;
const pages = [
  ...['README.md', 'README.zh-CN.md'],
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
];

/** What stands around a part of a file, so that it can be tried: the custom collective of the schedule page. */
const customHead = 'format: ccc-schedule\nversion: 1\nname: neighbours-custom\n';
const customSteps = `
steps:
  - step:
      - for: r in ranks
        copy: r -> (r + 1) % N
        what: input chunk 0
        into: output chunk 0
      - for: r in ranks
        copy: r -> (r - 1) % N
        what: input chunk 0
        into: output chunk 1
`;

/** Every YAML block, as `page, line` and its text. */
const examples = pages.flatMap((page) => {
  const text = readFileSync(root + page, 'utf8');
  return [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map((match): readonly [string, string] => [
    `${page}, line ${text.slice(0, match.index).split('\n').length}`,
    match[1],
  ]);
});

describe('examples', () => {
  it('are there', () => {
    expect(examples.length).toBeGreaterThanOrEqual(7);
  });

  it.each(examples)('%s', async (_, text) => {
    if (/^format: ccc-topology$/m.test(text)) {
      expect(await inProcess(['show', fileWith(text, 'machine.yaml')])).toMatchObject({ status: 0, stderr: '' });
      return;
    }
    const whole = text.startsWith('format: ') ? text : customHead + text + customSteps;
    const { status, stdout } = await inProcess(['verify', fileWith(whole, 'schedule.yaml')]);
    expect(stdout).toMatch(/^correct: /);
    expect(status).toBe(0);
  });
});

/** Every block of commands with what they print, as `page, line` and its lines. */
const sessions = pages.flatMap((page) => {
  const text = readFileSync(root + page, 'utf8');
  return [...text.matchAll(/^```\n(\$ .*?)^```$/gms)].map((match): readonly [string, readonly string[]] => [
    `${page}, line ${text.slice(0, match.index).split('\n').length}`,
    match[1].trimEnd().split('\n'),
  ]);
});

/** The schedule that the start page shows a mistake in: that of the page, a step too early. */
const early = examples
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

  it.each(sessions)('%s, is what they print', (_, lines) => {
    for (let at = 0; at < lines.length; ) {
      const command = lines[at].replace(/^\$ (?:npx )?/, '');
      const next = lines.findIndex((line, index) => index > at && line.startsWith('$ '));
      const shown = lines.slice(at + 1, next < 0 ? lines.length : next);
      at = next < 0 ? lines.length : next;
      const { stdout, stderr } = shell(command, folder);
      const isMeasured = command.startsWith('ccc run');
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
  const textOf = (name: string): string => examples.find(([, text]) => text.includes(`name: ${name}\n`))?.[1] ?? '';

  it('proves its schedule for 1 … 64 ranks and makes a plan of it', () => {
    const path = fileWith(textOf('my-allgather'), 'my-schedule.yaml');
    expect(ccc(['verify', path, '--ranks', '1..64']).stdout).toContain('verified for N = 1 … 64\n');
    expect(ccc(['compile', 'allgather', '--topo', 'ring:8', '--algorithm', path]).status).toBe(0);
  });

  it('shows a part of the plan that its first command writes', () => {
    const excerpt = /^```\n( +\{ "rank": 0.*?)^```$/ms.exec(readFileSync(`${root}README.md`, 'utf8'))?.[1];
    expect(ccc(['compile', 'allgather', '--topo', 'sg2260x4']).stdout).toContain(excerpt);
  });

  it('uses its topology', () => {
    const path = fileWith(textOf('square'), 'square.yaml');
    expect(ccc(['compile', 'allreduce', '--topo', path]).status).toBe(0);
  });
});

describe('the page of algorithms', () => {
  const text = readFileSync(`${root}docs/algorithms.md`, 'utf8');
  const shipped = readdirSync(`${root}schedules`).map((file) => file.replace(/\.yaml$/, ''));

  it('names every schedule that is shipped and no other', () => {
    const kinds =
      'allgather|reducescatter|allreduce|broadcast|reduce|scatter|gather|alltoall|scan|exscan|barrier|custom';
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) =>
      [...row.split(' | ')[0].matchAll(new RegExp(`\`([a-z0-9-]+-(?:${kinds}))\``, 'g'))].map((match) => match[1]),
    );
    expect(named.sort()).toEqual(shipped.sort());
  });
});
