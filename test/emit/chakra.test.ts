/** Folders for ASTRA-sim: traces are read by a reader of their own and run, the network by ccc's reader of such files. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chakra } from '../../src/emit/chakra/index.ts';
import type { PlanBundle } from '../../src/emit/index.ts';
import { OperationCode } from '../../src/ir/plan.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { convertDump, resolveTopology } from '../../src/read/index.ts';
import { planOf } from '../seeds/library.ts';
import { bundleOf } from './msccl/plans.ts';

/** A field of a message of Protocol Buffers: its number, and a number or the bytes behind a length. */
type Field = readonly [number: number, value: number | Uint8Array];

function fieldsOf(bytes: Uint8Array): Field[] {
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      expect(at).toBeLessThan(bytes.length);
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  const fields: Field[] = [];
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag & 7;
    expect([0, 2]).toContain(kind);
    const value = varint();
    if (kind === 0) fields.push([tag >>> 3, value]);
    else {
      expect(at + value).toBeLessThanOrEqual(bytes.length);
      fields.push([tag >>> 3, bytes.subarray(at, at + value)]);
      at += value;
    }
  }
  return fields;
}

/** Messages one behind the other, each behind its length. */
function messagesOf(bytes: Uint8Array): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = 0;
    let shift = 0;
    for (let byte = 128; byte >= 128; shift += 7) {
      byte = bytes[at++];
      length += (byte & 127) * 2 ** shift;
    }
    messages.push(bytes.subarray(at, at + length));
    at += length;
  }
  return messages;
}

interface Node {
  readonly id: number;
  readonly type: number;
  readonly needs: readonly number[];
  readonly microseconds: number;
  readonly attributes: Readonly<Record<string, number>>;
}

const text = (value: number | Uint8Array): string => new TextDecoder().decode(value as Uint8Array);

/** The nodes of a trace, by the numbers of et_def.proto. */
function nodesOf(bytes: Uint8Array): Node[] {
  const [metadata, ...nodes] = messagesOf(bytes);
  expect([1, 2]).toContain(fieldsOf(metadata)[0][0]);
  return nodes.map((message): Node => {
    const fields = fieldsOf(message);
    const one = (number: number): number => {
      const value = fields.find(([field]) => field === number)?.[1] ?? 0;
      return typeof value === 'number' ? value : Number.NaN;
    };
    const needs = fields.flatMap(([field, value]) =>
      field === 5 && typeof value !== 'number' ? fieldsOfPacked(value) : [],
    );
    const attributes = fields.flatMap(([field, value]) => {
      if (field !== 10 || typeof value === 'number') return [];
      const [[, name], [, content]] = fieldsOf(value);
      return [[text(name), typeof content === 'number' ? content : Number.NaN] as const];
    });
    return { id: one(1), type: one(3), needs, microseconds: one(7), attributes: Object.fromEntries(attributes) };
  });
}

function fieldsOfPacked(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const byte of bytes) {
    value += (byte & 127) * 2 ** shift;
    shift += 7;
    if (byte >= 128) continue;
    values.push(value);
    value = 0;
    shift = 0;
  }
  return values;
}

function filesOf(bundle: PlanBundle): ReadonlyMap<string, string | Uint8Array> {
  expect(chakra.check(bundle)).toEqual([]);
  return new Map((chakra.files?.(bundle) ?? []).map(({ path, content }) => [path, content]));
}

function bytesIn(files: ReadonlyMap<string, string | Uint8Array>, path: string): Uint8Array {
  const content = files.get(path);
  if (content === undefined || typeof content === 'string') throw new Error(`${path} is no trace`);
  return content;
}

function bundleFor(name: string, topology: Topology, size: number, bulks = 1): PlanBundle {
  const plan = { ...planOf(name, topology.chips.length), bulks };
  return { ...bundleOf(plan), topology, size };
}

/** Runs all ranks: a send is there at once, a receive takes the message of its source, tag and size. Returns nodes done, and messages left. */
function replay(ranks: readonly (readonly Node[])[]): { readonly done: number; readonly left: number } {
  const finished = ranks.map(() => new Set<number>());
  const sent = new Map<string, number>();
  const keyOf = ({ attributes: a }: Node): string => [a.comm_src, a.comm_dst, a.comm_tag, a.comm_size].join(' ');
  for (let moved = true; moved; ) {
    moved = false;
    ranks.forEach((nodes, rank) => {
      for (const node of nodes) {
        if (finished[rank].has(node.id) || !node.needs.every((id) => finished[rank].has(id))) continue;
        const key = keyOf(node);
        if (node.type === 6 && (sent.get(key) ?? 0) === 0) continue;
        if (node.type !== 4) sent.set(key, (sent.get(key) ?? 0) + (node.type === 5 ? 1 : -1));
        // Tags tell all messages between two ranks apart.
        if (node.type === 5) expect(sent.get(key)).toBe(1);
        finished[rank].add(node.id);
        moved = true;
      }
    });
  }
  const left = [...sent.values()].reduce((sum, count) => sum + count, 0);
  return { done: finished.reduce((sum, { size }) => sum + size, 0), left };
}

