/** What users get wrong: every mistake ends with its exit code, one clear message with its place, and no stack trace. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../temporary.ts';
import { inProcess } from './in-process.ts';
import { fileWith, shell } from './run.ts';

const schedule = (steps: string, head = 'collective: allgather\nranks: 4\n'): string =>
  `format: ccc-schedule\nversion: 1\nname: mine-allgather\n${head}steps:\n${steps}`;

/** Arguments, the exit code, and words that the message must contain. */
const mistakes: readonly [string, readonly string[], number, readonly string[]][] = [
  ['nothing at all', [], 2, ['compile', 'verify', '--help']],
  ['no such command', ['frobnicate'], 2, ['frobnicate', 'compile']],
  ['a command misspelt', ['compil', 'allgather'], 2, ['compile']],
  ['a command without its argument', ['compile'], 2, ['expected a collective: allgather, ']],
  ['ranks that nobody gives', ['tune', 'allgather', '--topo', 'ring:N'], 2, ['N', '--ranks 2..16']],
  ['show without its argument', ['show'], 2, ["'what'", 'ccc show --help']],
  ['a custom collective without a file', ['compile', 'custom', '--topo', 'ring:4'], 2, ['--algorithm']],
  ['an empty topology', ['compile', 'allgather', '--topo', ''], 2, ['--topo']],
  ['collective misspelt', ['compile', 'allgahter', '--topo', 'sg2260x4'], 2, ['allgahter', 'allgather']],
  // Names that every object has are names of nothing here.
  ['a collective called __proto__', ['compile', '__proto__', '--topo', 'ring:4'], 2, ["'__proto__' is no collective"]],
  [
    'a collective called toString, with counts',
    ['compile', 'toString', '--topo', 'ring:4', '--counts', '1,2,3,4'],
    2,
    ["'toString' is no collective"],
  ],
  ['a bound of constructor', ['bound', 'constructor', '--topo', 'ring:4'], 2, ["'constructor' is no collective"]],
  ['a parameter __proto__', ['compile', 'allgather', '--topo', 'ring:4', '--set', '__proto__=3'], 2, ['__proto__']],
  ['a limit __proto__', ['compile', 'allgather', '--topo', 'ring:4', '--limit', '__proto__=3'], 2, ['__proto__']],
  ['a unit constructor', ['compile', 'allgather', '--topo', 'ring:4', '--size', '1constructor'], 2, ['--size']],
  ['topology misspelt', ['compile', 'allgather', '--topo', 'sg2260'], 2, ['sg2260', 'sg2260x4']],
  ['no topology', ['compile', 'allgather'], 2, ['--topo']],
  ['algorithm misspelt', ['compile', 'allgather', '--topo', 'ring:4', '--algorithm', 'rign'], 2, ['ring-allgather']],
  ['engine misspelt', ['compile', 'allgather', '--topo', 'ring:4', '--engine', 'libary'], 2, ['library']],
  ['emitter misspelt', ['compile', 'allgather', '--topo', 'ring:4', '--emit', 'jsn'], 2, ['json']],
  ['option misspelt', ['compile', 'allgather', '--topo', 'ring:4', '--sise', '1MiB'], 2, ['--sise', '--size']],
  ['size without a number', ['compile', 'allgather', '--topo', 'ring:4', '--size', 'big'], 2, ['--size', '64KiB']],
  ['size with a wrong unit', ['compile', 'allgather', '--topo', 'ring:4', '--size', '5 parsec'], 2, ['--size', 'KiB']],
  ['half a byte', ['compile', 'allgather', '--topo', 'ring:4', '--size', '1.5'], 2, ['--size', 'whole number']],
  ['negative size', ['compile', 'allgather', '--topo', 'ring:4', '--size', '-1'], 2, ['size']],
  ['absurd size', ['compile', 'allgather', '--topo', 'ring:4', '--size', '1e30'], 2, ['size']],
  ['root out of range', ['compile', 'broadcast', '--topo', 'ring:4', '--root', '4'], 2, ['root', '3']],
  ['a root of what has none', ['compile', 'allgather', '--topo', 'ring:4', '--root', '2'], 2, ['--root', 'allgather']],
  ['operator misspelt', ['compile', 'allreduce', '--topo', 'ring:4', '--op', 'plus'], 2, ['plus', 'sum']],
  ['operator that floats lack', ['compile', 'allreduce', '--topo', 'ring:4', '--op', 'xor'], 2, ['xor', 'integers']],
  ['a time limit of months', ['tune', 'allgather', '--topo', 'ring:4', '--time-limit', '50000min'], 2, ['10 days']],
  ['zero chunks', ['compile', 'allgather', '--topo', 'ring:4', '--chunks', '0'], 2, ['--chunks', 'at least 1']],
  [
    'a link that does not exist',
    ['compile', 'allgather', '--topo', 'ring:4', '--without', 'link:0-2'],
    2,
    ['0', '2', 'link'],
  ],
  ['a chip that does not exist', ['compile', 'allgather', '--topo', 'ring:4', '--without', 'chip:9'], 2, ['9']],
  ['a cut through the machine', ['compile', 'allgather', '--topo', 'line:4', '--without', 'link:1-2'], 1, ['reach']],
  ['a topology without arguments', ['compile', 'allgather', '--topo', 'ring:x'], 2, ['ring', 'x']],
  ['a topology of no chips', ['compile', 'allgather', '--topo', 'ring:0'], 2, ['1']],
  ['a topology beyond the limit', ['compile', 'allgather', '--topo', 'full:100000'], 2, ['limit']],
  ['chunks beyond the limit', ['compile', 'allgather', '--topo', 'ring:4', '--chunks', '100000000'], 2, ['limit']],
  [
    'shards beyond the limit',
    ['compile', 'allgather', '--topo', 'ring:4', '--limit', 'slots=9'],
    2,
    ['16', 'slots = 9'],
  ],
  [
    'more moves than the limit, of memory that is within it',
    ['compile', 'reducescatter', '--topo', 'mesh:4', '--limit', 'slots=23'],
    2,
    ['24 chunks', 'slots = 23', 'slots=64'],
  ],
  [
    'the same where a compact plan has less',
    ['compile', 'allgather', '--topo', 'ring:4', '--limit', 'slots=23'],
    2,
    ['24 chunks', '--compact'],
  ],
  ['the same of a series', ['tune', 'allgather', '--topo', 'ring:4', '--limit', 'slots=9'], 2, ['16', 'slots = 9']],
  [
    'a schedule beyond the limit',
    ['optimize', 'ring-allgather', '--topo', 'ring:4', '--limit', 'slots=9'],
    2,
    ['too large to verify', 'slots'],
  ],
  [
    'ranks and a topology, before the file is read',
    ['verify', 'no-such.yaml', '--topo', 'ring:4', '--ranks', '4'],
    2,
    ['--topo or --ranks'],
  ],
  [
    'bulks beyond the limit',
    ['compile', 'allgather', '--topo', 'ring:4', '--bulks', '1000000000'],
    2,
    ['limit', 'bulks'],
  ],
  [
    'a link setting of one part',
    ['compile', 'allgather', '--topo', 'ring:4', '--link', '1us'],
    2,
    ['LATENCY,BANDWIDTH'],
  ],
  ['a map of the wrong length', ['compile', 'allgather', '--topo', 'ring:4', '--map', '0,1'], 2, ['map']],
  ['a file that is not there', ['verify', 'nowhere.yaml'], 2, ['nowhere.yaml', 'no such file']],
  ['a schedule misspelt', ['verify', 'ring-allgahter'], 2, ['ring-allgather']],
  ['a folder', ['verify', '/'], 2, ['folder']],
  ['an empty file', ['verify', '/dev/null'], 2, ['/dev/null:1:1', 'empty']],
  ['a parameter nobody has', ['compile', 'allreduce', '--topo', 'ring:4', '--set', 'grup=2'], 2, ['grup', 'group']],
  ['a duration without meaning', ['compile', 'barrier', '--topo', 'ring:4', '--time-limit', 'soon'], 2, ['10s']],
  ['a map with a chip twice', ['compile', 'allgather', '--topo', 'ring:4', '--map', '0,1,1,2'], 2, ['1', 'twice']],
  ['a machine without chips left', ['compile', 'barrier', '--topo', 'ring:1', '--without', 'chip:0'], 2, ['no chip']],
  ['topology and ranks', ['verify', 'ring-allgather', '--topo', 'ring:4', '--ranks', '2..4'], 2, ['--ranks']],
  ['ranks backwards', ['verify', '-', '--ranks', '9..2'], 2, ['2..64']],
  ['a value for a flag', ['compile', 'allgather', '--topo', 'ring:4', '--json=yes'], 2, ['--json', 'takes no value']],
  ['a broken machine without a machine', ['verify', 'ring-allgather', '--without', 'link:0-1'], 2, ['--topo']],
  ['links of no machine', ['show', 'ring-allgather', '--link', '1us,1GB/s'], 2, ['--link', '--topo']],
  ['a group of no machine', ['convert', 'ring-allgather', '--ranks', '4', '--group', '0,1'], 2, ['--group', '--topo']],
  ['a parameter to show', ['show', 'ring-allgather', '--set', 'nope=3'], 2, ["'nope'"]],
  ['a parameter to convert with', ['convert', 'ring-allgather', '--ranks', '4', '--set', 'nope=3'], 2, ["'nope'"]],
  ['a parameter to optimize', ['optimize', 'ring-allgather', '--topo', 'ring:4', '--set', 'nope=3'], 2, ["'nope'"]],
  ['bits of floats', ['optimize', 'ring-allreduce', '--topo', 'ring:4', '--op', 'xor'], 2, ['xor', 'integers']],
  [
    'a limit beyond all numbers',
    ['bound', 'allgather', '--topo', 'ring:4', '--limit', 'ranks=9007199254740992'],
    2,
    ['2^53'],
  ],
  [
    'chunks beyond all numbers',
    ['compile', 'allgather', '--topo', 'ring:4', '--chunks', '9007199254740992'],
    2,
    ['2^53'],
  ],
  [
    'bulks in words',
    ['compile', 'allgather', '--topo', 'ring:4', '--bulks', 'many'],
    2,
    ['--bulks', 'auto or a whole'],
  ],
  [
    'points without end',
    ['tune', 'allgather', '--topo', 'ring:4', '--points', '10001'],
    2,
    ['--points', 'at most 10000'],
  ],
  ['an output without a name', ['compile', 'allgather', '--topo', 'ring:4', '-o', ''], 2, ["name of a file, found ''"]],
  [
    'a folder where a file is',
    ['tune', 'allgather', '--topo', 'ring:2', '--points', '2', '-o', '/dev/null'],
    2,
    ['/dev/null', 'there is a file'],
  ],
  [
    'ranks to tune for, backwards',
    ['tune', 'allgather', '--topo', 'ring:N', '--ranks', '9..2'],
    2,
    ['--ranks', '2..64'],
  ],
  ['no name at all', ['compile', 'allgather', '--topo', 'ring:4', '--engine', ''], 2, ['there are: auto, symmetric']],
  [
    'an algorithm of another engine',
    ['compile', 'allgather', '--topo', 'ring:4', '--engine', 'trees', '--algorithm', 'ring'],
    2,
    ['--algorithm', '--engine trees'],
  ],
  ['steps of a topology', ['show', 'ring:4', '--level', 'steps'], 2, ['--level', 'topology']],
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
    'a comma that YAML takes for its own',
    schedule('  - let: { d: min(N, 2) }\n    step: []\n'),
    2,
    '<stdin>:7:',
    ["found the end (YAML ends the text at the ','", 'quotes'],
  ],
  [
    'a part of nothing',
    schedule('  - step:\n      - copy: 0 -> 1\n        what: part 0 of 2\n'),
    2,
    '<stdin>:9:15',
    ["chunks before 'part', such as all part, found 'part'"],
  ],
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

