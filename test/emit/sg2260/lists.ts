/** Command lists of plans, and what must come out of them, computed from what the collective means. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect } from 'vitest';
import type { PlanBundle } from '../../../src/emit/index.ts';
import type { Collective, CollectiveKind } from '../../../src/ir/collective.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { withTimeline } from '../../../src/jobs/timed.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { searchPlan } from '../../../src/search/compile.ts';
import { emitters } from '../../../src/targets/index.ts';
import { type CommandRun, fromHalf, runCommandLists, toHalf } from './command-lists/index.ts';

const schema = JSON.parse(readFileSync(new URL('../../../schemas/sg2260.schema.json', import.meta.url), 'utf8'));
const fitsSchema = new Ajv({ strictTypes: false }).compile(schema);

export interface Wanted {
  readonly bulks?: number | 'auto';
  readonly chunks?: number;
  readonly inPlace?: boolean;
  readonly dtype?: 'f16' | 'f32' | 'i32';
  readonly op?: 'sum' | 'max' | 'prod';
  readonly algorithm?: string;
  readonly root?: number;
  readonly counts?: readonly number[];
  readonly ordered?: boolean;
  readonly parameters?: Readonly<Record<string, number>>;
}

export function bundleOf(kind: CollectiveKind, topology: Topology, size: number, wanted: Wanted = {}): PlanBundle {
  const { bulks = 'auto', chunks, inPlace = false, dtype = 'f16', op = 'sum', algorithm, root = 0 } = wanted;
  const { counts, ordered = false, parameters = {} } = wanted;
  const collective = {
    kind,
    ranks: topology.chips.length,
    chunks: 1,
    root,
    op,
    ordered,
    inPlace,
    ...(counts && { counts }),
  };
  const { bundle } = searchPlan({
    ...{ collective, topology, size, dtype, bulks, chunks, algorithm, parameters, objective: 'time', seed: 0 },
    ...{ engine: 'library', effort: 'quick', limits: defaultLimits },
  });
  return withTimeline(bundle);
}

export function emitterNamed(name: string) {
  const emitter = emitters.find((one) => one.name === name);
  if (emitter === undefined) throw new Error(`no emitter ${name}`);
  return emitter;
}

/** The document, which fits its schema. */
export async function listsOf(bundle: PlanBundle): Promise<string> {
  const emitter = emitterNamed('sg2260');
  expect(emitter.check(bundle)).toEqual([]);
  const json = [...(await emitter.emit(bundle))].join('');
  expect(fitsSchema(JSON.parse(json)), JSON.stringify(fitsSchema.errors)).toBe(true);
  return json;
}

