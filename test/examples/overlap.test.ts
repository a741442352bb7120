/** Computing in schedules: times by hand, proofs, runs, and what files and pages say. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chakra } from '../../src/emit/chakra/index.ts';
import { goal } from '../../src/emit/goal.ts';
import { json } from '../../src/emit/index.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { Routes } from '../../src/ir/routes.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { optimize } from '../../src/optimize/index.ts';
import { instantiate, parseScheduleFile, readPlan, resolveTopology, withOverlap } from '../../src/read/index.ts';
import { run } from '../../src/run/index.ts';
import { prove } from '../../src/verify/index.ts';
import { bundleOf } from '../emit/mpi/support.ts';

const [alpha, beta, gamma] = [1e-6, 10e9, 50e9];

function planFrom(text: string, ranks: number, parameters: Readonly<Record<string, number>> = {}): Plan {
  const file = parseScheduleFile({ name: 'schedule.yaml', text });
  const request = {
    ranks,
    root: 0,
    op: 'sum',
    ordered: false,
    inPlace: false,
    parameters,
    limits: defaultLimits,
  } as const;
  return lower(instantiate(file, request));
}

function example(name: string): string {
  return readFileSync(new URL(`../../examples/overlap/${name}.yaml`, import.meta.url), 'utf8');
}

const schedule = (collective: string, steps: string): string =>
  `format: ccc-schedule\nversion: 1\nname: computed-${collective}\ncollective: ${collective}\nsteps:\n${steps}`;

function secondsOn(topology: string, plan: Plan, size: number): number {
  return simulate(plan, new Routes(withOverlap(resolveTopology(topology), true)), size).seconds;
}

describe('examples of overlap', () => {
  it('ZeRO-3: gathering takes the time of computing or its own, whichever is longer', () => {
    for (const ranks of [4, 6, 10]) {
      const size = ranks * 2 ** 20;
      const gathering = (ranks / 2) * alpha + ((ranks - 1) * size) / (2 * ranks * beta);
      for (const layer of [0, 100, 1000]) {
        const plan = planFrom(example('zero3-allgather'), ranks, { layer });
        expect(secondsOn(`ring:${ranks}`, plan, size)).toBeCloseTo(Math.max(gathering, layer * 1e-6), 12);
      }
    }
  });

  it('tensor parallel: all but the first or the last piece hides behind the other', () => {
    const [ranks, pieces, size] = [4, 4, 16 * 2 ** 20];
    const part = size / pieces / ranks;
    // 2(N − 1) messages a piece; with reductions beside them the next piece goes on where this one reduces.
    const piece = 2 * (ranks - 1) * (alpha + part / beta) + ((ranks - 1) * part) / gamma;
    const plain = secondsOn(`ring:${ranks}`, planFrom(example('tensor-parallel-allreduce'), ranks, { pieces }), size);
    const long = 4 * Math.ceil((2 * piece) / 1e-6);
    const slow = planFrom(example('tensor-parallel-allreduce'), ranks, { pieces, layer: long });
    expect(secondsOn(`ring:${ranks}`, slow, size)).toBeCloseTo(long * 1e-6 + piece, 12);
    const quick = planFrom(example('tensor-parallel-allreduce'), ranks, { pieces, layer: 400 });
    expect(secondsOn(`ring:${ranks}`, quick, size)).toBeCloseTo(100e-6 + plain, 12);
  });

  it('are proved, keep their times through JSON, and run', async () => {
    for (const [name, ranks] of [
      ['zero3-allgather', 6],
      ['tensor-parallel-allreduce', 3],
    ] as const) {
      const plan = planFrom(example(name), ranks, { layer: 50 });
      const { proved } = prove(plan, {});
      if (proved === undefined) throw new Error(`${name} is not proved`);
      const text = [...(await json.emit(bundleOf(plan)))].join('');
      const again = readPlan({ name: 'plan.json', text }).plan;
      expect(again.ops.nanoseconds).toEqual(plan.ops.nanoseconds);
      expect(secondsOn(`ring:${ranks}`, again, 2 ** 20)).toBe(secondsOn(`ring:${ranks}`, plan, 2 ** 20));
      const options = {
        repetitions: 1,
        warmups: 0,
        threads: 0,
        inputs: 'exact',
        seed: 1,
        check: true,
        record: false,
      } as const;
      expect((await run(proved, { ...options, size: 4 * 4099, dtype: 'f32' })).wrong).toEqual([]);
    }
  });
});

describe('traces for simulators', () => {
  const plan = { ...planFrom(example('zero3-allgather'), 4, { layer: 50 }), bulks: 2 };
  const bundle = { ...bundleOf(plan), topology: resolveTopology('ring:4'), size: 2 ** 20 };

  it('have computing as calculations of that time, a part of it in each bulk', async () => {
    const lines = [...(await goal.emit(bundle))].join('').split('\n');
    expect(lines.filter((line) => line.endsWith(': calc 25000'))).toHaveLength(4 * 2);
  });

  it('have it as nodes of Chakra', () => {
    const texts = (chakra.files?.(bundle) ?? []).map(({ content }) => Buffer.from(content).toString('latin1'));
    // A node has its name, its type and its microseconds (et_def.proto).
    const node = `compute\x18\x04`;
    expect(texts.map((text) => text.split(node).length - 1).filter((count) => count > 0)).toEqual([2, 2, 2, 2]);
    expect(texts.filter((text) => text.includes('\x38\x19'))).toHaveLength(4);
  });
});

describe('optimize', () => {
  it('refuses schedules that compute: what it finds does not', async () => {
    const source = { name: 'schedule.yaml', text: example('zero3-allgather') };
    const asked = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, dtype: 'f32' } as const;
    const request = { ...asked, topology: resolveTopology('ring:4'), limits: defaultLimits, size: 4096 };
    await expect(optimize(source, request)).rejects.toThrow('computes between its messages');
  });
});

describe('compute', () => {
  const broadcast = (more: string, time = '20 us'): string =>
    schedule(
      'broadcast',
      `  - step:\n      - { compute: root, time: ${time}, ${more} }\n  - step:\n      - { copy: root -> 1 - root, what: all }\n`,
    );
  const message = alpha + 2 ** 20 / beta;

  it('holds up what it writes, and not what it reads', () => {
    expect(secondsOn('switch:2', planFrom(broadcast('writes: all'), 2), 2 ** 20)).toBeCloseTo(20e-6 + message, 12);
    expect(secondsOn('switch:2', planFrom(broadcast('reads: all'), 2), 2 ** 20)).toBeCloseTo(message, 12);
  });

  it('waits for what it reads, and a chip computes one thing after the other', () => {
    const following = (steps: string): string =>
      schedule('broadcast', `  - step:\n      - { copy: root -> 1 - root, what: all }\n${steps}`);
    const one = '  - step:\n      - { compute: 1 - root, time: 30 us, reads: all }\n';
    expect(secondsOn('switch:2', planFrom(following(one), 2), 2 ** 20)).toBeCloseTo(message + 30e-6, 12);
    expect(secondsOn('switch:2', planFrom(following(one + one), 2), 2 ** 20)).toBeCloseTo(message + 60e-6, 12);
  });

  it('takes times that depend on loops, in any unit, and is shared out among bulks', () => {
    const steps =
      '  - for: i in 1 .. 3\n    step:\n      - { compute: root, time: (i * i) ms, writes: all }\n  - step:\n      - { copy: root -> 1 - root, what: all }\n';
    const plan = planFrom(schedule('broadcast', steps), 2);
    expect(secondsOn('switch:2', plan, 2 ** 20)).toBeCloseTo(14e-3 + message, 12);
    const deep = { ...plan, bulks: 2, scratchPerBulk: 2 };
    const half = alpha + 2 ** 19 / beta;
    expect(secondsOn('switch:2', deep, 2 ** 20)).toBeCloseTo(14e-3 + half, 12);
    expect(prove(deep, {}).proved).toBeDefined();
  });

  it.each([
    ['reads: all', '20', "a time such as 20 us or (2 * i + 1) us, found '20'"],
    ['reads: all', '3 s', 'a time is between 0 and 2147483647 ns'],
    ['channel: 2', '20 us', "what it needs before ('reads')"],
    ['into: all', '20 us', "'into' cannot stand beside compute"],
  ])('with %s and a time of %s is refused: %s', (more, time, said) => {
    expect(() => planFrom(broadcast(more, time), 2)).toThrow(CccError);
    expect(() => planFrom(broadcast(more, time), 2)).toThrow(said);
  });
});
