/** What users get wrong: every mistake ends with its exit code, one clear message with its place, and no stack trace. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ccc, emptyFolder, fileWith } from './run.ts';

const schedule = (steps: string, head = 'collective: allgather\nranks: 4\n'): string =>
  `format: ccc-schedule\nversion: 1\nname: mine-allgather\n${head}steps:\n${steps}`;

/** Arguments, the exit code, and words that the message must contain. */
const mistakes: readonly [string, readonly string[], number, readonly string[]][] = [
  ['no command', ['frobnicate'], 2, ['frobnicate']],
  ['collective misspelt', ['compile', 'allgahter', '--topo', 'sg2260x4'], 2, ['allgahter', 'allgather']],
  ['topology misspelt', ['compile', 'allgather', '--topo', 'sg2260'], 2, ['sg2260', 'sg2260x4']],
  ['no topology', ['compile', 'allgather'], 2, ['--topo']],
  ['algorithm misspelt', ['compile', 'allgather', '--topo', 'ring:4', '--algorithm', 'rign'], 2, ['ring-allgather']],
  ['engine misspelt', ['compile', 'allgather', '--topo', 'ring:4', '--engine', 'libary'], 2, ['library']],
  ['emitter misspelt', ['compile', 'allgather', '--topo', 'ring:4', '--emit', 'jsn'], 2, ['json']],
  ['option misspelt', ['compile', 'allgather', '--topo', 'ring:4', '--sise', '1MiB'], 2, ['--sise', '--size']],
  ['size without a number', ['compile', 'allgather', '--topo', 'ring:4', '--size', 'big'], 2, ['--size', '64KiB']],
  ['size with a wrong unit', ['compile', 'allgather', '--topo', 'ring:4', '--size', '5 parsec'], 2, ['--size', 'KiB']],
  ['negative size', ['compile', 'allgather', '--topo', 'ring:4', '--size', '-1'], 2, ['size']],
  ['absurd size', ['compile', 'allgather', '--topo', 'ring:4', '--size', '1e30'], 2, ['size']],
  ['root out of range', ['compile', 'broadcast', '--topo', 'ring:4', '--root', '4'], 2, ['root', '3']],
  ['operator misspelt', ['compile', 'allreduce', '--topo', 'ring:4', '--op', 'plus'], 2, ['plus', 'sum']],
  ['operator that floats lack', ['compile', 'allreduce', '--topo', 'ring:4', '--op', 'xor'], 2, ['xor', 'integers']],
  ['zero chunks', ['compile', 'allgather', '--topo', 'ring:4', '--chunks', '0'], 2, ['--chunks', 'at least 1']],
  [
    'a link that does not exist',
    ['compile', 'allgather', '--topo', 'ring:4', '--without', 'link:0-2'],
    2,
    ['0', '2', 'link'],
  ],
  ['a chip that does not exist', ['compile', 'allgather', '--topo', 'ring:4', '--without', 'chip:9'], 2, ['9']],
  ['a cut through the machine', ['compile', 'allgather', '--topo', 'line:4', '--without', 'link:1-2'], 2, ['reach']],
  ['a topology without arguments', ['compile', 'allgather', '--topo', 'ring:x'], 2, ['ring', 'x']],
  ['a topology of no chips', ['compile', 'allgather', '--topo', 'ring:0'], 2, ['1']],
  ['a topology beyond the limit', ['compile', 'allgather', '--topo', 'full:100000'], 2, ['limit']],
  ['chunks beyond the limit', ['compile', 'allgather', '--topo', 'ring:4', '--chunks', '100000000'], 2, ['limit']],
  [
    'a link setting of one part',
    ['compile', 'allgather', '--topo', 'ring:4', '--link', '1us'],
    2,
    ['LATENCY,BANDWIDTH'],
  ],
  ['a map of the wrong length', ['compile', 'allgather', '--topo', 'ring:4', '--map', '0,1'], 2, ['map']],
  ['a file that is not there', ['verify', 'nowhere.yaml'], 2, ['nowhere.yaml']],
  ['topology and ranks', ['verify', '-', '--topo', 'ring:4', '--ranks', '2..4'], 2, ['--ranks']],
  ['ranks backwards', ['verify', '-', '--ranks', '9..2'], 2, ['2..64']],
  ['an unknown limit', ['verify', '-', '--limit', 'rank=5'], 2, ['ranks']],
  ['list of what', ['list', 'topology'], 2, ['topologies']],
  [
    'chunks the schedule cannot use',
    ['compile', 'allreduce', '--topo', 'ring:4', '--algorithm', 'ring', '--chunks', '3'],
    1,
    ['multiple of 4'],
  ],
];

