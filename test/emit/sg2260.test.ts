/**
 * Command lists, run by an interpreter that knows nothing but their format, on real numbers: every collective of the machines' library and
 * ReduceScatter. What must come out is computed here, from what the collective means.
 */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compile/compile.ts';
import { emitters, type PlanBundle } from '../../src/emit/index.ts';
import { withTimeline } from '../../src/files/timed.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology, withGroup } from '../../src/read/index.ts';
import { CommandError, type CommandRun, fromHalf, runCommandLists, toHalf } from '../../src/run/command-lists.ts';

const schema = JSON.parse(readFileSync(new URL('../../schemas/sg2260.schema.json', import.meta.url), 'utf8'));
const fitsSchema = new Ajv({ strictTypes: false }).compile(schema);

/** Of a document of command lists, what tests change. */
interface WrittenLists {
  format: string;
  readonly limits: { l2: number; readonly operators: Record<string, string[]> };
  readonly chipMap: number[];
  readonly chips: readonly { readonly queues: readonly { engine: string; commands: WrittenCommand[] }[] }[];
}

interface WrittenCommand {
  readonly from: { offset: number; shape: number[] };
  readonly to: { space: string };
  post?: { id: number }[];
  wait?: unknown;
}

interface Wanted {
  readonly bulks?: number | 'auto';
  readonly chunks?: number;
  readonly inPlace?: boolean;
  readonly dtype?: 'f16' | 'f32' | 'i32';
  readonly op?: 'sum' | 'max' | 'prod';
  readonly algorithm?: string;
  readonly root?: number;
}

function bundleOf(kind: CollectiveKind, topology: Topology, size: number, wanted: Wanted = {}): PlanBundle {
  const { bulks = 'auto', chunks, inPlace = false, dtype = 'f16', op = 'sum', algorithm, root = 0 } = wanted;
  const collective = { kind, ranks: topology.chips.length, chunks: 1, root, op, ordered: false, inPlace };
  const { bundle } = compile({
    ...{ collective, topology, size, dtype, bulks, chunks, algorithm, parameters: {}, objective: 'time', seed: 0 },
    ...{ engine: 'library', effort: 'quick', limits: defaultLimits },
  });
  return withTimeline(bundle);
}

function emitterNamed(name: string) {
  const emitter = emitters.find((one) => one.name === name);
  if (emitter === undefined) throw new Error(`no emitter ${name}`);
  return emitter;
}

async function listsOf(bundle: PlanBundle): Promise<string> {
  const emitter = emitterNamed('sg2260');
  expect(emitter.check(bundle)).toEqual([]);
  return [...(await emitter.emit(bundle))].join('');
}

