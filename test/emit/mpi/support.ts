/** Emitted C, compiled and run, for tests that need an MPI. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { driverText } from '../../../src/cli/mpi/driver-text.ts';
import { strictFlags } from '../../../src/cli/mpi/launch.ts';
import type { PlanBundle } from '../../../src/emit/index.ts';
import { mpiC } from '../../../src/emit/mpi/index.ts';
import type { Dtype } from '../../../src/ir/dtype.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { provedStrictly } from '../../../src/jobs/owning-strictly.ts';
import { emptyFolder } from '../../temporary.ts';

function answers(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** What tests that need an MPI are skipped without. */
export const hasMpi = answers('mpicc') && answers('mpirun');
export const hasValgrind = hasMpi && answers('valgrind');
if (!hasMpi) console.warn('There is no mpicc or mpirun here: plans are emitted as C, but not compiled and run.');

export function bundleOf(plan: Plan): PlanBundle {
  const none = { topology: undefined, size: undefined, dtype: undefined, cost: undefined, bound: undefined };
  return { ...none, proved: provedStrictly(plan, mpiC.name), origin: undefined };
}

export async function emitted(plan: Plan): Promise<string> {
  return [...(await mpiC.emit(bundleOf(plan)))].join('');
}

export function mpicc(args: readonly string[]): void {
  execFileSync('mpicc', [...strictFlags, ...args], { stdio: 'pipe', encoding: 'utf8' });
}

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function mpirun(
  processes: number,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Outcome {
  const { status, stdout, stderr } = spawnSync(
    'mpirun',
    ['--allow-run-as-root', '--oversubscribe', '-np', `${processes}`, ...args],
    { encoding: 'utf8', timeout: 1_000_000, env: { ...process.env, ...environment } },
  );
  return { status, stdout, stderr };
}

/**
 * Runs a plan with the driver of `ccc run --on mpi` for these numbers of elements in a shard; returns how many output elements were
 * wrong. A call that is handed on to MPI ends the program.
 * @param change what is done to the C text before
 */
export async function wrongElements(
  plan: Plan,
  dtype: Dtype,
  elements: readonly number[],
  change = (text: string): string => text,
): Promise<number> {
  const folder = emptyFolder();
  const files = { plan: join(folder, 'plan.c'), main: join(folder, 'main.c'), program: join(folder, 'program') };
  const text = change(await emitted(plan));
  const handsOn = /return PMPI_(\w+)\((?!comm, keyval)/g;
  const own = [...text.matchAll(handsOn)].at(-1)?.[1] ?? 'nothing';
  writeFileSync(files.plan, text.replace(`return PMPI_${own}(`, `abort(); return PMPI_${own}(`));
  writeFileSync(files.main, driverText(plan.collective, dtype));
  mpicc(['-o', files.program, files.plan, files.main]);
  const triples = elements.flatMap((count) => [`${count}`, '0', '1']);
  const { status, stdout, stderr } = mpirun(plan.collective.ranks, [files.program, ...triples]);
  if (status !== 0 && stdout === '') throw new Error(stderr);
  const results: readonly { readonly wrong: number; readonly mpiWrong: number }[] = JSON.parse(stdout);
  if (results.length !== elements.length || results.some(({ mpiWrong }) => mpiWrong > 0))
    throw new Error(stdout + stderr);
  return results.reduce((sum, { wrong }) => sum + wrong, 0);
}
