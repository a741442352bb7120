/** MSCCL++ plans as they are written: the reader and the judge, which share nothing with the emitter, take them for right. */
import { describe, expect, it } from 'vitest';
import type { PlanBundle } from '../../../src/emit/index.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { checkedTargetText } from '../../../src/jobs/written.ts';
import { judgeExecutionPlan } from '../../../src/mscclpp/check/index.ts';
import { readMscclpp } from '../../../src/mscclpp/read/index.ts';
import { executionFigures, mscclpp, mscclppPackets } from '../../../src/mscclpp/write/index.ts';
import { listShipped, loadScheduleFile, resolveTopology } from '../../../src/read/index.ts';
import { emitters } from '../../../src/targets/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { claims, planOf } from '../../seeds/library.ts';
import type { PlanJson } from '../check/plans.ts';

function bundleOf(plan: Plan, changes: Partial<PlanBundle> = {}): PlanBundle {
  const { proved, verification } = prove(plan);
  if (proved === undefined) throw new Error(verification.findings.map(({ message }) => message).join('; '));
  const unasked = { size: undefined, dtype: undefined, cost: undefined, bound: undefined, origin: undefined };
  return { proved, topology: undefined, ...unasked, ...changes };
}

async function jsonOf(
  plan: Plan,
  emitter: typeof mscclpp | typeof mscclppPackets = mscclpp,
  changes: Partial<PlanBundle> = {},
): Promise<PlanJson> {
  const bundle = bundleOf(plan, changes);
  expect(emitter.check(bundle)).toEqual([]);
  return JSON.parse([...(await checkedTargetText(emitter, bundle))].join(''));
}

const opsOf = (json: PlanJson) => json.gpus.flatMap(({ threadblocks }) => threadblocks.flatMap(({ ops }) => ops));
const longest = (json: PlanJson): number =>
  Math.max(...json.gpus.flatMap(({ threadblocks }) => threadblocks.map(({ ops }) => ops.length)));

const packetKinds = new Set(['allgather', 'allreduce', 'reducescatter', 'alltoall']);
const shipped = listShipped('schedules').filter((name) => loadScheduleFile(name).collective !== 'barrier');

describe('every shipped schedule as an MSCCL++ plan', () => {
  it.each(shipped)('%s is proved as it was written', async (name) => {
    const { collective } = loadScheduleFile(name);
    for (const [ranks, inPlace] of [
      [5, true],
      [8, false],
    ] as const) {
      const root = claims(name, ranks, { inPlace, root: ranks - 1 }) ? ranks - 1 : 0;
      if (!claims(name, ranks, { inPlace, root })) continue;
      const plan = planOf(name, ranks, { inPlace, root });
      if (plan.buffers.some(({ input, output, scratch }) => input + output + scratch === 0)) {
        expect(mscclpp.check(bundleOf(plan))).toEqual(['every gpu needs a buffer']);
        continue;
      }
      const json = await jsonOf(plan);
      expect(json.collective).toBe(packetKinds.has(collective) ? collective : 'custom');
      expect(json.inplace).toBe(inPlace);
      expect(longest(json)).toBeLessThanOrEqual(64);
      if (packetKinds.has(collective)) expect((await jsonOf(plan, mscclppPackets)).protocol).toBe('LL');
    }
  });
});