describe('a folder for ASTRA-sim', () => {
  it.each([
    ['ring-allreduce', 'ring:5', 1],
    ['ring-allreduce', 'ring:4', 3],
    ['bruck-allgather', 'full:6', 1],
    ['pairwise-alltoall', 'switch:5', 1],
    ['pairwise-reducescatter', 'full:4', 2],
  ])('has traces of %s on %s in %i bulks that run to their end', (name, machine, bulks) => {
    const bundle = bundleFor(name, resolveTopology(machine), 1 << 20, bulks);
    const { plan } = bundle.proved;
    const files = filesOf(bundle);
    const ranks = plan.buffers.map((_, rank) => nodesOf(bytesIn(files, `collective.${rank}.et`)));
    const count = (...kinds: readonly number[]) => bulks * plan.ops.kind.filter((kind) => kinds.includes(kind)).length;
    const { recv, recvReduce, reduce, send } = OperationCode;
    const typed = (type: number) => ranks.flat().filter((node) => node.type === type);
    expect(typed(5)).toHaveLength(count(send));
    expect(typed(6)).toHaveLength(count(recv, recvReduce));
    expect(typed(4)).toHaveLength(count(reduce, recvReduce));
    expect(replay(ranks)).toEqual({ done: ranks.flat().length, left: 0 });
    // Everything but copies: a message that is waited for is waited for by the reduction or the next message of its lane.
    const moved = typed(5).reduce((sum, { attributes }) => sum + attributes.comm_size, 0);
    const chunk = (1 << 20) / bulks / plan.collective.chunks / (name.includes('allreduce') ? 1 : plan.buffers.length);
    const chunks = plan.ops.srcCount.filter((_, o) => plan.ops.kind[o] === send).reduce((sum, each) => sum + each, 0);
    expect(Math.abs(moved / (chunks * bulks * chunk) - 1)).toBeLessThan(1e-4);
  });

  it('gives reductions their time in whole microseconds', () => {
    const bundle = bundleFor('ring-allreduce', resolveTopology('ring:4'), 1 << 20);
    const nodes = nodesOf(bytesIn(filesOf(bundle), 'collective.0.et'));
    // 256 KiB at 50 GB/s.
    expect(nodes.filter(({ type }) => type === 4).map(({ microseconds }) => microseconds)).toEqual([5, 5, 5]);
  });

  it('calls the collective once on each rank, as the system file names it', () => {
    const files = filesOf(bundleFor('ring-reducescatter', resolveTopology('ring:3'), 3000));
    for (const rank of [0, 1, 2]) {
      const [node, ...others] = nodesOf(bytesIn(files, `workload.${rank}.et`));
      expect(others).toEqual([]);
      expect(node).toMatchObject({ type: 7, attributes: { is_cpu_op: 0, comm_type: 7, comm_size: 3000 } });
    }
    expect(JSON.parse(String(files.get('system.json')))).toMatchObject({
      'reduce-scatter-implementation-custom': ['collective'],
    });
    expect(files.get('run.sh')).toContain('--network-configuration=network.yml');
  });

  it.each(['ring:5', 'full:4', 'switch:6', 'sg2260x4'])('has the network of %s', async (name) => {
    const topology = resolveTopology(name);
    const network = String(filesOf(bundleFor('ring-allgather', topology, 4096)).get('network.yml'));
    const converted = await convertDump({ name: 'network.yml', text: network }, 'astra', {});
    const back = resolveTopology('network.yaml', { read: () => converted });
    const ways = ({ links, nodes }: Topology) =>
      links.map(({ from, to, bandwidth }) => `${nodes[from].kind} ${from} ${to} ${bandwidth.toPrecision(12)}`).sort();
    expect(ways(back)).toEqual(ways(topology));
    const total = ({ links }: Topology) => links.reduce((sum, { latency }) => sum + latency, 0);
    expect(total(back)).toBeCloseTo(total(topology), 12);
  });

  it('is refused where it cannot be said', () => {
    const refusal = (bundle: PlanBundle) => chakra.check(bundle).join('; ');
    for (const name of ['dgx1', 'h100:2', 'torus:4x4', 'line:4', 'mi250']) {
      expect(refusal(bundleFor('ring-allgather', resolveTopology(name), 4096))).toMatch(/one dimension only.* is none/);
    }
    const ring = resolveTopology('ring:4');
    expect(refusal(bundleFor('binomial-broadcast', ring, 4096))).toBe('ASTRA-sim takes no custom broadcast');
    expect(refusal({ ...bundleFor('ring-allgather', ring, 4096), size: undefined })).toMatch(/needs a size/);
    expect(refusal({ ...bundleFor('ring-allgather', ring, 4096), topology: undefined })).toMatch(/--topo/);
  });
});

const corpus = new URL('../../../shared/corpus/chakra-et/', import.meta.url);
const hasCorpus = existsSync(corpus);
if (!hasCorpus) console.info('skipped: the files of ../shared/corpus/chakra-et are not here');

describe.skipIf(!hasCorpus)('traces that ASTRA-sim ships', () => {
  it('name the same attributes, in the same kinds of fields', () => {
    const read = (file: string) => new Uint8Array(readFileSync(new URL(file, corpus)));
    const [workload] = nodesOf(read('all_reduce.0.et'));
    const files = filesOf(bundleFor('ring-allreduce', resolveTopology('ring:8'), 1 << 20));
    const [own] = nodesOf(bytesIn(files, 'workload.0.et'));
    expect({ type: own.type, attributes: own.attributes }).toEqual({
      type: workload.type,
      attributes: workload.attributes,
    });
    const namesOf = (nodes: readonly Node[], type: number) =>
      new Set(nodes.filter((node) => node.type === type).flatMap(({ attributes }) => Object.keys(attributes)));
    const theirs = nodesOf(read('custom_allreduce.0.et'));
    const ours = nodesOf(bytesIn(files, 'collective.0.et'));
    for (const type of [5, 6])
      for (const name of ['comm_size', 'comm_tag', 'comm_type']) {
        expect(namesOf(theirs, type)).toContain(name);
        expect(namesOf(ours, type)).toContain(name);
      }
  });
});
