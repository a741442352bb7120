/** The YAML examples of the documentation work as they are typed; docs-commands.test.ts runs the commands that the pages show. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProcess } from './in-process.ts';
import { root, yamlBlocks } from './pages.ts';
import { fileWith } from './run.ts';

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

describe('the YAML examples of the pages', () => {
  it('are at least seven', () => {
    expect(yamlBlocks.length).toBeGreaterThanOrEqual(7);
  });

  it.each(yamlBlocks)('work as they are typed: %s', async (_, text) => {
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
