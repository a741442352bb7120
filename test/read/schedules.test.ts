/** Schedule files: what statements and slices mean, counted by hand, and every mistake with its place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customResults } from '../../src/ir/custom-results.ts';
import { CccError, type SourceText } from '../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import {
  chunkMultiple,
  elaborate,
  listShipped,
  loadScheduleFile,
  nearestNames,
  parseScheduleFile,
  ranksFit,
  type ScheduleRequest,
} from '../../src/read/index.ts';
import { drawn } from '../draw.ts';
import { type BadInput, expectFailure, failureOf } from './marked.ts';

function request(ranks: number, changes: Partial<ScheduleRequest> = {}): ScheduleRequest {
  return {
    ...{ ranks, root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, limits: defaultLimits },
    ...changes,
  };
}

/** A schedule file with this head and these steps. */
function file(steps: string, head = 'collective: allgather'): SourceText {
  return { name: 'test.yaml', text: `format: ccc-schedule\nversion: 1\nname: mine\n${head}\nsteps:\n${steps}` };
}

function schedule(steps: string, head?: string, wanted = request(4)): Schedule {
  return elaborate(parseScheduleFile(file(steps, head)), wanted);
}

/** Every step as `copy 0→1 data 2+1>output 0+1`, one text per transfer. */
function steps({ steps: table }: Schedule): string[][] {
  return Array.from({ length: table.stepCount }, (_, step) =>
    table.inStep(step).map(({ kind, source, destination, pieces }) => {
      const moved = pieces.map((p) => `${p.from} ${p.fromOffset}+${p.count}>${p.to} ${p.toOffset}`);
      return `${kind} ${source}→${destination} ${moved.join(', ')}`;
    }),
  );
}

/** The pieces of the only transfer of a one-step schedule from rank 0 to rank 1. */
function pieces(what: string, into = '', head = 'collective: allgather\nchunks: 6', wanted = request(4)): string {
  const step = `  - step:\n      - copy: 0 -> 1\n        what: ${what}\n${into === '' ? '' : `        into: ${into}\n`}`;
  const [[only] = []] = steps(schedule(step, head, wanted));
  return only?.replace('copy 0→1 ', '') ?? 'nothing';
}

describe('slices', () => {
  it.each([
    // Four ranks with six chunks per shard: 24 chunks of data
    ['shard 2', 'data 12+6>data 12'],
    ['shards 1 .. 2', 'data 6+12>data 6'],
    ['chunk 5', 'data 5+1>data 5'],
    ['chunks 3 .. 7', 'data 3+5>data 3'],
    ['all', 'data 0+24>data 0'],
    ['data all part 3 of 4', 'data 18+6>data 18'],
    ['shard 1 part 1 of 3', 'data 8+2>data 8'],
    ['shard 1 parts 1 .. 2 of 3', 'data 8+4>data 8'],
    ['shards 2 .. 1', 'nothing'],
    ['shard 0 parts 1 .. 0 of 3', 'nothing'],
    ['shard 0 parts 5 .. 4 of 3', 'nothing'],
    ['[ input chunks 0 .. 1, data chunks 2 .. 3 ]', 'input 0+2>input 0, data 2+2>data 2'],
    ['[ shard 0, shard 1 ]', 'data 0+12>data 0'],
    ['[ shard 1, shard 0 ]', 'data 6+6>data 6, data 0+6>data 0'],
    ['[ shard 0, shard 2, chunks 18 .. 19 ]', 'data 0+6>data 0, data 12+8>data 12'],
    ['[ { for: "i in [3, 1]", slice: chunk i }, { if: 1 > 2, slice: all } ]', 'data 3+1>data 3, data 1+1>data 1'],
    ['[ { for: i in 0 .. 2, let: { j: 2 * i }, if: j != 2, slice: chunk j } ]', 'data 0+1>data 0, data 4+1>data 4'],
  ])("are read as chunks: '%s'", (what, expected) => {
    expect(pieces(what)).toBe(expected);
  });

  it('are cut where either side has a gap', () => {
    expect(pieces('[ chunks 0 .. 3, chunks 8 .. 9 ]', '[ chunks 20 .. 21, chunks 4 .. 7 ]')).toBe(
      'data 0+2>data 20, data 2+2>data 4, data 8+2>data 6',
    );
  });

  it('know the size of every buffer of every rank', () => {
    const head = 'collective: scatter\nchunks: 2\nscratch: 5';
    const from = (what: string, into: string, root = 0) => pieces(what, into, head, request(3, { root }));
    expect(from('input all', 'scratch chunks 1 .. 0', 1)).toBe('nothing');
    expect(from('input all part 2 of 3', 'output all')).toBe('input 4+2>output 0');
    expect(from('scratch all', 'data chunks 1 .. 5')).toBe('scratch 0+5>data 1');
  });
});

