/** The JSON Schemas, which editors use, say the same about the form of a file as the readers do. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CccError } from '../../src/ir/diagnostic.ts';
import { listShipped, loadScheduleFile, parseScheduleFile, readPlan, resolveTopology } from '../../src/read/index.ts';

const ajv = new Ajv({ allowUnionTypes: true, strictTypes: false });

function schema(kind: string): ValidateFunction {
  return ajv.compile(JSON.parse(readFileSync(new URL(`../../schemas/${kind}.schema.json`, import.meta.url), 'utf8')));
}

const validators = { schedule: schema('schedule'), topology: schema('topology'), plan: schema('plan') };
type Kind = keyof typeof validators;

function readerAccepts(kind: Kind, text: string): boolean {
  const source = { name: 'test', text };
  try {
    if (kind === 'schedule') parseScheduleFile(source);
    else if (kind === 'topology') resolveTopology('test.yaml', { read: () => source });
    else readPlan(source);
    return true;
  } catch (error) {
    if (error instanceof CccError) return false;
    throw error;
  }
}

/** What both say; a disagreement shows as one of them. */
function verdicts(kind: Kind, text: string): string {
  const validate = validators[kind];
  const accepted = validate(kind === 'plan' ? JSON.parse(text) : parse(text));
  return `reader ${readerAccepts(kind, text)}, schema ${accepted}`;
}

describe('shipped files', () => {
  it.each(['schedules', 'topologies'] as const)('%s fit their schema, which their first line names', (kind) => {
    const one = kind === 'schedules' ? 'schedule' : 'topology';
    for (const name of listShipped(kind)) {
      const text = readFileSync(new URL(`../../${kind}/${name}.yaml`, import.meta.url), 'utf8');
      expect(text.split('\n')[0]).toBe(`# yaml-language-server: $schema=../schemas/${one}.schema.json`);
      const validate = validators[one];
      expect([name, validate(parse(text)), validate.errors]).toEqual([name, true, null]);
    }
    expect(loadScheduleFile('ring-allgather').collective).toBe('allgather');
  });
});

const scheduleHead = 'format: ccc-schedule\nversion: 1\nname: mine\n';
const schedule = (statement: string) => `${scheduleHead}collective: reduce\nsteps:\n  - ${statement}\n`;
const topologyHead = 'format: ccc-topology\nversion: 1\nname: mine\n';
const topology = (rest: string) =>
  `${topologyHead}chips: 2\nlink: { latency: 1 us, bandwidth: 1 GB/s }\nlinks: [ duplex: 0 <-> 1 ]\n${rest}\n`;
const planHead = '"format": "ccc-plan", "version": 1, "name": "p"';
const collective = '"collective": { "kind": "scan", "ranks": 1, "chunks": 1 }';
const buffers = '"buffers": { "input": 1, "output": 1, "scratch": 1 }';
const plan = (op: string) =>
  `{ ${planHead}, ${collective}, "programs": [ { "rank": 0, ${buffers}, "lanes": [ { "id": 0, "ops": [ ${op} ] } ] } ] }`;

const planFor = (of: string) =>
  `{ ${planHead}, "collective": { "ranks": 1, "chunks": 1, ${of} }, "programs": [ { "rank": 0, ${buffers}, "lanes": [] } ] }`;
const condition = '"kind": "custom", "custom": { "input": [1], "output": [2], "results": [[null]]';

/** A plan with that block beside its programs. */
const planWith = (block: string) =>
  `{ ${planHead}, ${collective}, ${block}, "programs": [ { "rank": 0, ${buffers}, "lanes": [] } ] }`;

