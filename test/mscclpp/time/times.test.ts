/**
 * Times of MSCCL++ execution plans by hand (docs/mscclpp.md, docs/time-model.md), and beside the plans that they were written from. A chunk is 8 bytes: a
 * link takes α = 1 s and 8 / β = 1 s for it, a lane o = 1 s and 8 / B = 2 s, and local work of a lane 2 s and 8 / 8 = 1 s.
 */
import { describe, expect, it } from 'vitest';
import { type CollectiveKind, resolveTopology, searchDefaults, searchPlan } from '../../../src/index.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { type Topology, withTiming } from '../../../src/ir/topology.ts';
import { verifyText } from '../../../src/jobs/verify-file.ts';
import { simulate } from '../../../src/model/index.ts';
import { readMscclpp } from '../../../src/mscclpp/read/index.ts';
import { asMessages, machineForMessages } from '../../../src/mscclpp/time/index.ts';
import { mscclpp } from '../../../src/mscclpp/write/index.ts';
import { emitters } from '../../../src/targets/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { line } from '../../model/machines.ts';
import { planOf } from '../../seeds/library.ts';
import {
  acquire,
  barrier,
  exchange,
  gpu,
  move,
  nop,
  type OpJson,
  type PlanJson,
  packetExchange,
  plan,
  portAllgather,
  release,
  share,
  signal,
  sourceOf,
  wait,
} from '../check/plans.ts';

const lane = { overhead: 1, bandwidth: 4, local: { overhead: 2, bandwidth: 8 }, slice: 1 };
const lanes = (chips: number): Topology => withTiming(line(chips, { occupancy: 'pipelined' }), { lane });

function seconds(json: PlanJson, topology: Topology, size = 16): number {
  return simulate(asMessages(readMscclpp(sourceOf(json)), size), new Routes(machineForMessages(topology)), size)
    .seconds;
}

/** Allgather of two gpus, each of which does this. */
function both(...blocks: OpJson[][]): PlanJson {
  const side = (other: number) => gpu({ chunks: [1, 2, 0], memory: [other, other], remote: [[other, 'o']] }, ...blocks);
  return plan('allgather', false, [side(1), side(0)]);
}

/** One gpu that copies and adds. */
const alone = (...blocks: OpJson[][]): PlanJson =>
  plan('allreduce', false, [gpu({ chunks: [2, 2, 0], semaphores: [0] }, ...blocks)]);

const put = move('put', 'i0 > r0.0');
const copy = move('copy', 'i0 > o0');

describe('messages of execution plans', () => {
  it('are what a wait takes in of what its signal tells', () => {
    // The word that both have begun takes 1, the put 2, and the put of the sum 2.
    expect(seconds(exchange(), line(2))).toBe(5);
    expect(seconds(portAllgather(), line(2))).toBe(3);
  });

  it('take lanes: bytes are where they belong when the wait is over, and nobody cuts them into slices', () => {
    // Word: 1, arrival 2, done 3. Put: 3 + 1 + 2 = 6, arrival 7, done 8. Sum: 8 + 2 + 1 = 11. Put: 14, arrival 15, done 16.
    expect(seconds(exchange(), lanes(2))).toBe(16);
  });

  it('are twice as long as packets, which need no word and no signal', () => {
    // 16 bytes of packets for a chunk: 1 + 2, and the sum back: 1 + 2.
    expect(seconds(packetExchange(), line(2))).toBe(6);
  });

  it('go both ways for what is read from another gpu', () => {
    expect(seconds(both([move('get', 'r0.0 > o0')]), line(2))).toBe(1 + 2);
    // Asked twice by a block, memory answers twice, one after the other.
    const twice = both([move('get', 'r0.0 > o0'), move('get', 'r0.0 > o0')]);
    expect(seconds(twice, line(2))).toBe(2 * (1 + 2));
  });

  it('take time even where nobody is told', () => {
    // d = 1 + 2, arrival 4, and 1 for the memory it comes to. Halves by two blocks: d = 1 + 1.
    expect(seconds(both([put]), lanes(2))).toBe(5);
    expect(seconds(both([share(put, 0, 2)], [share(put, 1, 2)]), lanes(2))).toBe(4);
  });

  it('come as often as a pipeline goes round', () => {
    // 48 bytes of a chunk, 16 at a time, one after the other over a link that is held for all of it.
    const pipeline = { name: 'pipeline', iter_context: { unit_size: 16, num_chunks: 1 }, ops: [put] };
    expect(seconds(both([pipeline]), line(2), 96)).toBe(3 * (1 + 2));
    expect(seconds(both([put]), line(2), 96)).toBe(1 + 6);
  });
});

