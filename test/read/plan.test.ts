/** Plan JSON: the format of the design read field by field; what is wrong is told apart and has its place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../../src/emit/index.ts';
import { customResults } from '../../src/ir/custom-results.ts';
import { CccError, positionOf } from '../../src/ir/diagnostic.ts';
import { defaultLimits, type Limits } from '../../src/ir/limits.ts';
import { operationAt, operationCount } from '../../src/ir/plan.ts';
import { readPlan } from '../../src/read/index.ts';
import { prove } from '../../src/verify/index.ts';
import { drawn } from '../draw.ts';

/** Rank 1's lane stands before its rank and id, its program before that of rank 0, an unknown field in an operation. */
const exchange = `{ "format": "ccc-plan", "version": 1, "name": "exchange", "made-by": { "hand": [true, "\\u00e9"] },
  "collective": { "kind": "allreduce", "ranks": 2, "chunks": 2, "op": "max", "inPlace": false },
  "bulks": 3, "rounds": [0, 2],
  "programs": [
    { "lanes": [
        { "ops": [
          { "op": "copy", "src": ["input", 0, 2], "dst": ["output", 0, 2], "step": 0 },
          { "op": "recvReduce", "order": "received-first", "peer": 0, "channel": 7, "dst": ["output", 0, 2], "step": 1 } ],
          "id": 4 },
        { "id": 2, "ops": [
          { "op": "send", "peer": 0, "channel": 7, "src": ["input", 0, 2], "step": 1, "after": [[4, 1, 1]], "note": [{}] } ] } ],
      "rank": 1, "buffers": { "input": 2, "output": 2, "scratch": 0 } },
    { "rank": 0, "buffers": { "input": 2, "output": 2, "scratch": 0 }, "lanes": [
        { "id": 0, "ops": [
          { "op": "send", "peer": 1, "channel": 7, "src": ["input", 0, 2], "step": 1 } ] },
        { "id": 1, "ops": [
          { "op": "recvReduce", "peer": 1, "channel": 7, "dst": ["output", 0, 2], "step": 1, "after": [[9, 0]] } ] },
        { "id": 9, "ops": [
          { "op": "copy", "src": ["input", 0, 2], "dst": ["output", 0, 2], "step": 0 } ] } ] } ] }
`;

function failure(text: string, limits: Limits = defaultLimits): CccError {
  try {
    readPlan({ name: 'plan.json', text }, { limits });
  } catch (error) {
    if (error instanceof CccError) return error;
    throw error;
  }
  throw new Error('this was read without an error');
}

/** The example with one piece replaced; the piece must be there. */
function changed(piece: string, by: string): string {
  expect(exchange).toContain(piece);
  return exchange.replace(piece, by);
}