const mine = schedule('  - step:\n      - copy: 0 -> 1\n        what: shard 0\n');

/** Files that are hardly texts, on standard input of `ccc verify -`: what, the text, and words of the message. */
const damaged: readonly [string, string | Uint8Array, readonly string[]][] = [
  ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x00, 0x80]), ['<stdin>', 'UTF-8']],
  ['nothing but white space', '\n   \n', ['<stdin>:1:1', 'empty']],
  ['brackets without end', '['.repeat(20_000), ['<stdin>:1:', 'nested']],
  ['braces without end', '{"a":'.repeat(20_000), ['<stdin>:1:']],
  ['a billion laughs', 'a: &a [x, x]\nb: &b [*a, *a]\n', ['<stdin>:2:', 'alias']],
  ['a key twice', mine.replace('ranks: 4', 'ranks: 4\nranks: 5'), ['<stdin>:6:1', "'ranks'", 'twice']],
  ['a tab before a statement', mine.replace('  - step', '\t- step'), ['<stdin>:7:1', 'Tabs']],
  ['another version', mine.replace('version: 1', 'version: 9'), ['<stdin>:2:10', '1']],
  ['code', mine.replace('shard 0', 'shard process.exit(0)'), ['<stdin>:9:', "'.'"]],
  ['a number beyond all', mine.replace('shard 0', 'shard 9**9**9'), ['<stdin>:9:', 'too large']],
  ['brackets in an expression', mine.replace('shard 0', `shard ${'('.repeat(5000)}`), ['<stdin>:9:', 'nested']],
  ['a list for a name', mine.replace('name: mine-allgather', 'name: [a]'), ['<stdin>:3:7', 'name']],
];