describe('blocks of a gpu', () => {
  it('wait for each other by semaphores and barriers, each of which is local work', () => {
    expect(seconds(alone([copy], [copy]), lanes(1))).toBe(3);
    expect(seconds(alone([copy, nop, release(0)], [acquire(0), nop, copy]), lanes(1))).toBe(3 + 2 + 2 + 3);
    expect(seconds(alone([copy, barrier(0, 2), copy], [barrier(0, 2)]), lanes(1))).toBe(3 + 2 + 2 + 3);
  });

  it('are refused where their threads must run ahead', () => {
    // Thread 0 waits on channel 1, which thread 1 of the other gpu signals without having waited.
    const ahead = both([wait(1), signal(0, 1), wait(0)]);
    expect(() => seconds(ahead, line(2))).toThrow('run ahead');
  });
});

describe('what verify says', () => {
  const request = { op: 'sum', root: 0, ordered: false, inPlace: false, bitwise: false, parameters: {} } as const;
  const verified = async (text: string, topology: Topology, size: number) => {
    const asked = { ...request, topology, size, limits: defaultLimits };
    const { verdicts } = await verifyText({ name: 'plan.json', text }, asked);
    return verdicts[0].verification;
  };
  const timeIn = (proved: readonly string[]): string | undefined => proved.find((text) => text.startsWith('time:'));

  it.each([
    ['allgather', 'ring:8'],
    ['allreduce', 'ring:8'],
    ['reducescatter', 'h100:1'],
    ['alltoall', 'ring:5'],
    ['allgather', 'dgx1'],
  ] as const)('%s on %s takes the plan and the word that everybody has begun', async (kind: CollectiveKind, name) => {
    const topology = resolveTopology(name);
    const collective = { kind, ranks: topology.chips.length, chunks: 1, root: 0, op: 'sum', ordered: false } as const;
    const size = 2 ** 20;
    const asked = { collective: { ...collective, inPlace: false }, topology, size };
    const { bundle } = searchPlan({ ...searchDefaults, ...asked });
    const emitter = emitters.find((each) => each.name === 'mscclpp');
    const text = [...((await emitter?.emit(bundle)) ?? [])].join('');
    const execution = readMscclpp({ name: 'plan.json', text });
    const word = topology.name.startsWith('h100') ? 1e-6 : topology.links[0].latency;
    const messages = asMessages(execution, size);
    const found = simulate(messages, new Routes(machineForMessages(topology)), size).seconds;
    expect(found).toBeCloseTo((bundle.cost?.seconds ?? 0) + word, 12);
    expect(timeIn((await verified(text, topology, size)).proved)).toContain('for 1 MiB');
  });

  it('is that of the plan where long lanes go on in other blocks', () => {
    const topology = resolveTopology('ring:24');
    const { proved } = prove(planOf('ring-allgather', 24));
    if (proved === undefined) throw new Error('the ring allgather is not proved');
    const unknown = { size: undefined, dtype: undefined, cost: undefined, bound: undefined, origin: undefined };
    const text = [...mscclpp.emit({ proved, topology, ...unknown })].join('');
    const execution = readMscclpp({ name: 'plan.json', text });
    expect(execution.gpus[0].blocks.length).toBeGreaterThan(3);
    const { latency, bandwidth } = topology.links[0];
    const machine = new Routes(machineForMessages(topology));
    const found = simulate(asMessages(execution, 24 * 2 ** 20), machine, 24 * 2 ** 20).seconds;
    expect(found).toBeCloseTo(latency + 23 * (latency + 2 ** 20 / bandwidth), 12);
  });

  it('is a warning where there is no time', async () => {
    const json = JSON.stringify({ ...exchange(), max_message_size: 64 });
    const { proved, findings } = await verified(json, line(2), 128);
    expect(timeIn(proved)).toBeUndefined();
    expect(findings.map(({ message }) => message).join()).toContain('for messages of');
  });
});