describe('reading a plan', () => {
  const source = { name: 'plan.json', text: exchange };
  const { plan, extra } = readPlan(source);

  it('reads the head, with the defaults of what is left out', () => {
    expect(plan.name).toBe('exchange');
    expect(plan.collective).toEqual({
      ...{ kind: 'allreduce', ranks: 2, chunks: 2, root: 0, op: 'max', ordered: false, inPlace: false },
    });
    expect([plan.bulks, plan.scratchPerBulk, plan.rounds]).toEqual([3, 1, [0, 2]]);
    expect(plan.buffers).toEqual([0, 1].map(() => ({ input: 2, output: 2, scratch: 0 })));
  });

  it('puts programs and lanes in order, whatever order their fields come in', () => {
    expect([...plan.firstLane]).toEqual([0, 3, 5]);
    expect([...plan.laneId]).toEqual([0, 1, 9, 4, 2]);
    expect([...plan.firstOp]).toEqual([0, 1, 2, 3, 5, 6]);
  });

  it('reads every operand', () => {
    const operations = Array.from({ length: operationCount(plan) }, (_, o) => {
      const { origin, ...rest } = operationAt(plan, o);
      return rest;
    });
    const input = { buffer: 'input', offset: 0, count: 2 };
    const output = { buffer: 'output', offset: 0, count: 2 };
    const copy = { op: 'copy', src: input, dst: output, step: 0, after: [] };
    expect(operations).toEqual([
      { op: 'send', peer: 1, channel: 7, src: input, step: 1, after: [] },
      {
        ...{ op: 'recvReduce', peer: 1, channel: 7, dst: output, order: 'held-first', step: 1 },
        after: [{ lane: 9, index: 0, bulks: 0 }],
      },
      copy,
      copy,
      { op: 'recvReduce', peer: 0, channel: 7, dst: output, order: 'received-first', step: 1, after: [] },
      { op: 'send', peer: 0, channel: 7, src: input, step: 1, after: [{ lane: 4, index: 1, bulks: 1 }] },
    ]);
  });

  it('remembers where each operation stands', () => {
    const lines = Array.from({ length: operationCount(plan) }, (_, o) => {
      const { origin } = operationAt(plan, o);
      expect(origin && JSON.parse(exchange.slice(origin.start, origin.end)).step).toBe(operationAt(plan, o).step);
      return origin && positionOf(origin.source, origin.start).line;
    });
    expect(lines).toEqual([15, 17, 19, 7, 8, 11]);
  });

  it('keeps blocks that are no part of the plan', () => {
    expect(extra).toEqual({ 'made-by': { hand: [true, 'é'] } });
  });

  it('reads back what the emitter writes, to the byte', () => {
    const { proved } = prove(plan, {});
    if (proved === undefined) throw new Error('the example is not proved');
    const none = { topology: undefined, size: undefined, dtype: undefined, cost: undefined, bound: undefined };
    const written = (p: typeof proved) => [...json.emit({ proved: p, ...none, origin: undefined })].join('');
    const text = written(proved);
    const again = prove(readPlan({ name: 'again', text }).plan, {}).proved;
    expect(again && written(again)).toBe(text);
  });

  it('reads the condition of a custom collective', () => {
    const custom = { input: [1, 1], output: [1, 0], results: [[[{ rank: 1, chunk: 0 }]], []] };
    const block = JSON.stringify({ kind: 'custom', ranks: 2, chunks: 1, custom });
    const text = exchange.replace(/\{ "kind": [^}]*\}/, block);
    const condition = (written: string) => readPlan({ name: 'custom', text: written }).plan.collective.custom;
    expect(condition(text)).toEqual({ ...custom, results: customResults(custom.results) });
    const undefinedSlot = text.replace('[[{"rank":1,"chunk":0}]]', '[null]');
    expect(condition(undefinedSlot)?.results).toEqual(customResults([[null], []]));
  });
});