/** Numbers from 0 to 1, the same every time. */
export function drawn(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Element i of the input of a rank: small whole numbers, of which sums over eight ranks are exact in 16 bits too. */
const elementOf = (rank: number, i: number): number => ((7 * rank + 3 * i + (i >> 5)) % 23) + 1;

const views = {
  f16: {
    bytes: 2,
    get: (view: DataView, at: number) => fromHalf(view.getUint16(at, true)),
    set: (view: DataView, at: number, x: number) => view.setUint16(at, toHalf(x), true),
  },
  f32: {
    bytes: 4,
    get: (view: DataView, at: number) => view.getFloat32(at, true),
    set: (view: DataView, at: number, x: number) => view.setFloat32(at, x, true),
  },
  i32: {
    bytes: 4,
    get: (view: DataView, at: number) => view.getInt32(at, true),
    set: (view: DataView, at: number, x: number) => view.setInt32(at, x, true),
  },
};

const combine = { sum: (a: number, b: number) => a + b, max: Math.max, prod: (a: number, b: number) => a * b };

/** What the elements of a rank's output must be, of n elements of M. */
function expected(
  { kind, ranks, root, counts }: Collective,
  n: number,
  bytes: number,
  op: keyof typeof combine,
): (rank: number) => readonly number[] {
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const input = (rank: number, first: number, length: number) =>
    Array.from({ length }, (_, i) => elementOf(rank, first + i));
  const lengths = (from: number): readonly number[] =>
    all.map((to) => {
      const count = kind === 'alltoall' ? counts?.[from * ranks + to] : counts?.[to];
      return count === undefined ? n / ranks : count / bytes;
    });
  const start = (from: number, to: number): number => lengths(from).reduce((sum, x, i) => sum + (i < to ? x : 0), 0);
  const part = (from: number, to: number) => input(from, start(from, to), lengths(from)[to]);
  const over = (ranksIn: readonly number[], first: number, length: number) =>
    Array.from({ length }, (_, i) => ranksIn.map((r) => elementOf(r, first + i)).reduce((x, y) => combine[op](x, y)));
  return (rank) => {
    switch (kind) {
      case 'allgather':
        return all.flatMap((from) => input(from, 0, lengths(0)[from]));
      case 'gather':
        return rank === root ? all.flatMap((from) => input(from, 0, lengths(0)[from])) : [];
      case 'broadcast':
        return input(root, 0, n);
      case 'allreduce':
        return over(all, 0, n);
      case 'reduce':
        return rank === root ? over(all, 0, n) : [];
      case 'reducescatter':
        return over(all, start(0, rank), lengths(0)[rank]);
      case 'scatter':
        return part(root, rank);
      case 'alltoall':
        return all.flatMap((from) => part(from, rank));
      case 'scan':
        return over(all.slice(0, rank + 1), 0, n);
      default:
        return [];
    }
  };
}

/** Runs lists and looks at every element of every output. */
export function runAndCheck(json: string, bundle: PlanBundle, seed: number): CommandRun {
  const { collective } = bundle.proved.plan;
  const { kind, ranks, root, op } = collective;
  if (op !== 'sum' && op !== 'max' && op !== 'prod') throw new Error(`no ${op} here`);
  const view = views[bundle.dtype === 'f32' || bundle.dtype === 'i32' ? bundle.dtype : 'f16'];
  const n = (bundle.size ?? 0) / view.bytes;
  const takes = new Map<number, number>();
  const inputsOf = (rank: number): number => {
    const counts = collective.counts?.map((count) => count / view.bytes);
    if (kind === 'allgather' || kind === 'gather') return counts?.[rank] ?? n / ranks;
    if (kind !== 'alltoall' || counts === undefined) return n;
    return counts.slice(rank * ranks, (rank + 1) * ranks).reduce((a, b) => a + b, 0);
  };
  const fill = (rank: number, input: Uint8Array): void => {
    const data = new DataView(input.buffer, input.byteOffset);
    const has = (kind === 'broadcast' || kind === 'scatter') && rank !== root ? 0 : inputsOf(rank);
    takes.set(rank, has);
    for (let i = 0; i < has; i++) view.set(data, i * view.bytes, elementOf(rank, i));
  };
  const run = runCommandLists(json, fill, drawn(seed));
  const wanted = expected(collective, n, view.bytes, op);
  run.chips.forEach(({ output }, rank) => {
    const data = new DataView(output.buffer, output.byteOffset, output.byteLength);
    const wrong = wanted(rank).findIndex((value, i) => view.get(data, i * view.bytes) !== value);
    expect({ rank, wrong }).toEqual({ rank, wrong: -1 });
  });
  expect(takes.size).toBe(ranks);
  return run;
}

export const machines: Readonly<Record<string, Topology>> = Object.fromEntries(
  ['sg2260x4', 'sg2260x4-ddr', 'sg2260x8', 'sg2260-cards'].map((name) => [name, resolveTopology(name)]),
);
export const library = [
  ...['allgather', 'broadcast', 'allreduce', 'reduce', 'gather', 'scatter', 'alltoall', 'reducescatter', 'scan'],
] as const satisfies readonly CollectiveKind[];