describe('statements', () => {
  it('run their loops outermost first, then let, then if', () => {
    const text = `  - for: [ s in 1 .. 2, "t in [5, s]" ]
    let: { u: s * t }
    if: u != 10
    step:
      - copy: 0 -> 1
        what: shard 0
        channel: u
`;
    const { steps: table } = schedule(text);
    expect(Array.from({ length: table.stepCount }, (_, s) => table.inStep(s).map(({ channel }) => channel))).toEqual([
      [5],
      [1],
      [4],
    ]);
  });

  it.each([
    ['ranks', [0, 1, 2, 3]],
    ['1 .. 3', [1, 2, 3]],
    ['3 .. 1', []],
    ['3 .. 0 by -2', [3, 1]],
    ['0 .. 3 by -1', []],
    ['0 .. 3 by 2', [0, 2]],
    ['[2, 2, N - 1]', [2, 2, 3]],
    ['[]', []],
  ])('loop over %s', (values, expected) => {
    const text = `  - step:\n      - for: "i in ${values}"\n        copy: i -> i\n        what: shard 0\n        into: shard 1\n`;
    const sources = steps(schedule(text))
      .flat()
      .map((transfer) => Number(transfer.split(/[ →]/)[1]));
    expect(sources).toEqual(expected);
  });

  it('of a group are part of the step around them, steps in a loop are one each', () => {
    const text = `  - for: s in 1 .. 2
    do:
      - step:
          - do:
              - { copy: 0 -> s, what: shard 0 }
              - { copy: 0 -> s + 1, what: shard 0 }
        rounds: s + 3
      - step: []
`;
    const made = schedule(text);
    expect(steps(made)).toEqual([
      ['copy 0→1 data 0+1>data 0', 'copy 0→2 data 0+1>data 0'],
      ['copy 0→2 data 0+1>data 0', 'copy 0→3 data 0+1>data 0'],
    ]);
    expect([...made.steps.rounds]).toEqual([4, 5]);
  });

  it('keep their place, order of operands and channel', () => {
    const text = `  - step:\n      - reduce: 0 -> 1\n        what: shard 0\n        order: received-first\n        channel: 3\n`;
    const source = file(text, 'collective: reducescatter');
    const [transfer] = elaborate(parseScheduleFile(source), request(2)).steps.inStep(0);
    expect(transfer).toMatchObject({ kind: 'reduce', order: 'received-first', channel: 3 });
    const { start, end } = transfer.origin ?? { start: 0, end: 0 };
    expect(source.text.slice(start, end)).toBe('reduce: 0 -> 1');
  });
});

