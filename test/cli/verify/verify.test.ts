/** `ccc verify`: a verdict for each rung of the ladder, from the smallest files that fail there. */
import { describe, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

interface Rank {
  readonly buffers: readonly [input: number, output: number, scratch: number];
  readonly lanes: readonly (readonly object[])[];
}

/** A plan for a collective of one chunk per shard (or so), rank by rank, lane by lane. */
function plan(kind: string, ranks: readonly Rank[]): string {
  return JSON.stringify({
    format: 'ccc-plan',
    version: 1,
    name: `small-${kind}`,
    collective: { kind, ranks: ranks.length, chunks: 1, root: 0, op: 'sum', inPlace: false },
    bulks: 1,
    programs: ranks.map(({ buffers: [input, output, scratch], lanes }, rank) => ({
      rank,
      buffers: { input, output, scratch },
      lanes: lanes.map((ops, id) => ({ id, ops })),
    })),
  });
}

const copy = (from: string, to: string, at = 0) => ({ op: 'copy', src: [from, 0, 1], dst: [to, at, 1], step: 0 });
const send = (peer: number, more: object = {}) => ({
  ...{ op: 'send', peer, channel: 0, src: ['input', 0, 1], step: 1 },
  ...more,
});
const receive = (peer: number, at: number) => ({ op: 'recv', peer, channel: 0, dst: ['output', at, 1], step: 1 });

/** Broadcast from rank 0 to rank 1, whose lanes vary. */
const broadcastTo = (lanes: Rank['lanes'], scratch = 0): string =>
  plan('broadcast', [
    { buffers: [1, 1, 0], lanes: [[copy('input', 'output'), send(1)]] },
    { buffers: [0, 1, scratch], lanes },
  ]);

/** Two ranks that exchange their shards, both sending before they receive. */
const exchange = plan(
  'allgather',
  [0, 1].map((r) => ({
    buffers: [1, 2, 0],
    lanes: [[copy('input', 'output', r), send(1 - r), receive(1 - r, 1 - r)]],
  })),
);

/** Name, plan, options, verdict, and words of the message. */
const plans: readonly [string, string, readonly string[], string, string][] = [
  ['a right plan', broadcastTo([[receive(0, 0)]]), [], 'correct', ''],
  ['a slot beyond the buffer', broadcastTo([[receive(0, 1)]]), [], 'malformed', '1 chunk'],
  ['an operation that does not exist', exchange.replace('"copy"', '"cpoy"'), [], 'malformed', 'did you mean copy'],
  ['a message that nobody takes', broadcastTo([]), [], 'mismatched', 'rank 1'],
  [
    'a read of nothing',
    broadcastTo([[copy('scratch', 'output'), receive(0, 0)]], 1),
    [],
    'uninitialised',
    'scratch[0]',
  ],
  ['both send first, unbounded', exchange, [], 'correct', ''],
  ['both send first, rendezvous', exchange, ['--inflight', '0'], 'deadlock', ''],
  ['both send first, one in flight', exchange, ['--inflight', '1'], 'correct', ''],
  ['a read beside the write', broadcastTo([[receive(0, 0)], [copy('output', 'scratch')]], 1), [], 'race', 'output[0]'],
  [
    'no message at all',
    plan('broadcast', [
      { buffers: [1, 1, 0], lanes: [[copy('input', 'output')]] },
      { buffers: [0, 1, 0], lanes: [] },
    ]),
    [],
    'wrong-result',
    'output[0] of rank 1',
  ],
];

describe('plans', () => {
  it.each(plans)('get the verdict of what is wrong with them: %s', async (_, text, options, verdict, words) => {
    const { status, stdout } = await inProcess(['verify', '-', '--json', ...options], text);
    const document = JSON.parse(stdout);
    expect({ status, ok: document.ok, verdict: document.verdict }).toEqual({
      status: verdict === 'correct' ? 0 : 1,
      ok: verdict === 'correct',
      verdict,
    });
    if (verdict === 'correct') expect(document.findings).toEqual([]);
    else
      expect(document.findings[0]).toMatchObject({
        code: verdict,
        severity: 'error',
        message: expect.stringContaining(words),
      });
  });

  it('reports the smallest safe limit', async () => {
    expect(JSON.parse((await inProcess(['verify', '-', '--json'], exchange)).stdout)).toMatchObject({ inflight: 1 });
    expect(
      JSON.parse((await inProcess(['verify', '-', '--json'], broadcastTo([[receive(0, 0)]]))).stdout),
    ).toMatchObject({
      inflight: 0,
    });
  });

  it('says what is wrong and where in words', async () => {
    const path = fileWith(exchange, 'plan.json');
    const { status, stdout, stderr } = await inProcess(['verify', path, '--inflight', '0']);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toMatch(/^deadlock: small-allgather \(allgather\) on 2 ranks\n/);
    expect(stdout).toContain(`${path}:1:`);
  });

  it('has a verdict on a plan that is not well formed, in words too', async () => {
    const { status, stdout } = await inProcess(['verify', '-'], '{ "format": "ccc-plan" }');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^malformed: /);
  });

  it('has none on JSON of another kind', async () => {
    const { status, stdout, stderr } = await inProcess(['verify', '-'], '{ "hello": "world" }');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('"format": "ccc-plan"');
  });
});