const right: readonly (readonly [Kind, string])[] = [
  ['schedule', schedule('step: []')],
  ['schedule', schedule('{ for: i in 0 .. 2, let: { x: i }, if: x > 0, step: [], rounds: 2 }')],
  ['schedule', schedule('{ for: [i in ranks, j in ranks], do: [] }')],
  ['schedule', schedule('step: [ { reduce: 0 -> 1, what: all, order: received-first, channel: 1 } ]')],
  ['schedule', schedule('step: [ { copy: 0 -> 1, what: [ all, { if: 1, slice: all } ], into: { slice: all } } ]')],
  ['schedule', `${scheduleHead}collective: reduce\nreverse: binomial-broadcast\noperator: any\nranks: N > 2\n`],
  ['schedule', `${scheduleHead}collective: reduce\ncompose: [a, b]\nprune: true\nroot: 0\n`],
  [
    'schedule',
    `${scheduleHead}collective: { kind: custom, input: 1, output: r, results: [ { rank: 0, chunk: 0, is: [ { rank: 1, chunk: 0 } ] } ] }\nsteps: []\n`,
  ],
  [
    'topology',
    topology('inflight: 2\nnotes: [a]\ngroups: [ [0, 1] ]\nhosts: 1\nswitches: 1\nswitch: { multicast: true }'),
  ],
  [
    'topology',
    topology(
      'chip: { name: "c{r}", ports: { send: 1 }, reduce: { throughput: 1 GB/s, overlap: false }, copy: { throughput: 1 GB/s } }',
    ),
  ],
  ['topology', topology('chip: { copy: { throughput: 1 GB/s, duplex: true } }\nstaging: { memory: 16 MiB }')],
  ['topology', topology('staging: { memory: 4096 }')],
  [
    'topology',
    topology(
      'launch: 9.8 us\nchip: { lane: { overhead: 1 us, bandwidth: 19 GB/s, visible: 0.5, slice: 1 MiB, local: { overhead: 0 }, long: { above: 4 KiB, overhead: 2 us, bandwidth: 9 GB/s } } }',
    ),
  ],
  [
    'topology',
    topology(
      'protocols: { LL: { source: a paper, launch: 1 us, inflight: 8, lane: { overhead: 1 us, bandwidth: 3 GB/s }, gap: 4 us, rendezvous: { above: 8 KiB, gap: 1 us } } }\nstatus: { protocols.LL: published, link.lane.gap: not determined }',
    ),
  ],
  [
    'topology',
    topology('').replace(
      'duplex: 0 <-> 1',
      '{ duplex: 0 <-> 1, lane: { buffered: true, gap: 53 us, bandwidth: 13 GB/s, latency: 2 us } }',
    ),
  ],
  [
    'topology',
    `${topologyHead}chips: 2\nlink: { loggp: { L: 1 us, o: 1 us, G: 1 ns }, units: 2 }\nlinks: [ { do: [ { link: 0 -> 1 }, { link: 1 -> 0, latency: 0 us } ], occupancy: pipelined } ]\n`,
  ],
  [
    'topology',
    `${topologyHead}parameters: { s: { shape: true, default: 2 }, n: { default: 1, minimum: 0, maximum: 4, about: x } }\nlet: { m: 2 * n }\nchips: size()\nshape: true\nlinks: [ { for: "i in [0]", duplex: 0 <-> 1, latency: 1 us, bandwidth: 1 GB/s } ]\n`,
  ],
  ['plan', plan('{ "op": "copy", "src": ["input", 0, 1], "dst": ["output", 0, 1], "step": 0, "after": [] }')],
  [
    'plan',
    plan(
      '{ "op": "reduce", "src": ["input", 0, 1], "dst": ["output", 0, 1], "step": 0, "order": "held-first", "mine": 1 }',
    ),
  ],
  ['plan', plan('{ "op": "send", "peer": 1, "src": ["input", 0, 1], "step": 0 }')],
  ['plan', planWith('"size": 0, "dtype": "bf16", "origin": {}, "mine": null')],
  ['plan', planWith('"size": 1152921504606846976, "topology": { "name": "x", "chipMap": [3], "more": 1 }')],
  [
    'plan',
    planWith('"cost": { "seconds": 1e-6, "messages": 3, "bytesMoved": 0.5, "bytesOnLinks": 0, "stretch": 1.5 }'),
  ],
  ['plan', planWith('"bound": { "seconds": 0, "optimality": 1, "certificate": {} }')],
  [
    'plan',
    planWith('"verification": { "inflight": "unbounded", "smallestInflight": 0, "bitwise": true, "proved": [] }'),
  ],
  ['plan', planWith('"verification": { "inflight": 2, "verdict": "correct", "checkedBy": "x" }')],
  ['plan', planFor('"kind": "gather", "counts": [0]')],
  ['plan', planFor(`${condition}, "inputAt": [-1] }`)],
  [
    'plan',
    plan(
      '{ "op": "recvReduce", "peer": 1, "channel": 2, "dst": ["scratch", 0, 1], "step": 3, "order": "received-first" }',
    ),
  ],
];

