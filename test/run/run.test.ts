/** Runs plans in this thread and has their results checked, over schedules, sizes, types and depths; and that wrong results are seen. */
import { describe, expect, it } from 'vitest';
import type { ReductionOperator } from '../../src/ir/collective.ts';
import type { Dtype } from '../../src/ir/dtype.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { lower } from '../../src/lower/index.ts';
import { fitness, instantiate, listShipped, loadScheduleFile } from '../../src/read/index.ts';
import { type RunOptions, run, stepTimes, traceJson } from '../../src/run/index.ts';
import { prove } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, schedule } from '../lower/building.ts';

function options(changes: Partial<RunOptions>): RunOptions {
  const how = { repetitions: 2, warmups: 0, threads: 0, inputs: 'exact', seed: 3, check: true, record: false } as const;
  return { size: 0, dtype: 'f32', ...how, ...changes };
}

function planOf(
  name: string,
  ranks: number,
  changes: { readonly inPlace?: boolean; readonly chunks?: number },
): Plan | undefined {
  const file = loadScheduleFile(name);
  const root = ranks - 1;
  const request = {
    ...{ ranks, root, op: 'sum' as const, ordered: false, inPlace: false, parameters: {}, limits: defaultLimits },
    ...changes,
  };
  return fitness(file, request).fits ? lower(instantiate(file, request)) : undefined;
}

async function isRight(plan: Plan, changes: Partial<RunOptions>): Promise<boolean> {
  const { op = plan.collective.op } = changes;
  const written = { ...plan, collective: { ...plan.collective, op } };
  const { proved, verification } = prove(written, { inflight: changes.inflight });
  if (proved === undefined) throw new Error(`${plan.name}: ${verification.findings[0].message}`);
  const { wrong } = await run(proved, options(changes));
  if (wrong?.length !== 0)
    throw new Error(`${plan.name}, ${plan.buffers.length} ranks: ${String(wrong?.[0].element)} is wrong`);
  return true;
}

const schedules = listShipped('schedules');

describe('plans on real buffers', () => {
  it.each(schedules)('%s: few elements, none, many, in place and not', async (name) => {
    const suited = [1, 3, 4, 8].filter((ranks) => planOf(name, ranks, {}) !== undefined).slice(0, 3);
    expect(suited).not.toEqual([]);
    for (const ranks of suited) {
      for (const inPlace of [false, true]) {
        const plan = planOf(name, ranks, { inPlace });
        if (plan === undefined) throw new Error('in place it works for as many ranks');
        for (const elements of [0, ranks - 1, 4099]) await isRight(plan, { size: 4 * elements });
      }
    }
  });

  it.each(['ring-allreduce', 'bruck-alltoall', 'halved-ring-allgather', 'binomial-scatter', 'chain-scan'])(
    '%s in several bulks, of which each is a slice of every chunk',
    async (name) => {
      const plan = planOf(name, 4, { chunks: name === 'ring-allreduce' ? 4 : 2 });
      if (plan === undefined) throw new Error('it works for four ranks');
      let ran = 0;
      for (const bulks of [2, 3, 7]) {
        const deep = { ...plan, bulks, scratchPerBulk: bulks };
        for (const elements of [5, 1000, 12_347]) if (await isRight(deep, { size: 4 * elements })) ran++;
      }
      expect(ran).toBe(9);
    },
  );

  const dtypes: readonly Dtype[] = ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'bf16', 'f32', 'f64'];
  it.each(dtypes)('every operator that %s has, exact and random', async (dtype) => {
    const plan = planOf('ring-allreduce', 3, {});
    if (plan === undefined) throw new Error('it works for three ranks');
    const bitwise: readonly ReductionOperator[] = dtype.includes('f') ? [] : ['and', 'or', 'xor'];
    for (const op of ['sum', 'prod', 'max', 'min', ...bitwise] as const) {
      for (const inputs of ['exact', 'random'] as const) await isRight(plan, { size: 8 * 1001, dtype, op, inputs });
    }
  });

  it('runs shards of sizes of their own, some of them empty', async () => {
    for (const name of ['ring-allgather', 'bruck-allgather', 'ring-reducescatter', 'linear-scatter']) {
      const plan = planOf(name, 4, {});
      if (plan === undefined) throw new Error('it works for four ranks');
      const counts = [40, 0, 4004, 12];
      await isRight({ ...plan, collective: { ...plan.collective, counts } }, { size: 4056 });
    }
  });

  it('runs with channels of any depth that the plan is proved for', async () => {
    const plan = planOf('ring-allreduce', 4, {});
    if (plan === undefined) throw new Error('it works for four ranks');
    for (const inflight of [0, 1, 2, undefined]) await isRight(plan, { size: 4000, inflight });
  });
});