/** Numbers from 0 to 1, the same every time. */
function drawn(seed: number): () => number {
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

/** What element i of the output of a rank must be, of n elements of M; undefined where there is none. */
function expected(kind: CollectiveKind, ranks: number, root: number, n: number, op: keyof typeof combine) {
  const shard = n / ranks;
  const over = (last: number, i: number) =>
    Array.from({ length: last + 1 }, (_, r) => elementOf(r, i)).reduce((a, b) => combine[op](a, b));
  const gathered = (i: number) => elementOf(Math.floor(i / shard), i % shard);
  return (rank: number, i: number): number | undefined => {
    switch (kind) {
      case 'allgather':
        return i < n ? gathered(i) : undefined;
      case 'gather':
        return rank === root && i < n ? gathered(i) : undefined;
      case 'broadcast':
        return i < n ? elementOf(root, i) : undefined;
      case 'allreduce':
        return i < n ? over(ranks - 1, i) : undefined;
      case 'reduce':
        return rank === root && i < n ? over(ranks - 1, i) : undefined;
      case 'reducescatter':
        return i < shard ? over(ranks - 1, rank * shard + i) : undefined;
      case 'scatter':
        return i < shard ? elementOf(root, rank * shard + i) : undefined;
      case 'alltoall':
        return i < n ? elementOf(Math.floor(i / shard), rank * shard + (i % shard)) : undefined;
      case 'scan':
        return i < n ? over(rank, i) : undefined;
      default:
        return undefined;
    }
  };
}

/** Runs lists and looks at every element of every output. */
function runAndCheck(json: string, bundle: PlanBundle, seed: number): CommandRun {
  const { collective } = bundle.proved.plan;
  const { kind, ranks, root, op } = collective;
  if (op !== 'sum' && op !== 'max' && op !== 'prod') throw new Error(`no ${op} here`);
  const view = views[bundle.dtype === 'f32' || bundle.dtype === 'i32' ? bundle.dtype : 'f16'];
  const n = (bundle.size ?? 0) / view.bytes;
  const takes = new Map<number, number>();
  const inputs = kind === 'allgather' || kind === 'gather' ? n / ranks : n;
  const fill = (rank: number, input: Uint8Array): void => {
    const data = new DataView(input.buffer, input.byteOffset);
    const has = (kind === 'broadcast' || kind === 'scatter') && rank !== root ? 0 : inputs;
    takes.set(rank, has);
    for (let i = 0; i < has; i++) view.set(data, i * view.bytes, elementOf(rank, i));
  };
  const run = runCommandLists(json, fill, drawn(seed));
  const wanted = expected(kind, ranks, root, n, op);
  run.chips.forEach(({ output }, rank) => {
    const data = new DataView(output.buffer, output.byteOffset, output.byteLength);
    const wrong: unknown[] = [];
    let i = 0;
    for (let value = wanted(rank, 0); value !== undefined; value = wanted(rank, ++i)) {
      const found = view.get(data, i * view.bytes);
      if (found !== value && wrong.length < 3) wrong.push({ rank, i, found, value });
    }
    expect(wrong).toEqual([]);
  });
  expect(takes.size).toBe(ranks);
  return run;
}

const machines: Readonly<Record<string, Topology>> = Object.fromEntries(
  ['sg2260x4', 'sg2260x4-ddr', 'sg2260x8', 'sg2260-cards'].map((name) => [name, resolveTopology(name)]),
);
const library = [
  ...['allgather', 'broadcast', 'allreduce', 'reduce', 'gather', 'scatter', 'alltoall', 'reducescatter', 'scan'],
] as const satisfies readonly CollectiveKind[];
const cases = Object.keys(machines).flatMap((name) => library.map((kind) => [kind, name] as const));

describe('command lists', () => {
  it.each(cases)('of %s on %s do what it means', async (kind, name) => {
    // No power of two: shards are rounded up, and chunks of a shard differ by a unit.
    const bundle = bundleOf(kind, machines[name], 60_000);
    const json = await listsOf(bundle);
    expect(fitsSchema(JSON.parse(json)), JSON.stringify(fitsSchema.errors)).toBe(true);
    for (const seed of [1, 2, 3]) runAndCheck(json, bundle, seed);
  });

  it.each(library)('of %s in 7 bulks, staged, do what it means', async (kind) => {
    const bundle = bundleOf(kind, machines['sg2260x4-ddr'], 50_000, { bulks: 7, root: 2 });
    const json = await listsOf(bundle);
    for (const seed of [1, 2]) runAndCheck(json, bundle, seed);
  });

  it.each(library)('of %s in place do what it means', async (kind) => {
    const bundle = bundleOf(kind, machines.sg2260x4, 20_000, { inPlace: true, bulks: 3 });
    const json = await listsOf(bundle);
    for (const seed of [1, 2]) runAndCheck(json, bundle, seed);
  });

  it.each([
    ['f32', 'sum'],
    ['i32', 'max'],
    ['f32', 'prod'],
  ] as const)('combine %s by %s', async (dtype, op) => {
    const bundle = bundleOf('allreduce', machines.sg2260x4, 4096, { dtype, op });
    runAndCheck(await listsOf(bundle), bundle, 1);
  });

  it('of a barrier let nobody through before everybody has come', async () => {
    for (const name of ['sg2260x4', 'sg2260x4-ddr']) {
      const json = await listsOf(bundleOf('barrier', machines[name], 2));
      expect(runCommandLists(json, () => {}, drawn(1)).commands).toBeGreaterThan(0);
    }
  });

  it('use numbers again only when they are free, however many bulks there are', async () => {
    const { messages } = machines['sg2260x4-ddr'];
    const few = { ...machines['sg2260x4-ddr'], messages: messages && { ...messages, ids: 48 } };
    const bundle = bundleOf('allreduce', few, 2 ** 17, { bulks: 20 });
    const json = await listsOf(bundle);
    const { chips } = JSON.parse(json);
    const given = chips[0].queues.flatMap(({ commands }: { commands: { post?: { id: number }[] }[] }) =>
      commands.flatMap(({ post = [] }) => post.map(({ id }) => id)),
    );
    // More signals than numbers.
    expect(given.length).toBeGreaterThan(2 * 48);
    expect(Math.max(...given)).toBeLessThan(48);
    for (const seed of [1, 2, 3]) runAndCheck(json, bundle, seed);
  });

  it('name the chips of a group in its order', async () => {
    const ring = withGroup(machines.sg2260x8, [7, 6, 2, 3]);
    const bundle = bundleOf('allgather', ring, 2 ** 14);
    const json = await listsOf(bundle);
    expect(JSON.parse(json).chipMap).toEqual([7, 6, 2, 3]);
    runAndCheck(json, bundle, 1);
  });

  it('can be read', async () => {
    const bundle = bundleOf('allgather', machines.sg2260x4, 1024, { chunks: 1, bulks: 1, algorithm: 'ring-allgather' });
    const text = [...(await emitterNamed('sg2260-listing').emit(bundle))].join('');
    const shown = text.slice(text.indexOf('rank 1 on'), text.indexOf('rank 2 on')).trim();
    expect(shown).toBe(`rank 1 on chip 1: input 256 B in ddr, output 1 KiB in ddr, scratch 0 B in l2
  send to rank 2
    bulk 0 send input+0 [128]
    bulk 0 wait 0, send output+0 [128]
    bulk 0 wait 1, send output+768 [128]
  receive from rank 0
    bulk 0 receive output+0 [128], post 0
    bulk 0 receive output+768 [128], post 1
    bulk 0 receive output+512 [128]
  copy
    bulk 0 copy input+0 [128] to output+256 [128]`);
  });
});

describe('what cannot be written', () => {
  const lacks = (bundle: PlanBundle) => emitterNamed('sg2260').check(bundle).join('; ');

  it('is said', () => {
    const { sg2260x4 } = machines;
    expect(lacks(bundleOf('allgather', resolveTopology('ring:4'), 4096))).toContain('a machine that states limits');
    const full = { ...resolveTopology('full:4'), messages: sg2260x4.messages };
    const far = { ...bundleOf('alltoall', full, 4096), topology: sg2260x4 };
    expect(lacks(far)).toContain('rank 0 has no link to rank 2');
    const bundle = bundleOf('allgather', sg2260x4, 4096);
    expect(lacks({ ...bundle, size: undefined })).toContain('a size');
    expect(lacks({ ...bundle, dtype: undefined })).toContain('an element type');
    const few = { ...sg2260x4, messages: sg2260x4.messages && { ...sg2260x4.messages, ids: 1 } };
    expect(lacks({ ...bundle, topology: few })).toContain('message ids');
  });
});

describe('the interpreter', () => {
  const bundle = bundleOf('allreduce', machines['sg2260x4-ddr'], 4096, { bulks: 2 });

  async function changed(change: (document: WrittenLists) => unknown): Promise<() => CommandRun> {
    const document: WrittenLists = JSON.parse(await listsOf(bundle));
    change(document);
    return () => runCommandLists(JSON.stringify(document), () => {}, drawn(1));
  }

  function first(document: WrittenLists, engine: string): WrittenCommand {
    const queue = document.chips[0].queues.find((one) => one.engine === engine);
    if (queue === undefined) throw new Error(`chip 0 has no queue for ${engine}`);
    return queue.commands[0];
  }

  it.each<readonly [string, (document: WrittenLists) => unknown, string]>([
    ['an address between units', (d) => (first(d, 'send').from.offset += 64), 'not aligned to 128 bytes'],
    ['a length between units', (d) => (first(d, 'send').from.shape[3] -= 1), 'not aligned to 128 bytes'],
    ['an address outside', (d) => (first(d, 'send').from.offset = 2 ** 20), 'in a region of'],
    ['a number of ten bits', (d) => Object.assign(first(d, 'copy in').post?.[0] ?? {}, { id: 512 }), 'is out of range'],
    ['a shape of 17 bits', (d) => (first(d, 'send').from.shape[0] = 65536), 'is out of range'],
    ['a signal that is lost', (d) => delete first(d, 'copy in').post, 'stuck at'],
    ['a signal that nobody takes', (d) => delete first(d, 'send').wait, 'in use|nobody took'],
    ['an operator that the engine lacks', (d) => (d.limits.operators.add = ['f32']), 'no add of f16'],
    ['an L2 that is too small', (d) => (d.limits.l2 = 128), 'in an L2 of 128'],
    ['a chip for two ranks', (d) => (d.chipMap[1] = 0), 'a chip of its own'],
    ['a reduction into DDR', (d) => (first(d, 'copy').to.space = 'l2'), 'no region output in l2'],
    ['a message of another length', (d) => (first(d, 'send').from.shape[3] = 64), 'gets 128 bytes|not aligned|gets'],
    ['another format', (d) => (d.format = 'ccc-plan'), 'is not ccc-sg2260'],
  ])('refuses %s', async (_, change, message) => {
    const run = await changed(change);
    expect(run).toThrow(CommandError);
    expect(run).toThrow(new RegExp(message));
  });
});
