/**
 * `npx tsx test/read/fuzz-long.ts 100000 [seed]`: damages shipped schedules, topologies, a plan, an MSCCL algorithm and dumps of machines, byte by
 * byte and piece by piece, and reads them. Each must give a value or a CccError; anything else ends the run with the text.
 * A fixed-seed part of the same kind is in the tests of each reader.
 */
import { readFileSync } from 'node:fs';
import { verifyMsccl } from '../../src/files/verify-msccl.ts';
import { compile, compileDefaults, planJson, verify } from '../../src/index.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import {
  convertDump,
  dumpKindOf,
  elaborate,
  listShipped,
  parseScheduleFile,
  readPlan,
  resolveTopology,
} from '../../src/read/index.ts';
import { readMscclpp } from '../../src/read/mscclpp/index.ts';
import { judgeExecutionPlan } from '../../src/verify-mscclpp/index.ts';
import { collectiveOf } from '../collectives.ts';
import { packetExchange, portAllgather, exchange as putExchange, sourceOf } from '../verify-mscclpp/plans.ts';
import { samples } from './machines/samples.ts';
import { algo, gpu, step, tb } from './msccl-text.ts';

const limits = { ...defaultLimits, operations: 5_000, chunks: 1_000, ranks: 64, evaluations: 100_000, slots: 100_000 };

/** mulberry32: small, seeded, good enough to choose edits. */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

interface Subject {
  readonly name: string;
  readonly texts: readonly string[];
  read(text: string, choose: (below: number) => number): void | Promise<void>;
}

function shippedTexts(kind: 'schedules' | 'topologies'): string[] {
  const folder = new URL(`../../${kind}/`, import.meta.url);
  return listShipped(kind).map((name) => readFileSync(new URL(`${name}.yaml`, folder), 'utf8'));
}

const topology = resolveTopology('ring:3');
const collective = collectiveOf('allreduce', 3);
const plan = planJson(compile({ ...compileDefaults, collective, topology, size: 1024 }).bundle);
const exchange = algo(
  'allreduce',
  { chunks: 1, inPlace: true },
  ...[0, 1].map((rank) =>
    gpu(rank, [1, 0, 1], tb(0, 1 - rank, -1, 0, step('s')), tb(1, -1, 1 - rank, 0, step('rrc', { dst: 'i0' }))),
  ),
);

const subjects: readonly Subject[] = [
  {
    name: 'schedules',
    texts: shippedTexts('schedules'),
    read(text, choose) {
      const file = parseScheduleFile({ name: 'fuzz.yaml', text }, { limits });
      if (file.body.kind !== 'steps') return;
      const ranks = 1 + choose(6);
      const common = { op: 'sum', ordered: false, inPlace: choose(2) === 1, parameters: {}, limits } as const;
      elaborate(file, { ranks, root: choose(ranks), ...common });
    },
  },
  {
    name: 'topologies',
    texts: shippedTexts('topologies'),
    read(text) {
      resolveTopology('./fuzz.yaml', { limits, read: (path: string) => ({ name: path, text }) });
    },
  },
  {
    name: 'plans',
    texts: [plan],
    read(text) {
      verify(readPlan({ name: 'fuzz.json', text }, { limits }).plan, { slots: limits.slots });
    },
  },
  {
    name: 'MSCCL XML',
    texts: [exchange],
    read(text) {
      verifyMsccl({ name: 'fuzz.xml', text }, { limits });
    },
  },
  {
    name: 'MSCCL++ plans',
    texts: [putExchange, packetExchange, portAllgather].map((plan) => sourceOf(plan()).text),
    read(text) {
      judgeExecutionPlan(readMscclpp({ name: 'fuzz.json', text }, { limits }));
    },
  },
  {
    name: 'dumps of machines',
    texts: Object.values(samples),
    async read(text) {
      const source = { name: 'fuzz', text };
      const kind = dumpKindOf(source, true);
      if (kind === undefined) return;
      const written = await convertDump(source, kind, kind === 'smi' ? { gpu: 'h100', limits } : { limits });
      resolveTopology('./fuzz.yaml', { limits, read: () => written });
    },
  },
];

const tokens = [
  '[',
  ']',
  '{',
  '}',
  ':',
  ',',
  '-',
  '"',
  "'",
  '<',
  '>',
  '0',
  '-1',
  '99999999999',
  '1e999',
  'N',
  'null',
  '\n',
  '\t',
  '&a',
  '*a',
];

function damage(text: string, choose: (below: number) => number): string {
  let result = text;
  for (let edits = 1 + choose(4); edits > 0; edits--) {
    const at = choose(result.length + 1);
    const length = choose(12);
    switch (choose(6)) {
      case 0:
        result = result.slice(0, at) + result.slice(at + length);
        break;
      case 1:
        result = result.slice(0, at) + tokens[choose(tokens.length)] + result.slice(at);
        break;
      case 2:
        result = result.slice(0, at) + String.fromCharCode(choose(0x10000)) + result.slice(at + 1);
        break;
      case 3:
        result = result.slice(0, at) + result.slice(choose(result.length + 1), at + length) + result.slice(at);
        break;
      case 4:
        result = result.replace(/\d+/g, (digits) =>
          choose(8) === 0 ? String(choose(3) * Number(digits) - 1) : digits,
        );
        break;
      default:
        result = result.slice(0, at) + tokens[choose(tokens.length)].repeat(1 + choose(2000)) + result.slice(at);
    }
  }
  return result;
}

const count = Number(process.argv[2] ?? 100_000);
const choose = generator(Number(process.argv[3] ?? 1));
const tally = new Map<string, number>();
let slowest = 0;
for (let run = 0; run < count; run++) {
  const subject = subjects[run % subjects.length];
  const text = damage(subject.texts[choose(subject.texts.length)], choose);
  const before = performance.now();
  let outcome = 'read';
  try {
    await subject.read(text, choose);
  } catch (error) {
    if (!(error instanceof CccError)) {
      process.stdout.write(`${subject.name}, run ${run}: ${String(error)}\n${JSON.stringify(text)}\n`);
      throw error;
    }
    outcome = error.range === undefined ? `error ${error.code} without a place` : 'error with its place';
  }
  slowest = Math.max(slowest, performance.now() - before);
  const key = `${subject.name}: ${outcome}`;
  tally.set(key, (tally.get(key) ?? 0) + 1);
}
for (const [key, times] of [...tally].sort()) process.stdout.write(`${String(times).padStart(7)}  ${key}\n`);
process.stdout.write(`${count} inputs; the slowest took ${slowest.toFixed(0)} ms\n`);
