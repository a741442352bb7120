/** MSCCL files that say that they are for use in place and out of place: a verdict for each. */
import { describe, expect, it } from 'vitest';
import { algo, exchange, gpu, step, tb } from '../../read/msccl-text.ts';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

const both = (text: string): string => text.replace(/inplace="\d" outofplace="\d"/, 'inplace="1" outofplace="1"');

/** Right in place and out of place: the own chunk is copied where it belongs. */
const gathering = algo(
  'allgather',
  { chunks: 2 },
  ...[0, 1].map((rank) => {
    const steps = [step('cpy', { dst: `o${rank}` }), step('s'), step('r', { dst: `o${1 - rank}` })];
    return gpu(rank, [1, 2, 0], tb(0, 1 - rank, 1 - rank, 0, ...steps));
  }),
);

/** The same without the copy, which only use in place does not need. */
const withoutCopy = algo(
  'allgather',
  { chunks: 2 },
  ...[0, 1].map((rank) =>
    gpu(rank, [1, 2, 0], tb(0, 1 - rank, 1 - rank, 0, step('s'), step('r', { dst: `o${1 - rank}` }))),
  ),
);

async function verify(text: string, ...options: readonly string[]) {
  return inProcess(['verify', fileWith(text, 'algorithm.xml'), ...options]);
}

describe('a file for use in place and out of place', () => {
  it('is judged in both', async () => {
    const { status, stdout, stderr } = await verify(both(gathering));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^correct: mine \(allgather\), verified in place and out of place for N = 2\n/);
    const { uses, ...rest } = JSON.parse((await verify(both(gathering), '--json')).stdout);
    expect(rest).toMatchObject({ ok: true, verdict: 'correct', ranks: [2] });
    expect(uses).toEqual([
      { inPlace: true, ok: true, verdict: 'correct', findings: [] },
      { inPlace: false, ok: true, verdict: 'correct', findings: [] },
    ]);
  });

  it('is wrong where it is wrong in one of them', async () => {
    const { status, stdout } = await verify(both(withoutCopy));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^wrong-result: mine \(allgather\) on 2 ranks\nwrong out of place\ncorrect in place\n/);
    const { ok, verdict, uses } = JSON.parse((await verify(both(withoutCopy), '--json')).stdout);
    expect({ ok, verdict }).toEqual({ ok: false, verdict: 'wrong-result' });
    expect(uses.map((use: { inPlace: boolean; verdict: string }) => [use.inPlace, use.verdict])).toEqual([
      [true, 'correct'],
      [false, 'wrong-result'],
    ]);
    expect(uses[1].findings[0].code).toBe('wrong-result');
  });

  it('is converted to the plan in place, which is said', async () => {
    const { status, stdout, stderr } = await inProcess(['convert', fileWith(both(withoutCopy), 'algorithm.xml')]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('the plan is the one in place') });
    expect(JSON.parse(stdout).collective.inPlace).toBe(true);
  });

  it('is not every file', async () => {
    const { stdout } = await verify(exchange, '--json');
    expect(JSON.parse(stdout).uses).toBe(undefined);
  });
});

describe('the sizes that a file is for', () => {
  it.each(['0', '9007199254740993', '9223372036854775807'])('%s bytes is one', async (size) => {
    expect((await verify(exchange.replace('maxBytes="0"', `maxBytes="${size}"`))).status).toBe(0);
  });

  it.each(['9223372036854775808', '-1', '1e6', '99999999999999999999', ''])('%j bytes is none', async (size) => {
    const { status, stdout } = await verify(exchange.replace('maxBytes="0"', `maxBytes="${size}"`));
    expect(status).toBe(1);
    expect(stdout).toContain('maxBytes: expected a number of bytes from 0 to 2**63 - 1');
  });
});