describe('damaged files', () => {
  it.each(damaged)('are refused with their place: %s', async (_, text, words) => {
    const outcome = await inProcess(['verify', fileWith(text, '<stdin>')]);
    for (const word of words) expect(outcome.stderr).toContain(word);
    expect(outcome.stderr).not.toMatch(/\n\s+at |bug/);
    expect({ status: outcome.status, stdout: outcome.stdout }).toEqual({ status: 2, stdout: '' });
  });

  it('cannot move the cursor', async () => {
    const path = fileWith('hello: \u001b[31mred', '\u001b[2Jfile.yaml');
    const { status, stderr } = await inProcess(['verify', path]);
    expect(status).toBe(2);
    expect(stderr).not.toContain('\u001b');
  });
});

describe('schedules made of others', () => {
  const made = (body: string): string =>
    `format: ccc-schedule\nversion: 1\nname: made-allgather\ncollective: allgather\n${body}\n`;

  it('have the place of a name that does not exist', async () => {
    const { status, stderr } = await inProcess(['verify', '-'], made('compose: [ring-allgahter]'));
    expect(status).toBe(2);
    expect(stderr).toContain('<stdin>:5:');
    expect(stderr).toContain('ring-allgather');
  });

  it('are not made of themselves', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a.yaml'), made('compose: [./b.yaml]'));
    writeFileSync(join(folder, 'b.yaml'), made('compose: [./a.yaml]'));
    const { status, stderr } = await inProcess(['verify', './a.yaml'], '', folder);
    expect(status).toBe(2);
    expect(stderr).toContain('made of itself');
  });
});

