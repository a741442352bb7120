/** `ccc run --on mpi`: what is refused and how it is said, and one run. */
import { afterEach, describe, expect, it } from 'vitest';
import { type MpiRunOptions, measureOnMpi } from '../../../src/cli/mpi/index.ts';
import { json } from '../../../src/emit/index.ts';
import { CccError } from '../../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { planOf } from '../../seeds/library.ts';
import { bundleOf, hasMpi } from './support.ts';

const options: MpiRunOptions = { repetitions: 2, limits: defaultLimits };

async function sourceOf(name: string, ranks: number): Promise<{ name: string; text: string }> {
  const text = [...(await json.emit(bundleOf(planOf(name, ranks, { inPlace: true }))))].join('');
  return { name: 'plan.json', text };
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof CccError)) throw new Error(`not refused: ${String(error)}`);
  return `${error.code}: ${error.message}`;
}

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

describe('ccc run --on mpi', () => {
  it('takes as many processes as the plan has ranks', async () => {
    const plan = await sourceOf('ring-allgather', 3);
    expect(await refusal(measureOnMpi(plan, { ...options, processes: 4 }))).toBe(
      'usage: the plan is for 3 ranks, so it takes 3 processes, not 4',
    );
  });

  it('names the element types that MPI has', async () => {
    const plan = await sourceOf('ring-allreduce', 3);
    expect(await refusal(measureOnMpi(plan, { ...options, dtype: 'bf16' }))).toBe(
      'unsupported: MPI has no bf16; it has i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 i16+i32 i32+i32 i64+i32 f32+i32 f64+i32',
    );
    expect(await refusal(measureOnMpi(plan, { ...options, dtype: 'f32', op: 'xor' }))).toBe(
      'unsupported: xor works on integers only; f32 has sum, prod, max and min',
    );
  });

  it('says what to install where there is no MPI', async () => {
    const plan = await sourceOf('ring-allgather', 3);
    process.env.PATH = '/nowhere';
    expect(await refusal(measureOnMpi(plan, options))).toMatch(/^file: there is no mpicc here: install an MPI/);
  });

  it('refuses a plan that is cut in half, and one that does not verify', async () => {
    const plan = await sourceOf('ring-allgather', 3);
    const half = { ...plan, text: plan.text.slice(0, plan.text.length / 2) };
    expect(await refusal(measureOnMpi(half, options))).toMatch(/^(malformed|syntax): /);
    const early = { ...plan, text: plan.text.replace('"peer": 1', '"peer": 2') };
    expect(await refusal(measureOnMpi(early, options))).toMatch(/mismatched|malformed/);
  });

  it.skipIf(!hasMpi)('checks and times a plan beside MPI (needs mpicc and mpirun)', async () => {
    const measured = await measureOnMpi(await sourceOf('ring-allreduce', 2), {
      ...options,
      size: 4098,
      dtype: 'i16',
      op: 'max',
    });
    expect(measured).toMatchObject({ size: 4098, dtype: 'i16', wrong: 0, mpiWrong: 0 });
    expect(measured.seconds).toBeGreaterThan(0);
    expect(measured.mpiSeconds).toBeGreaterThan(0);
  });

  it.skipIf(!hasMpi)('ends a program that takes too long (needs mpicc and mpirun)', async () => {
    const plan = await sourceOf('ring-allreduce', 2);
    const long = { ...options, size: 2 ** 20, repetitions: 10_000_000, limit: 2 };
    expect(await refusal(measureOnMpi(plan, long))).toBe(
      'stopped: the MPI program was not done after 2 s and was ended',
    );
  });
});
