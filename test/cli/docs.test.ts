/** The YAML examples of the documentation work as they are typed. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ccc, fileWith } from './run.ts';

const root = new URL('../../', import.meta.url).pathname;
const pages = [
  'README.md',
  ...readdirSync(`${root}docs`).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
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

  it.each(examples)('%s', (_, text) => {
    if (/^format: ccc-topology$/m.test(text)) {
      expect(ccc(['show', fileWith(text, 'machine.yaml')])).toMatchObject({ status: 0, stderr: '' });
      return;
    }
    const whole = text.startsWith('format: ') ? text : customHead + text + customSteps;
    const { status, stdout } = ccc(['verify', fileWith(whole, 'schedule.yaml')]);
    expect(stdout).toMatch(/^correct: /);
    expect(status).toBe(0);
  });
});

describe('the start page', () => {
  const textOf = (name: string): string => examples.find(([, text]) => text.includes(`name: ${name}\n`))?.[1] ?? '';

  it('proves its schedule for 1 … 64 ranks and makes a plan of it', () => {
    const path = fileWith(textOf('my-allgather'), 'my-schedule.yaml');
    expect(ccc(['verify', path, '--ranks', '1..64']).stdout).toContain('verified for N = 1 … 64\n');
    expect(ccc(['compile', 'allgather', '--topo', 'ring:8', '--algorithm', path]).status).toBe(0);
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