const head = (collective: string): string =>
  `format: ccc-schedule\nversion: 1\nname: my-${collective}\ncollective: ${collective}\n`;

describe('schedules', () => {
  it('are proved for a range', async () => {
    const { status, stdout, stderr } = await inProcess(['verify', 'ring-allgather', '--ranks', '2..9']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^correct: ring-allgather \(allgather\), verified for N = 2 … 9\n/);
  });

  it('say for which numbers they are not meant', async () => {
    const { status, stdout, stderr } = await inProcess(['verify', 'recursive-doubling-allgather', '--ranks', '1..9']);
    expect(status).toBe(0);
    expect(stdout).toContain('verified for N = 1, 2, 4, 8\n');
    expect(stderr).toMatch(/^not verified for N = 3, 5 … 7, 9: /);
    expect((await inProcess(['verify', 'recursive-doubling-allgather', '--ranks', '3'])).status).toBe(2);
  });

  it('say for which numbers they are wrong, and the line', async () => {
    // Forgets to forward: right for two ranks, and for one.
    const text = `${head('allgather')}steps:\n  - step:\n      - for: r in ranks\n        copy: r -> (r + 1) % N\n        what: shard r\n`;
    const { status, stdout } = await inProcess(['verify', '-', '--ranks', '1..5'], text);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^wrong-result: my-allgather \(allgather\) on 3 ranks\nwrong for N = 3 … 5\ncorrect for N = 1, 2\n/,
    );
    expect(stdout).toContain('output[1] of rank 0 should hold in[1][0]');
  });

  it('name the line that reduced once too often', async () => {
    const text = `${head('reduce')}steps:\n  - step:\n      - { reduce: 1 -> 0, what: all }\n  - step:\n      - { reduce: 1 -> 0, what: all }\n`;
    const { stdout } = await inProcess(['verify', '-', '--ranks', '2', '--json'], text);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'wrong-result',
      findings: [{ source: { file: '<stdin>', line: expect.any(Number) }, story: expect.any(Array) }],
    });
    expect((await inProcess(['verify', '-', '--ranks', '2'], text)).stdout).toMatch(
      /\n\d+ \| .*reduce: 1 -> 0.*\n +\| +\^+\n/,
    );
  });

  it('differ in their trees: a warning, with --bitwise an error', async () => {
    // Rank 0 adds (a₀ + a₁) + a₂, rank 2 a₀ + (a₁ + a₂): outwards from its own place.
    const args = ['verify', 'full-mesh-allreduce', '--ranks', '3'];
    const plain = await inProcess(args);
    expect(plain.status).toBe(0);
    expect(plain.stdout).toContain('warning (N = 3): ');
    const strict = await inProcess([...args, '--bitwise', '--json']);
    expect(strict.status).toBe(1);
    expect(JSON.parse(strict.stdout)).toMatchObject({ verdict: 'not-bitwise', bitwise: false });
  });

  it('exceed the links of a machine where they claim fewer rounds', async () => {
    const text = `${head('broadcast')}chunks: 2\nsteps:\n  - step:\n      - { copy: 0 -> 1, what: all }\n    rounds: 1\n`;
    const outcome = await inProcess(['verify', '-', '--topo', 'line:2', '--json'], text);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ verdict: 'over-capacity' });
    expect(outcome.status).toBe(1);
    expect((await inProcess(['verify', '-', '--topo', 'line:2'], text.replace('rounds: 1', 'rounds: 2'))).status).toBe(
      0,
    );
  });

  it('take parameters, roots and operators', async () => {
    expect((await inProcess(['verify', 'smp-allreduce', '--ranks', '7', '--set', 'group=3'])).status).toBe(0);
    expect(
      (await inProcess(['verify', 'binomial-reduce', '--ranks', '6', '--root', '5', '--op', 'max', '--in-place']))
        .status,
    ).toBe(0);
    expect((await inProcess(['verify', 'binomial-reduce', '--ranks', '6', '--root', '6'])).status).toBe(2);
  });

  it('are read whatever their line ends and byte order mark', async () => {
    const text = `${head('broadcast')}steps:\n  - step:\n      - for: r in 1 .. N-1\n        copy: 0 -> r\n        what: all\n`;
    expect(await inProcess(['verify', '-'], `\uFEFF${text.replaceAll('\n', '\r\n')}`)).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});