describe('what is not a plan', () => {
  const send = '"op": "send", "peer": 1, "channel": 7, "src": ["input", 0, 2], "step": 1 }';
  // The mark ¦ shows where the error must start; it is taken out before the text is read.
  it.each([
    ['nothing', '¦', 'syntax', 'expected a value, found the end of the file'],
    ['a word', '¦hello', 'syntax', "found 'h'"],
    ['a list', ' ¦[1, 2]', 'schema', 'expected a plan (an object), found a list'],
    ['two documents', `${exchange} ¦{}`, 'syntax', 'expected the end of the file'],
    ['half a document', `${exchange.slice(0, 60)}¦`, 'syntax', 'found the end of the file'],
    ['a comma too many', changed('"bulks": 3,', '"bulks": 3,¦,'), 'syntax', "expected a key, found ','"],
    ['a comma missing', changed('{ "hand": [true, ', '¦{ "hand": [true '), 'syntax', 'this value is not valid'],
    [
      'a leading zero',
      changed('"id": 9', '"id": 0¦9').replace('"id": 0,', '"id": 5,'),
      'syntax',
      "expected ',' or '}', found '9'",
    ],
    ['brackets that do not match', changed('[{}]', '¦[{]]'), 'syntax', ''],
    ['a fraction', changed('"bulks": 3', '"bulks": ¦2.5'), 'malformed', 'a whole number, found 2.5'],
    ['a text for a number', changed('"bulks": 3', '"bulks": ¦"3"'), 'malformed', 'a number of bulks, found a text'],
    ['too small', changed('"bulks": 3', '"bulks": ¦0'), 'malformed', 'at least 1, found 0'],
    ['beyond 32 bits', changed('"bulks": 3', '"bulks": ¦2147483648'), 'malformed', 'at most 2**31 - 1'],
    ['a key twice', changed('"bulks": 3', '"bulks": 3, ¦"bulks": 3'), 'malformed', "the key 'bulks' is there twice"],
    ['another version', changed('"version": 1', '"version": ¦2'), 'malformed', 'expected version 1'],
    ['another format', changed('"ccc-plan"', '¦"ccc-plans"'), 'schema', 'did you mean ccc-plan?'],
    ['an unknown kind', changed('"allreduce"', '¦"allreduse"'), 'malformed', 'did you mean allreduce?'],
    [
      'no chunks',
      changed('{ "kind": "allreduce", "ranks": 2, "chunks": 2', '¦{ "kind": "allreduce", "ranks": 2'),
      'malformed',
      "the collective needs 'chunks'",
    ],
    ['a number for a boolean', changed('"inPlace": false', '"inPlace": ¦0'), 'malformed', '(true or false), found 0'],
    [
      'a root that is no rank',
      changed('{ "kind"', '¦{ "root": 2, "kind"'),
      'malformed',
      'root 2 is not one of the ranks 0 … 1',
    ],
    ['a rank twice', changed('{ "rank": 0', '{ "rank": ¦1'), 'malformed', 'rank 1 already has a program'],
    ['a rank missing', `¦${changed('"rank": 1, ', '"rank": 2, ')}`, 'malformed', 'rank 1 of 2 has no program'],
    [
      'too many programs',
      `¦${changed('"ranks": 2', '"ranks": 1')}`,
      'malformed',
      '2 programs for a collective of 1 ranks',
    ],
    [
      'no scratch',
      changed('{ "input": 2, "output": 2, "scratch": 0 }, "lanes"', '¦{ "input": 2, "output": 2 }, "lanes"'),
      'malformed',
      "buffers need 'scratch'",
    ],
    ['a lane twice', changed('"id": 1,', '"id": ¦0,'), 'malformed', 'rank 0 already has a lane 0'],
    ['a lane that is not there', changed('[[9, 0]]', '[¦[8, 0]]'), 'malformed', 'rank 0 has no lane 8 to wait for'],
    [
      'an index that is not there',
      changed('[[9, 0]]', '[¦[9, 1]]'),
      'malformed',
      'lane 9 of rank 0 has 1 operation, none is number 1',
    ],
    ['half an after', changed('[[9, 0]]', '[¦[9]]'), 'malformed', 'found fewer entries'],
    ['an after too long', changed('[[9, 0]]', '[¦[9, 0, 0, 0]]'), 'malformed', 'found more entries'],
    [
      'half a slice',
      changed(send, send.replace('["input", 0, 2]', '¦["input", 0]')),
      'malformed',
      'found fewer entries',
    ],
    ['an unknown buffer', changed(send, send.replace('"input"', '¦"inptu"')), 'malformed', 'did you mean input?'],
    ['a negative peer', changed(send, send.replace('"peer": 1', '"peer": ¦-1')), 'malformed', 'at least 0, found -1'],
    ['no source', changed(`{ ${send}`, `¦{ ${send.replace('"src"', '"source"')}`), 'malformed', "send needs 'src'"],
    ['no step', changed(`{ ${send}`, `¦{ ${send.replace(', "step": 1', '')}`), 'malformed', "send needs 'step'"],
    [
      'an operand too many',
      changed(`{ ${send}`, `¦{ "dst": ["output", 0, 2], ${send}`),
      'malformed',
      "send has no 'dst'",
    ],
  ])('is refused with its place: %s', (_, marked, code, message) => {
    const error = failure(marked.replace('¦', ''));
    expect(error.message).toContain(message);
    expect(error.code).toBe(code);
    expect(error.range?.start).toBe(marked.indexOf('¦'));
  });

  it.each([
    [{ ranks: 1 }, 'limit ranks = 1'],
    [{ chunks: 1 }, 'limit chunks = 1'],
    [{ operations: 5 }, 'limit operations = 5'],
  ])('keeps to the limits %o', (limits, message) => {
    const error = failure(exchange, { ...defaultLimits, ...limits });
    expect(error.code).toBe('limit');
    expect(error.message).toContain(message);
  });

  it('reads what is exactly within the limits', () => {
    const limits = { ...defaultLimits, ranks: 2, chunks: 2, operations: 6 };
    expect(operationCount(readPlan({ name: 'plan.json', text: exchange }, { limits }).plan)).toBe(6);
  });

  it('is not brought down by a million brackets', () => {
    const deep = '['.repeat(1_000_000);
    expect(failure(deep).code).toBe('syntax');
    expect(failure(`{ "x": ${deep}`).code).toBe('syntax');
    expect(failure(`{ "x": ${'{"a":'.repeat(200_000)}`).code).toBe('syntax');
    const sized = changed('"bulks": 3', `"bulks": ${deep}`);
    expect(failure(sized).code).toBe('syntax');
  });

  it('gives a plan or a CccError for every change of a character', () => {
    const places = fc.array(fc.tuple(fc.nat(exchange.length - 1), fc.constantFrom(...'{}[]",:0-9e\\ tn')), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(places, (changes) => {
        let text = exchange;
        for (const [at, character] of changes) text = text.slice(0, at) + character + text.slice(at + 1);
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        try {
          readPlan({ name: 'fuzz', text });
          expect(valid).toBe(true);
        } catch (error) {
          if (!(error instanceof CccError)) throw error;
          if (valid) expect(error.code).not.toBe('syntax');
        }
      }),
      drawn(300),
    );
  });
});
