/** The second binary: the kernel alone, in one file. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';

const binary = new URL('../../dist/bin/ccc-check.cjs', import.meta.url).pathname;

/** A broadcast of one chunk from rank 0 to rank 1, as a person would write it. */
const plan = {
  ...{ format: 'ccc-plan', version: 1, name: 'by-hand' },
  collective: { kind: 'broadcast', ranks: 2, chunks: 1 },
  programs: [
    {
      ...{ rank: 0, buffers: { input: 1, output: 1, scratch: 0 } },
      lanes: [
        { id: 0, ops: [{ op: 'copy', src: ['input', 0, 1], dst: ['output', 0, 1], step: 0 }] },
        { id: 1, ops: [{ op: 'send', peer: 1, channel: 0, src: ['input', 0, 1], step: 1 }] },
      ],
    },
    {
      ...{ rank: 1, buffers: { input: 0, output: 1, scratch: 0 } },
      lanes: [{ id: 0, ops: [{ op: 'recv', peer: 0, channel: 0, dst: ['output', 0, 1], step: 1 }] }],
    },
  ],
};

function run(input: string, ...args: string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...args], { input, encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

describe('ccc-check', () => {
  it('proves a right plan, under the conditions asked for', () => {
    const text = JSON.stringify(plan);
    expect(run(text, '-')).toEqual({
      status: 0,
      text: 'proved: any number of transfers in flight, event ownership\n',
    });
    expect(run(text, '--inflight', '0', '--ownership', 'strict', '-')).toEqual({
      status: 0,
      text: 'proved: 0 transfers in flight, strict ownership\n',
    });
  });

  it('refuses a wrong one, one that is none, and words that it does not know', () => {
    const wrong = { ...plan, collective: { ...plan.collective, root: 1 } };
    expect(run(JSON.stringify(wrong), '-')).toMatchObject({ status: 1, text: expect.stringMatching(/^not proved: /) });
    expect(run('{"format": "ccc-plan"', '-')).toMatchObject({
      status: 1,
      text: expect.stringMatching(/^not proved: /),
    });
    expect(run('', '--fast', '-')).toMatchObject({ status: 2, text: expect.stringMatching(/^usage: ccc-check/) });
    expect(run('', '/no/such/plan.json')).toEqual({ status: 2, text: 'ccc-check: the file cannot be read\n' });
  });

  it('refuses a text that is not JSON, and one that is too long', () => {
    for (const text of ['', '{', '['.repeat(1_000_000), '\0']) {
      expect(run(text, '-')).toEqual({ status: 1, text: 'not proved: malformed: not JSON\n' });
    }
    expect(run(' '.repeat(2 ** 27 + 1), '-')).toMatchObject({ status: 3, text: expect.stringMatching(/2 \*\* 27/) });
  });

  it('is one file that needs nothing but Node', () => {
    const needed = [...readFileSync(binary, 'utf8').matchAll(/\brequire\("([^"]+)"\)/g)].map((match) => match[1]);
    expect(needed.length).toBeGreaterThan(0);
    expect(needed.filter((name) => !isBuiltin(name))).toEqual([]);
  });
});