describe('errors as documents', () => {
  const documents: readonly [string, readonly string[], string][] = [
    ['no such command', ['frobnicate', '--json'], 'usage'],
    ['no such option', ['compile', 'allgather', '--json', '--sise', '1'], 'usage'],
    ['a missing argument', ['verify', '--json'], 'usage'],
    ['a value of a wrong form', ['compile', 'allgather', '--topo', 'ring:4', '--size', 'big', '--json'], 'usage'],
    ['an unknown name', ['compile', 'allgather', '--topo', 'rign:4', '--json'], 'unknown-name'],
    ['a missing file', ['verify', './nowhere.yaml', '--json'], 'file'],
    ['a number out of range', ['compile', 'broadcast', '--topo', 'ring:4', '--root', '9', '--json'], 'range'],
    [
      'a machine in two parts',
      ['bound', 'allgather', '--topo', 'line:3', '--without', 'link:0-1', '--json'],
      'disconnected',
    ],
    [
      'no plan',
      ['compile', 'barrier', '--topo', 'ring:3', '--algorithm', 'mirrored-recursive-doubling', '--json'],
      'no-plan',
    ],
  ];
  it.each(documents)('have a code and a message: %s', async (_, args, code) => {
    const { status, stdout } = await inProcess(args);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(/./) } });
    expect(status).toBe(code === 'no-plan' || code === 'disconnected' ? 1 : 2);
  });
});