describe('the head of a file', () => {
  const head = `collective: allreduce
about: A test.
aliases: [a_b, c]
ranks: N % 2 == 0
chunks: 2 * N + extra
operator: any
root: 1
ring: true
scratch: C + twice
parameters:
  extra: { default: N // 2, about: more chunks }
let: { twice: 2 * C }`;
  const read = parseScheduleFile(file('  - step: []\n', head));

  it('is kept', () => {
    expect(read).toMatchObject({
      ...{ name: 'mine', about: 'A test.', source: undefined, aliases: ['a_b', 'c'], collective: 'allreduce' },
      ...{ operator: 'any', ring: true, prune: false, fixedRanks: undefined, fixedRoot: 1 },
      parameters: [{ name: 'extra', about: 'more chunks' }],
    });
  });

  it('says for how many ranks it works', () => {
    expect(ranksFit(read, request(4)).fits).toBe(true);
    expect(ranksFit(read, request(5))).toMatchObject({ fits: false, reason: expect.stringContaining('N % 2 == 0') });
    const fixed = parseScheduleFile(file('  - step: []\n', 'collective: broadcast\nranks: 4\nroot: 1'));
    expect(fixed.fixedRanks).toBe(4);
    expect(ranksFit(fixed, request(4, { root: 1 })).fits).toBe(true);
    expect(ranksFit(fixed, request(4))).toMatchObject({ fits: false, reason: expect.stringContaining('root 1') });
    expect(ranksFit(fixed, request(5, { root: 1 }))).toMatchObject({
      fits: false,
      reason: expect.stringContaining('4'),
    });
  });

  it('says how many chunks it needs', () => {
    expect(chunkMultiple(read, request(4))).toBe(10);
    expect(chunkMultiple(read, request(4, { parameters: { extra: 0, others: 9 } }))).toBe(8);
    const made = elaborate(read, request(4));
    expect([made.collective.chunks, made.scratch, made.commutative, made.ring]).toEqual([10, 30, false, true]);
    expect(elaborate(read, request(4, { chunks: 20 })).collective.chunks).toBe(20);
    expect(failureOf(() => elaborate(read, request(4, { chunks: 15 }))).message).toContain('multiple of 10');
  });

  it('makes reductions commutative unless it says otherwise', () => {
    const commutative = (collective: string) => schedule('  - step: []\n', `collective: ${collective}`).commutative;
    expect(['allreduce', 'scan', 'allgather', 'alltoall'].map(commutative)).toEqual([true, true, false, false]);
  });

  it('names the schedules that others are made of', () => {
    const text = (body: string) => `format: ccc-schedule\nversion: 1\nname: mine\ncollective: reduce\n${body}\n`;
    const parse = (body: string) => parseScheduleFile({ name: 'test.yaml', text: text(body) });
    expect(parse('reverse: binomial-broadcast').body).toMatchObject({
      kind: 'reverse',
      schedule: 'binomial-broadcast',
    });
    expect(parse('compose: [a, b]').body).toMatchObject({ kind: 'compose', schedules: ['a', 'b'] });
    expect(failureOf(() => elaborate(parse('compose: [a]'), request(2)))).toMatchObject({ code: 'schedule' });
  });
});

describe('a custom collective', () => {
  const head = (results: string) => `collective:
  kind: custom
  input: r + 1
  output: "r == 0 ? 2 : 0"
  results:
${results}`;

  it('has sizes by rank and results in order', () => {
    const results = `    - rank: 0
      chunk: 1
      is: [ { for: i in 2 .. 0 by -1, rank: i, chunk: i } ]
`;
    const { collective } = schedule('  - step: []\n', head(results), request(3));
    expect(collective.custom).toEqual({
      input: [1, 2, 3],
      output: [2, 0, 0],
      results: customResults([[null, [2, 1, 0].map((rank) => ({ rank, chunk: rank }))], [], []]),
    });
  });

  const text = (results: string) => file('  - step: []\n', head(results)).text;
  const wrong: readonly BadInput[] = [
    [
      'a rank that does not exist',
      text('    - { rank: ⟦4⟧, chunk: 0, is: [ { rank: 0, chunk: 0 } ] }'),
      'range',
      ['0 … 3'],
    ],
    [
      'an output chunk that does not exist',
      text('    - { rank: 1, chunk: ⟦0⟧, is: [ { rank: 0, chunk: 0 } ] }'),
      'range',
      ['none'],
    ],
    [
      'an input chunk that does not exist',
      text('    - { rank: 0, chunk: 0, is: [ { rank: 1, chunk: ⟦2⟧ } ] }'),
      'range',
      ['0 … 1'],
    ],
    ['nothing to reduce', text('    - ⟦{ rank: 0, chunk: 0, is: [] }⟧'), 'schedule', ['at least one']],
    [
      'a slot given twice',
      text('    - ⟦{ for: i in 0 .. 1, rank: 0, chunk: 0, is: [ { rank: 0, chunk: 0 } ] }⟧'),
      'schedule',
      ['twice', 'i = 1'],
    ],
    ['a misspelt key', text('    - { rank: 0, ⟦chunks⟧: 0, is: [] }'), 'schema', ["'chunks'", 'chunk']],
  ];
  it.each(wrong)('refuses %s', (...input) =>
    expectFailure((source) => elaborate(parseScheduleFile(source), request(4)), input),
  );
});

const step = (body: string, head?: string): string => file(`  - step:\n${body}`, head).text;
const transfer = (ranks: string, what: string, into?: string): string =>
  step(`      - copy: ${ranks}\n        what: ${what}\n${into === undefined ? '' : `        into: ${into}\n`}`);
const head = (text: string): string => file('  - step: []\n', text).text;

