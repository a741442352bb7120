/** Plans whose shards have sizes of their own as C for MPI: beside MPI's functions with a count for each rank. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepsLengths } from '../../../src/emit/mpi/shards.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import type { ScheduleRequest } from '../../../src/read/index.ts';
import { planOf } from '../../seeds/library.ts';
import { emptyFolder } from '../../temporary.ts';
import { emitted, hasMpi, mpicc, mpirun } from './support.ts';

interface Case {
  readonly what: string;
  /** Schedules of allgather, gather, scatter, alltoall and reducescatter. */
  readonly schedules: readonly string[];
  readonly changes: Partial<ScheduleRequest>;
  readonly bulks: number;
  /** Elements of the shards, and what each rank gives to each. */
  readonly counts: readonly number[];
  readonly pairs: readonly (readonly number[])[];
  /** Whether chunks can be as long as their shards make them. */
  readonly keeps: readonly boolean[];
}

const usual = ['ring-allgather', 'linear-gather', 'linear-scatter', 'full-mesh-alltoall', 'ring-reducescatter'];
const relayed = ['bruck-allgather', 'binomial-gather', 'binomial-scatter', 'bruck-alltoall', 'pairwise-reducescatter'];

const cases: readonly Case[] = [
  {
    what: 'straight from the buffers of the caller',
    schedules: usual,
    changes: { inPlace: true, chunks: 2, root: 1 },
    bulks: 3,
    counts: [5, 1000, 301],
    pairs: [
      [7, 900, 1],
      [900, 20, 33],
      [1, 33, 402],
    ],
    keeps: [true, true, true, true, true],
  },
  {
    what: 'out of place, in one bulk, over scratch',
    schedules: relayed,
    changes: { root: 1 },
    bulks: 1,
    counts: [64, 8, 4096],
    pairs: [
      [2, 4, 6],
      [800, 10, 12],
      [14, 16, 1800],
    ],
    keeps: [false, true, true, false, true],
  },
  {
    what: 'with shards of nothing',
    schedules: usual,
    changes: { root: 1 },
    bulks: 2,
    counts: [0, 77, 0],
    pairs: [
      [0, 0, 3],
      [500, 0, 0],
      [0, 1, 0],
    ],
    keeps: [true, true, true, true, false],
  },
];

const elementBytes = 4;

function plansOf({ schedules, changes, bulks, counts, pairs }: Case): readonly Plan[] {
  return schedules.map((name) => {
    const plan = planOf(name, 3, changes);
    const elements = plan.collective.kind === 'alltoall' ? pairs.flat() : counts;
    return { ...plan, bulks, collective: { ...plan.collective, counts: elements.map((each) => each * elementBytes) } };
  });
}

const initialiser = (values: readonly number[]): string => `{${values.join(',')}}`;

async function program(each: Case): Promise<string> {
  const folder = emptyFolder();
  const files = await Promise.all(
    plansOf(each).map(async (plan) => {
      const file = join(folder, `${plan.collective.kind}.c`);
      writeFileSync(file, await emitted(plan));
      return file;
    }),
  );
  const target = join(folder, 'program');
  const pairs = `-DPAIRS={${each.pairs.map(initialiser).join(',')}}`;
  const source = new URL('sized.c', import.meta.url).pathname;
  mpicc(['-g', `-DCOUNTS=${initialiser(each.counts)}`, pairs, '-DROOT=1', '-o', target, source, ...files]);
  return target;
}

describe('mpi-c for shards of different sizes, as text', () => {
  it('keeps chunks as long as their shards make them where nothing else comes to their place', () => {
    for (const each of cases)
      expect([each.what, ...plansOf(each).map(keepsLengths)]).toEqual([each.what, ...each.keeps]);
  });
});

describe.skipIf(!hasMpi)('mpi-c, shards of different sizes (needs mpicc and mpirun)', { timeout: 200_000 }, () => {
  it.each(cases)('gives what MPI gives, $what', async (each) => {
    const { stdout, stderr } = mpirun(3, ['-x', 'CCC_VERBOSE=1', await program(each)]);
    const lines = stderr.trim().split('\n').sort();
    expect([stdout, ...lines.filter((line) => !line.startsWith('ccc: '))]).toEqual(['0 wrong\n']);
    // All calls were served, but for the last of each, whose counts are others.
    const on = lines.filter((line) => line.includes('goes on to MPI'));
    expect(on.map((line) => line.replace(/ goes on.*/, ''))).toEqual(
      ['Allgatherv', 'Alltoallv', 'Gatherv', 'Reduce_scatter', 'Scatterv'].map((name) => `ccc: MPI_${name}`),
    );
    const bytes = each.counts.reduce((sum, count) => sum + count * elementBytes, 0);
    expect(lines.filter((line) => line.includes(`MPI_Allgatherv of ${bytes} bytes by `))).toHaveLength(8);
  });
});