/** Blocks beside the programs that do not say what stands there. */
const wrongBlocks = [
  ...['-1', '0.5', '"1MiB"', 'null', '[]', '1e19'].map((size) => `"size": ${size}`),
  ...['"__proto__"', '"constructor"', '"float"', '4', 'null'].map((dtype) => `"dtype": ${dtype}`),
  ...['"ring:4"', '[]', '{ "name": 1 }', '{ "name": { "toString": 1 } }', '{ "digest": null }'].map(
    (of) => `"topology": ${of}`,
  ),
  ...['{ "notes": "x" }', '{ "notes": [1] }', '{ "chipMap": [-1] }', '{ "chipMap": 1 }'].map(
    (of) => `"topology": ${of}`,
  ),
  ...['1', '{ "seconds": -1 }', '{ "seconds": "1" }', '{ "messages": 0.5 }', '{ "stretch": [] }'].map(
    (of) => `"cost": ${of}`,
  ),
  ...['null', '{ "seconds": -1 }', '{ "optimality": "all" }'].map((of) => `"bound": ${of}`),
  ...['true', '{ "inflight": -1 }', '{ "inflight": "none" }', '{ "inflight": 0.5 }'].map(
    (of) => `"verification": ${of}`,
  ),
  ...['{ "verdict": "right" }', '{ "bitwise": 1 }', '{ "proved": [0] }'].map((of) => `"verification": ${of}`),
  ...['"me"', '[]'].map((origin) => `"origin": ${origin}`),
];

const wrong: readonly (readonly [Kind, string])[] = [
  ...wrongBlocks.map((block) => ['plan', planWith(block)] as const),
  ['plan', planFor('"kind": "gather", "counts": [-1]')],
  ['plan', planFor('"kind": "gather", "counts": [0.5]')],
  ['plan', planFor('"kind": "gather", "counts": 1')],
  ['plan', planFor(`${condition}, "inputAt": 1 }`)],
  ['schedule', schedule('stp: []')],
  ['schedule', schedule('{ step: [], do: [] }')],
  ['schedule', schedule('{ step: {} }')],
  ['schedule', schedule('for: i in ranks')],
  ['schedule', schedule('{ do: [], rounds: 1 }')],
  ['schedule', schedule('{ step: [], what: all }')],
  ['schedule', schedule('{ step: [ { reduce: 0 -> 1 } ] }')],
  ['schedule', schedule('step: [ { copy: 0 1, what: all } ]')],
  ['schedule', schedule('step: [ { copy: 0 -> 1, what: all, order: held-first } ]')],
  ['schedule', schedule('step: [ { reduce: 0 -> 1, what: all, order: first } ]')],
  ['schedule', schedule('step: [ { copy: 0 -> 1, what: [ { slices: all } ] } ]')],
  ['schedule', schedule('{ for: ranks, step: [] }')],
  ['schedule', `${schedule('step: []')}stpes: []\n`],
  ['schedule', `${schedule('step: []')}compose: [a]\n`],
  ['schedule', `${scheduleHead}collective: reduce\n`],
  ['schedule', `${scheduleHead}collective: reduce\ncompose: []\n`],
  ['schedule', `${scheduleHead}collective: reduce\ncompose: [a]\nscratch: 1\n`],
  ['schedule', `${scheduleHead}collective: custom\nsteps: []\n`],
  ['schedule', `${scheduleHead}collective: { kind: custom, input: 1, output: 1 }\nsteps: []\n`],
  ['schedule', `${scheduleHead}collective: reduces\nsteps: []\n`],
  ['schedule', schedule('step: []').replace('version: 1', 'version: 2')],
  ['schedule', schedule('step: []').replace('name: mine', 'name: My_Schedule')],
  ['schedule', `${schedule('step: []')}ring: 1\n`],
  ['schedule', `${schedule('step: []')}root: all\n`],
  ['schedule', `${schedule('step: []')}parameters: { a: 1 }\n`],
  ['schedule', `${schedule('step: []')}parameters: { a: { about: x } }\n`],
  ['schedule', `${schedule('step: []')}let: [a]\n`],
  ['schedule', `${schedule('step: []')}let: { 2a: 1 }\n`],
  ['topology', topologyHead],
  ['topology', topology('chip: { port: 1 }')],
  ['topology', topology('chip: { copy: { throughput: 1 GB/s, duplex: 2 } }')],
  ['topology', topology('staging: { memory: 16 apples }')],
  ['topology', topology('staging: { memory: 0 }')],
  ['topology', topology('staging: { size: 16 MiB }')],
  ['topology', topology('staging: {}')],
  ['topology', topology('launch: 3')],
  ['topology', topology('chip: { lane: { overhead: 1 us } }')],
  ['topology', topology('chip: { lane: { overhead: 1 us, bandwidth: 1 GB/s, long: { above: 8 } } }')],
  ['topology', topology('chip: { lane: { overhead: 1 us, bandwidth: 1 GB/s, visible: 1.5 } }')],
  ['topology', topology('chip: { lane: { overhead: 1 us, bandwidth: 1 GB/s, slices: 8 } }')],
  ['topology', topology('protocols: { LL: { lanes: 8 } }')],
  ['topology', topology('protocols: { 1L: { lane: { overhead: 1 us, bandwidth: 1 GB/s } } }')],
  ['topology', topology('status: { launch: guessed }')],
  ['topology', topology('status: { lunch: published }')],
  ['topology', topology('').replace('duplex: 0 <-> 1', '{ duplex: 0 <-> 1, lane: { gap: 53 } }')],
  ['topology', topology('chip: { reduce: { throughput: 1 GB/s } }')],
  ['topology', topology('chip: { reduce: { throughput: 1 GB, overlap: true } }')],
  ['topology', topology('shape: 2x2')],
  ['topology', topology('groups: [ { rank: 0 .. 1 } ]')],
  ['topology', topology('').replace('1 us', '1')],
  ['topology', topology('').replace('1 us', '1 GB')],
  ['topology', topology('').replace('duplex: 0 <-> 1', '{ duplex: 0 <-> 1, link: 0 -> 1 }')],
  ['topology', topology('').replace('<->', '->')],
  ['topology', topology('').replace('latency: 1 us', 'latency: 1 us, loggp: { L: 1 us, o: 1 us, G: 1 ns }')],
  ['topology', topology('').replace('latency: 1 us, bandwidth: 1 GB/s', 'loggp: { L: 1 us, o: 1 us }')],
  ['topology', topology('').replace('latency', 'occupancy')],
  ['plan', plan('{ "op": "copy", "src": ["input", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "copy", "src": ["input", 0, 1], "dst": ["output", 0, 1] }')],
  ['plan', plan('{ "op": "copy", "src": ["data", 0, 1], "dst": ["output", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "copy", "src": ["input", 0], "dst": ["output", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "copy", "src": ["input", 0, 1, 1], "dst": ["output", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "copy", "peer": 1, "src": ["input", 0, 1], "dst": ["output", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "send", "peer": 1, "dst": ["output", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "send", "peer": -1, "src": ["input", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "send", "peer": 1.5, "src": ["input", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "send", "peer": 2147483648, "src": ["input", 0, 1], "step": 0 }')],
  ['plan', plan('{ "op": "recv", "peer": 1, "dst": ["input", 0, 1], "step": 0, "order": "held-first" }')],
  ['plan', plan('{ "op": "recv", "peer": 1, "dst": ["input", 0, 1], "step": 0, "after": [[0]] }')],
  ['plan', plan('{ "op": "move", "step": 0 }')],
  ['plan', plan('').replace('"ranks": 1', '"ranks": 0')],
  ['plan', plan('').replace('"scan"', '"custom"')],
  ['plan', plan('').replace('"scratch": 1', '"scratch": null')],
  ['plan', plan('').replace('"id": 0, ', '')],
  ['plan', plan('').replace('"name": "p"', '"name": 1')],
];