const mistakes: readonly BadInput[] = [
  // YAML
  ['a bracket that is not closed', 'format: [ccc⟦⟧', 'syntax', ['YAML']],
  ['a colon in a plain text', `${head('collective: scan')}scratch: ⟦a⟧ ? b : c\n`, 'syntax', ['quotes']],
  ['a key twice', 'format: ccc-schedule\nversion: 1\nname: a\n⟦name⟧: b\n', 'syntax', ['twice']],
  ['an alias', 'format: ccc-schedule\nversion: 1\nname: &n a\nabout: ⟦*n⟧\n', 'syntax', ['aliases']],
  ['a tag', 'format: ⟦!x⟧ ccc-schedule\n', 'syntax', ['tag']],
  ['a list as a key', '⟦[a]⟧: 1\n', 'syntax', ['key']],
  ['nothing at all', '⟦⟧# only a remark\n', 'syntax', ['empty']],
  // The head
  ['no mapping', '⟦- a⟧\n', 'schema', ['ccc-schedule']],
  ['another format', 'format: ⟦ccc-topology⟧\n', 'schema', ['ccc-schedule']],
  ['another version', 'format: ccc-schedule\nversion: ⟦2⟧\n', 'schema', ['version: 1', "'2'"]],
  ['no version', '⟦format⟧: ccc-schedule\nname: x\n', 'schema', ['version: 1']],
  ['an unknown key', head('collective: scan\n⟦opperator⟧: any'), 'schema', ['opperator', 'operator']],
  ['no collective', '⟦format⟧: ccc-schedule\nversion: 1\nname: a\nsteps: []\n', 'schema', ["'collective'"]],
  ['an unknown collective', head('collective: ⟦allgahter⟧'), 'schema', ['allgather']],
  ['custom without its parts', head('collective: ⟦custom⟧'), 'schema', ['mapping']],
  ['a name with capitals', file('  []').text.replace('name: mine', 'name: ⟦Mine⟧'), 'schema', ['lower-case']],
  ['a flag that is none', head('collective: scan\nring: ⟦yes⟧'), 'schema', ['true or false', 'yes']],
  ['a root that is none', head('collective: scan\nroot: ⟦first⟧'), 'schema', ['any']],
  ['two bodies', head('collective: scan\n⟦reverse⟧: a'), 'schema', ['steps', 'reverse']],
  ['no body', 'format: ccc-schedule\nversion: 1\n⟦name⟧: a\ncollective: scan\n', 'schema', ['steps']],
  [
    'chunks beside compose',
    'format: ccc-schedule\nversion: 1\nname: a\ncollective: scan\n⟦chunks⟧: 2\ncompose: [b]\n',
    'schema',
    ['no effect', 'compose'],
  ],
  ['a name that is taken', head('collective: scan\nlet: { ⟦N⟧: 3 }'), 'expression', ["'N'", 'taken']],
  ['a word as a name', head('collective: scan\nlet: { ⟦shard⟧: 3 }'), 'expression', ["'shard'"]],
  ['let before its turn', head('collective: scan\nlet: { x: ⟦y⟧, y: 1 }'), 'expression', ["'y'"]],
  ['C in chunks', head('collective: scan\nchunks: ⟦C⟧'), 'expression', ["'C'"]],
  ['no chunks', head('collective: scan\nchunks: ⟦N - 4⟧'), 'range', ['at least 1']],
  ['negative scratch', head('collective: scan\nscratch: ⟦N - 5⟧'), 'range', ['-1']],
  ['too much scratch', head('collective: scan\nscratch: ⟦2 ** 21⟧'), 'limit', ['chunks = 1048576']],
  ['too many chunks', head('collective: scan\nchunks: ⟦2 ** 21⟧'), 'limit', ['chunks = 1048576']],
  // Statements
  ['an unknown statement', file('  - ⟦stp⟧: []\n').text, 'schema', ['stp', 'step']],
  ['a statement with no body', file('  - ⟦for⟧: r in ranks\n').text, 'schema', ['step', 'copy']],
  ['a statement with two', step('      - copy: 0 -> 1\n        ⟦reduce⟧: 0 -> 1\n'), 'schema', ['copy', 'reduce']],
  ['rounds beside do', file('  - do: []\n    ⟦rounds⟧: 1\n').text, 'schema', ['rounds', 'do']],
  [
    'order beside copy',
    step('      - copy: 0 -> 1\n        what: all\n        ⟦order⟧: held-first\n'),
    'schema',
    ['reduce'],
  ],
  ['a step in a step', step('      - do:\n          - ⟦step⟧: []\n'), 'schema', ['inside a step']],
  ['a transfer outside', file('  - ⟦copy⟧: 0 -> 1\n    what: all\n').text, 'schema', ['inside a step']],
  ['no what', step('      - ⟦copy⟧: 0 -> 1\n'), 'schema', ["'what'"]],
  ['steps that are no list', file('  ⟦step: []⟧\n').text, 'schema', ['list']],
  ['no rounds', file('  - step: []\n    rounds: ⟦N - 4⟧\n').text, 'range', ['at least 1']],
  // Loops
  ['a loop without in', step('      - for: r ⟦of⟧ ranks\n        do: []\n'), 'expression', ["'in'"]],
  ['a loop by zero', step('      - for: r in 0 .. 3 by ⟦N - 4⟧\n        do: []\n'), 'range', ['by 0']],
  ['a variable twice', step('      - for: [ r in ranks, ⟦r⟧ in ranks ]\n        do: []\n'), 'expression', ['taken']],
  [
    'a loop without end',
    step('      - for: ⟦r in 0 .. 2**40⟧\n        do: []\n'),
    'limit',
    ['evaluations = 200000000'],
  ],
  // Transfers
  ['no arrow', transfer('0 ⟦1⟧', 'all'), 'expression', ["'->'", "'1'"]],
  ['a rank beyond the last', transfer('0 -> ⟦4⟧', 'shard 0'), 'range', ['0 … 3']],
  ['a rank below the first', transfer('⟦0 - 1⟧ -> 0', 'shard 0'), 'range', ['rank -1', '0 … 3']],
  ['a slice beyond the buffer', transfer('0 -> 1', '⟦shard 4⟧'), 'range', ['shard 4', '0 … 3']],
  ['a slice below it', transfer('0 -> 1', '⟦chunks 0-1 .. 1⟧'), 'range', ['chunk -1']],
  ['scratch that is not there', transfer('0 -> 1', '⟦scratch chunk 0⟧'), 'range', ['none']],
  ['no slice', transfer('0 -> 1', '⟦slice⟧ 4'), 'expression', ['shard']],
  ['a part beyond the last', transfer('0 -> 1', 'all part ⟦4⟧ of 4'), 'range', ['part 4', '0 … 3']],
  ['a part below the first', transfer('0 -> 1', 'all part ⟦0 - 1⟧ of 4'), 'range', ['part -1', '0 … 3']],
  ['parts that are not equal', transfer('0 -> 1', 'all part 0 of ⟦3⟧'), 'range', ['4 chunks', '3 equal parts']],
  ['no parts', transfer('0 -> 1', 'all part 0 of ⟦N - 4⟧'), 'range', ['0 parts']],
  ['lengths that differ', transfer('0 -> 1', 'all', '⟦shard 0⟧'), 'range', ['4 chunks', "'into' is 1"]],
  [
    'a place that the receiver lacks',
    step('      - copy: 0 -> 1\n        what: ⟦input all⟧\n', 'collective: broadcast'),
    'range',
    ['into'],
  ],
  [
    'data that a barrier lacks',
    step('      - copy: 0 -> 1\n        what: ⟦all⟧\n', 'collective: barrier'),
    'expression',
    ['input'],
  ],
  [
    'a mistake in the second pass of a loop',
    step('      - for: [ s in 2 .. 3, r in ranks ]\n        copy: r -> ⟦r + s - 2⟧\n        what: shard r\n'),
    'range',
    ['rank 4', 's = 3', 'r = 3'],
  ],
  [
    'a negative channel',
    step('      - copy: 0 -> 1\n        what: shard 0\n        channel: ⟦-1⟧\n'),
    'range',
    ['channel -1'],
  ],
];