/** Two ranks that swap their shards in one buffer: neither may receive before both have sent. */
const swap = lower(
  schedule(collectiveOf('alltoall', 2, { inPlace: true }), [
    [copy(0, 1, piece('data 1', 'data 0')), copy(1, 0, piece('data 0', 'data 1'))],
  ]),
);

describe('messages that wait in their source', () => {
  it('are copied aside where the source is overwritten before they can be taken', async () => {
    expect(prove(swap).verification.smallestInflight).toBe(1);
    expect(await isRight(swap, { size: 4 * 20_001 })).toBe(true);
    expect(await isRight({ ...swap, bulks: 5 }, { size: 4 * 20_001 })).toBe(true);
  });

  it('block a plan that needs them copied where nothing is buffered, and that is said at once', async () => {
    const blocked = run({ plan: swap, unverified: true }, options({ size: 800, inflight: 0 }));
    await expect(blocked).rejects.toThrow(/the plan blocks: send at rank 0.*waits until its message is taken/);
  });
});

describe('what is refused, and what is seen', () => {
  it('sees a chunk in the wrong place', async () => {
    const plan = planOf('ring-allgather', 3, {});
    if (plan === undefined) throw new Error('it works for three ranks');
    const receive = plan.ops.kind.indexOf(3);
    const dstOffset = plan.ops.dstOffset.slice();
    dstOffset[receive] = (dstOffset[receive] + 1) % 3;
    const broken = { ...plan, ops: { ...plan.ops, dstOffset } };
    const { wrong } = await run({ plan: broken, unverified: true }, options({ size: 1200 }));
    expect(wrong?.map(({ rank }) => rank)).toContain(0);
  });

  it('sees a contribution that is missing, in every kind of input', async () => {
    const plan = planOf('ring-allreduce', 3, {});
    if (plan === undefined) throw new Error('it works for three ranks');
    const kind = plan.ops.kind.slice();
    kind[kind.lastIndexOf(4)] = 3;
    const broken = { ...plan, ops: { ...plan.ops, kind } };
    for (const inputs of ['exact', 'random'] as const) {
      const { wrong } = await run({ plan: broken, unverified: true }, options({ size: 1200, inputs }));
      expect(wrong?.length).toBe(3);
    }
  });

  it('refuses sizes of half an element, operators that the type lacks, and more memory than there is', async () => {
    const plan = planOf('ring-allreduce', 3, {});
    const { proved } = prove(plan ?? swap);
    if (proved === undefined) throw new Error('it is correct');
    await expect(run(proved, options({ size: 6 }))).rejects.toThrow('no whole number of f32 elements');
    await expect(run(proved, options({ size: 8, op: 'xor' }))).rejects.toThrow('xor works on integers only');
    await expect(run(proved, options({ size: 2 ** 40 }))).rejects.toThrow(/take 6 TiB.*holds 4 GiB/);
  });
});

describe('timelines', () => {
  it('say when each operation ran: a receive never ends before its send began, steps are all there', async () => {
    const plan = planOf('ring-allgather', 4, {});
    const { proved } = prove(plan ?? swap);
    if (proved === undefined || plan === undefined) throw new Error('it is correct');
    const { times } = await run(proved, options({ size: 4000, record: true }));
    if (times === undefined) throw new Error('it was recorded');
    expect(times.length).toBe(2 * plan.ops.kind.length);
    expect(stepTimes(plan, times).map(({ step, operations }) => [step, operations])).toEqual([
      [0, 4],
      [1, 8],
      [2, 8],
      [3, 8],
    ]);
    for (let o = 0; o < plan.ops.kind.length; o++) {
      expect(times[2 * o]).toBeGreaterThan(0);
      expect(times[2 * o + 1]).toBeGreaterThanOrEqual(times[2 * o]);
    }
    const { traceEvents } = JSON.parse([...traceJson(plan, times)].join(''));
    expect(traceEvents.filter(({ ph }: { ph: string }) => ph === 'X').length).toBe(plan.ops.kind.length);
  });
});