describe('reader and schema', () => {
  it.each(right)('accept this %s: %s', (kind, text) => expect(verdicts(kind, text)).toBe('reader true, schema true'));
  it.each(wrong)('refuse this %s: %s', (kind, text) => expect(verdicts(kind, text)).toBe('reader false, schema false'));
});

describe('every property', () => {
  /** Paths of properties without a word of their own; branches that only tell kinds apart need none. */
  const silent = (value: unknown, path: string): readonly string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const own = Object.entries('properties' in value ? (value.properties ?? {}) : {}).flatMap(([name, property]) => {
      const isToldApart = /\/(?:if|operands)(?:\/|$)/.test(path);
      const isTold = typeof property.description === 'string' && property.description.length > 3;
      return isToldApart || isTold ? [] : [`${path}/${name}`];
    });
    return [...own, ...Object.entries(value).flatMap(([key, inner]) => silent(inner, `${path}/${key}`))];
  };

  const folder = new URL('../../schemas/', import.meta.url);
  it.each(readdirSync(folder))('of %s has a description', (file) => {
    expect(silent(JSON.parse(readFileSync(new URL(file, folder), 'utf8')), file)).toEqual([]);
  });
});

describe('the table of bandwidths that dumps lack', () => {
  const validate = schema('hardware');
  const text = readFileSync(new URL('../../hardware/interconnects.yaml', import.meta.url), 'utf8');

  it('is as its schema says', () => {
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    ['sm: 60, bandwidth: 18 GB/s', 'sm: 60'],
    ['bandwidth: 18 GB/s', 'bandwidth: 18'],
    ['nvlinks: 18', 'nvlinks: many'],
    ['  cpu: 0.5 us', '  cpus: 0.5 us'],
    ['format: ccc-hardware', 'format: ccc-topology'],
  ])('is refused by it with %s as %s', (right, wrong) => {
    expect(text).toContain(right);
    expect(validate(parse(text.replace(right, wrong)))).toBe(false);
  });
});
