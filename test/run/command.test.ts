/** `ccc run` as a user would: in threads, from files and pipes, with everything that can be asked for wrongly. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ccc, fileWith, shell } from '../cli/run.ts';
import { emptyFolder } from '../temporary.ts';

const few = ['--repetitions', '2', '--warmups', '0'];
let folder = '';
let plan = '';
let text = '';

beforeAll(() => {
  folder = emptyFolder();
  plan = join(folder, 'plan.json');
  const { status } = ccc([
    'compile',
    'allreduce',
    '--topo',
    'ring:4',
    '--algorithm',
    'ring-allreduce',
    '--size',
    '1MiB',
    '-o',
    plan,
  ]);
  expect(status).toBe(0);
  text = readFileSync(plan, 'utf8');
});

describe('ccc run', () => {
  it.each(['0', '1', '3', '4'])('runs in %s threads and finds the results right', (threads) => {
    const { status, stdout } = ccc(['run', plan, '--threads', threads, '--size', '1000012', '--json', ...few]);
    const document = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(document).toMatchObject({ ok: true, size: 1_000_012, dtype: 'f32', verdict: 'correct' });
    expect(document.check).toEqual({ inputs: 'exact', ok: true, wrong: [] });
    expect(document.threads).toBe(Math.max(1, Number(threads)));
    expect(document.seconds.all.length).toBe(2);
    expect(document.algorithmBandwidth).toBeCloseTo(1_000_012 / document.seconds.min, 0);
    expect(document.busBandwidth / document.algorithmBandwidth).toBeCloseTo(1.5, 12);
  });

  it('takes size and type from the plan, reads standard input, and reports for people', () => {
    const { status, stdout } = ccc(['run', '-', '--random', '--timeline', ...few], text);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ring-allreduce\S*: allreduce of 1 MiB of f32 on 4 ranks/);
    expect(stdout).toContain('every output element is right, within rounding, and the same bits on all ranks');
    expect(stdout).toMatch(/ {2}step {2}operations/);
  });

  it('runs the whole elements of a size that has a part of one, and says so', () => {
    const odd = join(folder, 'odd.json');
    const compiled = ccc(['compile', 'allgather', '--topo', 'ring:3', '--size', '777', '-o', odd]);
    expect(compiled).toMatchObject({ status: 0, stderr: expect.stringContaining('776 bytes') });
    const { status, stdout, stderr } = ccc(['run', odd, '--json', ...few]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('for 777 bytes; 776 ran') });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, size: 776, check: { ok: true } });
    expect(ccc(['run', odd, '--dtype', 'i8', '--json', ...few]).stdout).toContain('"size": 777');
    const asked = ccc(['run', odd, '--size', '777']);
    expect(asked).toMatchObject({ status: 2, stderr: expect.stringContaining('776 and 780 are') });
  });

  it.each([
    ['"size": -1', 'a number of bytes of at least 0, found -1'],
    ['"dtype": "__proto__"', "'__proto__' is not an element type"],
    ['"verification": {"inflight": -3}', 'a number of transfers of at least 0, found -3'],
  ])('refuses a plan with %s, with its place', (block, message) => {
    const [key] = block.split(':');
    const changed = text.replace(new RegExp(`^ {2}${key}: .*$`, 'm'), `  ${block},`);
    const line = changed.split('\n').findIndex((one) => one.startsWith(`  ${block}`)) + 1;
    const { status, stderr } = ccc(['run', '-', ...few], changed);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(message) });
    expect(stderr).toMatch(new RegExp(`^<stdin>:${line}:`));
  });

  it('runs a barrier with one element of any type', () => {
    const barrier = join(folder, 'barrier.json');
    expect(ccc(['compile', 'barrier', '--topo', 'ring:4', '-o', barrier]).status).toBe(0);
    const { status, stdout } = ccc(['run', barrier, '--dtype', 'f64', '--json', ...few]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, size: 8, dtype: 'f64' });
  });

  it('writes a trace', () => {
    const trace = join(folder, 'trace.json');
    expect(ccc(['run', plan, '--size', '4kB', '--trace', trace, ...few]).status).toBe(0);
    const { traceEvents } = JSON.parse(readFileSync(trace, 'utf8'));
    expect(new Set(traceEvents.map(({ pid }: { pid: number }) => pid)).size).toBe(4);
  });

  it('runs a compact plan', () => {
    const compile = 'ccc compile allgather --topo torus:2x3 --compact --size 64KiB';
    const { status, stdout } = shell(`${compile} | ccc run - --repetitions 1`);
    expect(status).toBe(0);
    expect(stdout).toContain('on 6 ranks');
  });
});

describe('ccc run refuses', () => {
  const refused = (args: readonly string[], status: number, message: RegExp, input = text): void => {
    const outcome = ccc(['run', ...args], input);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.status).toBe(status);
  };

  it('sizes of half an element, operators that the type lacks, types that nobody has', () => {
    refused(['-', '--size', '10'], 2, /10 bytes are no whole number of f32 elements/);
    refused(['-', '--op', 'and'], 2, /and works on integers only; f32 has sum, prod, max and min/);
    refused(['-', '--dtype', 'f31'], 2, /'f31' is no element type; did you mean f32|f32/);
  });

  it('more memory than there is, before it is taken', () => {
    refused(['-', '--size', '2TiB'], 3, /the buffers of all ranks take 16 TiB/);
  });

  it('a plan that is cut in half, a schedule, a plan of something else', () => {
    refused(['-'], 2, /<stdin>:\d+:\d+/, text.slice(0, text.length / 2).replace(/,[^,]*$/, ''));
    refused(['-'], 2, /no plan in JSON: ccc convert makes one/, 'name: x\n');
    refused(['-'], 2, /not a plan/, '{"a": 1}');
  });

  it('a plan that does not verify, unless it is told to, and then says what is wrong', () => {
    const broken = text.replace(/"op": "recvReduce"/, '"op": "recv"');
    const path = fileWith(broken, 'broken.json');
    refused([path], 1, /does not verify \(--unverified runs it all the same\), wrong-result/);
    const { status, stdout, stderr } = ccc(['run', path, '--unverified', ...few]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/WRONG {2}rank \d, output element \d+: expected -?\d+, found -?\d+/);
    expect(stderr).toContain('does not verify: wrong-result');
  });

  it('a plan that would block, before it runs', () => {
    // Each rank sends, then receives over what it has sent: without buffers both wait for the other.
    const programs = [0, 1].map((rank) => {
      const send = { op: 'send', peer: 1 - rank, channel: 0, src: ['input', 1 - rank, 1], step: 1 };
      const recv = { op: 'recv', peer: 1 - rank, channel: 0, dst: ['output', 1 - rank, 1], step: 1, after: [[0, 0]] };
      const lanes = [
        { id: 0, ops: [send] },
        { id: 1, ops: [recv] },
      ];
      return { rank, buffers: { input: 2, output: 2, scratch: 0 }, lanes };
    });
    const collective = { kind: 'alltoall', ranks: 2, chunks: 1, root: 0, op: 'sum', inPlace: true };
    const swap = JSON.stringify({ format: 'ccc-plan', version: 1, name: 'swap', collective, bulks: 1, programs });
    expect(ccc(['run', '-', ...few], swap).status).toBe(0);
    refused(['-', '--inflight', '0'], 1, /deadlock/, swap);
    refused(['-', '--inflight', '0', '--unverified'], 1, /the plan blocks: send at rank 0/, swap);
  });
});