describe('a mistake in a schedule file', () => {
  it.each(mistakes)('is refused with its place: %s', (...input) =>
    expectFailure((source) => elaborate(parseScheduleFile(source), request(4)), input),
  );

  it('too large an expansion ends with the limit', () => {
    const text = `  - step:\n      - for: [ a in 1 .. 10, b in ranks ]\n        copy: b -> b\n        what: shard 0\n`;
    const expand = (limits: object) =>
      failureOf(() => schedule(text, 'collective: alltoall', request(4, { limits: { ...defaultLimits, ...limits } })));
    expect(expand({ operations: 39 })).toMatchObject({
      code: 'limit',
      message: expect.stringContaining('operations = 39'),
    });
    expect(expand({ evaluations: 100 })).toMatchObject({
      code: 'limit',
      message: expect.stringContaining('evaluations = 100'),
    });
    expect(expand({ ranks: 3 })).toMatchObject({ code: 'limit', message: expect.stringContaining('ranks = 3') });
    expect(expand({ chunks: 3 })).toMatchObject({ code: 'limit', message: expect.stringContaining('chunks = 3') });
  });

  it('so does a message of too many pieces', () => {
    const text = `  - step:\n      - copy: 0 -> 1\n        what: [ { for: i in 1 .. 41, slice: chunk i % 2 * 2 } ]\n`;
    const limited = (operations: number) => request(4, { limits: { ...defaultLimits, operations } });
    expect(schedule(text, 'collective: alltoall', limited(41)).steps.count).toHaveLength(41);
    expect(failureOf(() => schedule(text, 'collective: alltoall', limited(40)))).toMatchObject({
      code: 'limit',
      message: expect.stringContaining('pieces'),
    });
  });

  it('a file that is too long is refused before it is read', () => {
    const text = '#'.repeat(2000);
    const limits = { ...defaultLimits, fileBytes: 64_000 };
    expect(failureOf(() => parseScheduleFile({ name: 'long.yaml', text }, { limits }))).toMatchObject({
      code: 'limit',
      message: expect.stringContaining('fileBytes'),
    });
  });

  it.each([
    ['brackets', '['.repeat(300_000)],
    ['dashes', '- '.repeat(20_000)],
    ['mappings', '{a: '.repeat(20_000)],
    ['levels', `${'['.repeat(150)}${']'.repeat(150)}`],
  ])('many nested %s are refused', (_, text) => {
    expect(() => parseScheduleFile({ name: 'bomb.yaml', text })).toThrow(CccError);
  });

  it('many keys are read in no time to speak of', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1\n`).join('');
    expect(failureOf(() => parseScheduleFile({ name: 'keys.yaml', text })).code).toBe('schema');
  });
});

describe('any text', () => {
  /** A shipped file with a few characters changed: nearer to the language than random text. */
  const names = listShipped('schedules');
  const damaged = fc
    .record({
      name: fc.constantFrom(...names),
      edits: fc.array(
        fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat(6), put: fc.string({ maxLength: 4 }) }),
        { maxLength: 4 },
      ),
    })
    .map(({ name, edits }) =>
      edits.reduce((text, { at, cut, put }) => {
        const start = Math.floor(at * text.length);
        return text.slice(0, start) + put + text.slice(start + cut);
      }, loadScheduleFile(name).text.text),
    );
  const limits = { ...defaultLimits, operations: 5000, evaluations: 50_000, chunks: 5000 };

  it('is a schedule or a CccError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), damaged), fc.integer({ min: 1, max: 5 }), (text, ranks) => {
        try {
          elaborate(parseScheduleFile({ name: 'fuzz.yaml', text }), request(ranks, { limits }));
        } catch (error) {
          if (!(error instanceof CccError)) throw error;
        }
      }),
      drawn(300),
    );
  });
});

describe('shipped schedules', () => {
  it('have the name of their file and say what they are', () => {
    for (const name of listShipped('schedules')) {
      const { about, source, collective, name: own } = loadScheduleFile(name);
      expect([own, own.endsWith(`-${collective}`), about.length > 20, (source ?? '').length > 5]).toEqual([
        name,
        true,
        true,
        true,
      ]);
    }
  });

  it('that do not exist are answered with those that do', () => {
    expect(failureOf(() => loadScheduleFile('ring-allgahter'))).toMatchObject({
      code: 'unknown-name',
      message: expect.stringContaining('did you mean ring-allgather'),
    });
    expect(failureOf(() => loadScheduleFile('no/such.yaml'))).toMatchObject({ code: 'file' });
  });
});

describe('the nearest names', () => {
  const known = ['ring-allgather', 'bruck-allgather', 'sum', 'prod'];
  it.each([
    ['ring-algather', 'did you mean ring-allgather?'],
    ['rign', 'did you mean ring-allgather?'],
    ['SUM', 'did you mean sum?'],
    ['nothing of the kind', 'there are: ring-allgather, bruck-allgather, sum, prod'],
  ])('to %s', (wanted, expected) => expect(nearestNames(wanted, known)).toBe(expected));
  it('are a dozen at most', () => {
    const many = Array.from({ length: 40 }, (_, i) => `name-${i}`);
    expect(nearestNames('x', many)).toMatch(/name-11 … \(40 in all\)$/);
  });
});