/** Texts on standard input of `ccc verify -`: what is wrong, the text, exit code, where, and words of the message. */
const texts: readonly [string, string, number, string, readonly string[]][] = [
  ['broken YAML', 'format: [ccc', 2, '<stdin>:1:', []],
  ['broken JSON', '{"format": "ccc-plan", ', 2, '<stdin>:1:', []],
  ['no schedule at all', 'hello: world\n', 2, '<stdin>:1:', ['format']],
  ['an unknown key', `${schedule('  - step: []\n')}stpes: []\n`, 2, '<stdin>:8:', ['stpes', 'steps']],
  [
    'a rank out of range',
    schedule('  - step:\n      - copy: 0 -> 4\n        what: shard 0\n'),
    2,
    '<stdin>:8:',
    ['4', '0 … 3'],
  ],
  [
    'a shard out of range',
    schedule('  - step:\n      - copy: 0 -> 1\n        what: shard 4\n'),
    2,
    '<stdin>:9:',
    ['4'],
  ],
  ['an unknown name', schedule('  - step:\n      - copy: 0 -> 1\n        what: shard nn\n'), 2, '<stdin>:9:21', ['nn']],
  [
    'a division by zero',
    schedule('  - step:\n      - copy: 0 -> 1\n        what: shard 1 // 0\n'),
    2,
    '<stdin>:9:',
    ['zero'],
  ],
  ['a transfer outside a step', schedule('  - copy: 0 -> 1\n    what: shard 0\n'), 2, '<stdin>:7:', ['step']],
  [
    'a loop without end',
    schedule('  - for: i in 0 .. 2**40\n    step:\n      - copy: 0 -> 1\n        what: shard 0\n'),
    2,
    '<stdin>:7:',
    ['limit'],
  ],
];

describe('mistakes on the command line', () => {
  it.each(mistakes)('%s', (_, args, status, words) => {
    const outcome = ccc(args);
    for (const word of words) expect(outcome.stderr).toContain(word);
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
    expect({ status: outcome.status, stdout: outcome.stdout }).toEqual({ status, stdout: '' });
  });
});

describe('mistakes in a file', () => {
  it.each(texts)('%s', (_, text, status, place, words) => {
    const outcome = ccc(['verify', '-'], text);
    for (const word of [place, ...words]) expect(outcome.stderr).toContain(word);
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
    expect({ status: outcome.status, stdout: outcome.stdout }).toEqual({ status, stdout: '' });
  });

  it('is a document with --json', () => {
    const outcome = ccc(
      ['verify', '-', '--json'],
      schedule('  - step:\n      - copy: 0 -> 1\n        what: shard nn\n'),
    );
    expect(outcome.status).toBe(2);
    const document = JSON.parse(outcome.stdout);
    expect(document).toMatchObject({
      ok: false,
      error: { code: 'expression', source: { file: '<stdin>', line: 9, column: 21 } },
    });
  });
});

describe('an output that cannot be written', () => {
  it('is said, and nothing half-written stays', () => {
    const folder = emptyFolder();
    const outcome = ccc(['compile', 'allgather', '--topo', 'ring:4', '-o', 'no/such/folder/plan.json'], '', folder);
    expect(outcome.status).toBe(2);
    expect(outcome.stderr).toContain('folder');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves what was there when a plan fails', () => {
    const path = fileWith('precious', 'plan.json');
    const outcome = ccc(['compile', 'allgather', '--topo', 'ring:4', '--algorithm', 'nonsense', '-o', path]);
    expect(outcome.status).toBe(2);
  });
});