describe('what is written', () => {
  it('a ring: each connection says once that its receiver has begun', async () => {
    // 8 connections, each of which carries 7 messages.
    const plan = planOf('ring-allgather', 8);
    const json = await jsonOf(plan);
    const signals = opsOf(json).filter(({ name }) => name === 'signal');
    expect(signals).toHaveLength(8 * 7 + 8);
    expect(opsOf(json).filter(({ name }) => name === 'put')).toHaveLength(8 * 7);
    expect(executionFigures(bundleOf(plan))).toMatchObject({ messages: 56, handshakes: 8 });
    expect(mscclpp.remarks(bundleOf(plan))[0]).toContain('48 of 56 handshakes');
  });

  it('packets take no signals', async () => {
    const json = await jsonOf(planOf('full-mesh-allreduce', 4), mscclppPackets);
    const names = opsOf(json).map(({ name }) => name);
    expect(names.filter((name) => name === 'signal' || name === 'wait')).toEqual([]);
    expect(names).toContain('repkt');
    expect(json.use_double_scratch_buffer).toBe(true);
  });

  it('ports between boxes, memory in them', async () => {
    const topology = resolveTopology('h100:2');
    const json = await jsonOf(planOf('ring-allreduce', 16), mscclpp, { topology });
    const kinds = json.gpus[7].channels.map(({ channel_type, connected_to }) => `${channel_type} ${connected_to}`);
    expect(kinds).toEqual(['memory 6', 'port 8']);
    const far = json.gpus[7].threadblocks
      .flatMap(({ ops }) => ops)
      .filter(({ channel_type }) => channel_type === 'port');
    expect(new Set(far.map(({ name }) => name))).toEqual(new Set(['wait', 'pwsf']));
  });

  it('lanes of more than 64 operations go on in other blocks', async () => {
    const json = await jsonOf(planOf('ring-allgather', 24));
    expect(json.gpus[0].threadblocks.length).toBeGreaterThan(3);
    expect(longest(json)).toBeGreaterThan(50);
    expect(longest(json)).toBeLessThanOrEqual(64);
  });

  it('bulks one after the other, each on its part of every shard', async () => {
    const one = planOf('ring-allreduce', 4);
    const json = await jsonOf({ ...one, bulks: 3 });
    expect(json.gpus[0].input_chunks).toBe(12);
    const scattered = await jsonOf({ ...planOf('pairwise-alltoall', 4), bulks: 2 });
    expect(scattered.gpus[0].input_chunks).toBe(8);
  });

  it('messages no larger than 32 bits reach', async () => {
    const json = await jsonOf(planOf('ring-allgather', 8));
    // Output of 8 chunks, multiples of 16 bytes.
    expect(json.max_message_size).toBe(8 * 16 * Math.floor((2 ** 32 - 1) / 8 / 16));
  });

  it('the same text every time', async () => {
    const [a, b] = [await jsonOf(planOf('swing-allreduce', 8)), await jsonOf(planOf('swing-allreduce', 8))];
    expect(JSON.stringify(a)).toBe(JSON.stringify(b));
  });

  it.each([mscclpp, mscclppPackets])(
    '$name: no signal, wait, semaphore, put, copy or reduction is too much',
    async (emitter) => {
      const json = await jsonOf(planOf('recursive-doubling-allreduce', 4), emitter);
      for (const [g, { threadblocks }] of json.gpus.entries()) {
        for (const [b, { ops }] of threadblocks.entries()) {
          for (const [lost, { name }] of ops.entries()) {
            if (name === 'nop') continue;
            const less = structuredClone(json);
            less.gpus[g].threadblocks[b].ops.splice(lost, 1);
            const { verification } = judgeExecutionPlan(readMscclpp({ name: 'less.json', text: JSON.stringify(less) }));
            expect(verification.verdict, `gpu ${g}, block ${b}, op ${lost} (${name})`).not.toBe('correct');
          }
        }
      }
    },
  );
});

describe('refused before anything is written', () => {
  it.each<[string, Plan, typeof mscclpp | typeof mscclppPackets, Partial<PlanBundle>, RegExp]>([
    ['other operators', planOf('ring-allreduce', 4, { op: 'max' }), mscclpp, {}, /no max/],
    ['an order of operands', planOf('in-order-chain-reduce', 4, { ordered: true }), mscclpp, {}, /keeps no order/],
    ['packets for a broadcast', planOf('chain-broadcast', 4), mscclppPackets, {}, /may overtake/],
    [
      'packets between boxes',
      planOf('ring-allgather', 16),
      mscclppPackets,
      { topology: resolveTopology('h100:2') },
      /within a box/,
    ],
    ['messages beyond 32 bits', planOf('ring-allgather', 4), mscclpp, { size: 2 ** 33 }, /not 8589934592/],
    [
      'too many blocks',
      planOf('full-mesh-allgather', 64),
      mscclpp,
      {},
      /127 blocks of a gpu.* a gpu is sure to have room for 108/,
    ],
    [
      'more blocks than the machine says that its gpus have room for',
      planOf('full-mesh-allgather', 72),
      mscclpp,
      { topology: resolveTopology('h100:9') },
      /143 blocks of a gpu.* h100:9 has room for 132/,
    ],
    [
      'more bulks than there is room for, before they are written out',
      { ...planOf('ring-allreduce', 3), bulks: 65_536 },
      mscclpp,
      {},
      /at least \d+ blocks .* for its 65536 bulks/,
    ],
    ['barriers', planOf('dissemination-barrier', 4), mscclpp, {}, /no barrier/],
  ])('are plans with %s', (_, plan, emitter, changes, message) => {
    expect(emitter.check(bundleOf(plan, changes)).join('; ')).toMatch(message);
  });

  it('both are in the list of emitters', () => {
    expect(emitters.map(({ name }) => name)).toEqual(expect.arrayContaining(['mscclpp', 'mscclpp-ll']));
  });
});