describe('mistakes on the command line', () => {
  it.each(mistakes)('end with their exit code and one clear message: %s', async (_, args, status, words) => {
    const outcome = await inProcess(args);
    for (const word of words) expect(outcome.stderr).toContain(word);
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
    expect({ status: outcome.status, stdout: outcome.stdout }).toEqual({ status, stdout: '' });
  });
});

describe('options for schedules', async () => {
  const plan = (await inProcess(['compile', 'barrier', '--topo', 'ring:2'])).stdout;

  it.each([
    ['verify', '--chunks', '7'],
    ['verify', '--set', 'a=1'],
    ['convert', '--ranks', '5'],
    ['show', '--ranks', '5'],
  ])('are not for plans: ccc %s - %s', async (command, option, value) => {
    const { status, stdout, stderr } = await inProcess([command, '-', option, value], plan);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`${option} is for schedules`);
  });
});

describe('mistakes in a file', () => {
  it.each(texts)('are refused with their place: %s', async (_, text, status, place, words) => {
    const outcome = await inProcess(['verify', fileWith(text, '<stdin>')]);
    for (const word of [place, ...words]) expect(outcome.stderr).toContain(word);
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
    expect({ status: outcome.status, stdout: outcome.stdout }).toEqual({ status, stdout: '' });
  });

  it('is a document with --json', async () => {
    const outcome = await inProcess(
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
  it('is said, and nothing half-written stays', async () => {
    const folder = emptyFolder();
    const outcome = await inProcess(
      ['compile', 'allgather', '--topo', 'ring:4', '-o', 'no/such/folder/plan.json'],
      '',
      folder,
    );
    expect(outcome.status).toBe(2);
    expect(outcome.stderr).toContain('folder');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['compile', 'broadcast', '--engine', 'symmetric', '--root', '1', '-o'],
    ['tune', 'broadcast', '--engine', 'symmetric', '--rules'],
    ['tune', 'broadcast', '--engine', 'symmetric', '--csv'],
  ])('is said by %s before the search', async (...args) => {
    const search = [...args.slice(0, -1), '--topo', 'line:9'];
    expect((await inProcess(search)).stderr).not.toContain('folder');
    expect((await inProcess([...search, args[args.length - 1], 'no/such/file'])).stderr).toContain(
      'folder does not exist',
    );
  });

  it.runIf(existsSync('/proc'))('may be where no files can be made, nor folders', async () => {
    for (const args of [
      ['compile', '-o', '/proc/ccc.json'],
      ['tune', '-o', '/proc/ccc'],
    ]) {
      const { status, stderr } = await inProcess([...args, '--topo', 'ring:4', 'allgather']);
      expect(status).toBe(2);
      expect(stderr).toMatch(/takes no files|no permission/);
    }
  });

  it('is made with the folders above it where it is a folder', async () => {
    const folder = emptyFolder();
    const args = ['--topo', 'ring:2', '--points', '2', '--engine', 'library', '-o', 'new/and/newer'];
    for (const _ of ['made', 'there'])
      expect((await inProcess(['tune', 'allgather', ...args], '', folder)).status).toBe(0);
    expect(readdirSync(join(folder, 'new/and/newer'))).not.toEqual([]);
  });

  it('leaves what was there when a plan fails', async () => {
    const path = fileWith('precious', 'plan.json');
    const outcome = await inProcess([
      'compile',
      'allgather',
      '--topo',
      'ring:4',
      '--algorithm',
      'nonsense',
      '-o',
      path,
    ]);
    expect(outcome.status).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  it('may be a folder', async () => {
    const outcome = await inProcess(['compile', 'allgather', '--topo', 'ring:4', '-o', emptyFolder()]);
    expect({ status: outcome.status, stdout: outcome.stdout }).toEqual({ status: 2, stdout: '' });
    expect(outcome.stderr).toContain('it is a folder');
  });

  it.runIf(existsSync('/dev/full'))('may be a full disk', () => {
    for (const line of [
      'ccc list >/dev/full',
      'ccc --help >/dev/full',
      'ccc compile barrier --topo ring:2 -o /dev/full',
    ]) {
      const { status, stderr } = shell(line);
      expect({ line, status }).toEqual({ line, status: 2 });
      expect(stderr).toContain('the disk is full');
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});
