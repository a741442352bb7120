/**
 * Every shipped schedule that MPI has a call for, in place and out of it, with one bulk and three, as C under mpirun. It takes some minutes, so that it runs in
 * `npm run test:exhaustive` only.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { driverText } from '../../../src/cli/mpi/driver-text.ts';
import { strictFlags } from '../../../src/cli/mpi/launch.ts';
import { mpiC } from '../../../src/emit/mpi/index.ts';
import { mpiInterfaces } from '../../../src/emit/mpi/interfaces.ts';
import { collectiveFacts } from '../../../src/ir/collective.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { provedStrictly } from '../../../src/jobs/owning-strictly.ts';
import { listShipped, loadScheduleFile } from '../../../src/read/index.ts';
import { claims, planOf } from '../../seeds/library.ts';
import { emptyFolder } from '../../temporary.ts';

const elements = [1, 7, 960, 5003];

/** What is wrong with a plan's program; empty if nothing is. */
async function faultOf(plan: Plan): Promise<string> {
  const none = { topology: undefined, size: undefined, dtype: undefined, cost: undefined, bound: undefined };
  const bundle = { ...none, proved: provedStrictly(plan, mpiC.name), origin: undefined };
  const lacking = mpiC.check(bundle);
  if (lacking.length > 0) return `refused: ${lacking.join('; ')}`;
  const folder = emptyFolder();
  const [source, main, program] = ['plan.c', 'main.c', 'program'].map((name) => join(folder, name));
  writeFileSync(source, [...(await mpiC.emit(bundle))].join(''));
  writeFileSync(main, driverText(plan.collective, 'i32'));
  execFileSync('mpicc', [...strictFlags, '-O0', '-o', program, source, main], { stdio: 'pipe' });
  const triples = elements.flatMap((count) => [`${count}`, '0', '1']);
  const flags = ['--allow-run-as-root', '--oversubscribe', '-np', `${plan.collective.ranks}`];
  const ran = spawnSync('mpirun', [...flags, program, ...triples], { encoding: 'utf8', timeout: 60_000 });
  return ran.status === 0 ? '' : `status ${ran.status}: ${ran.stderr.slice(0, 300)}`;
}

const hasMpi = spawnSync('mpirun', ['--version']).status === 0 && spawnSync('mpicc', ['--version']).status === 0;
const names = listShipped('schedules').filter((name) => mpiInterfaces[loadScheduleFile(name).collective] !== undefined);

it.runIf(hasMpi).each(names.flatMap((name) => [3, 4].map((ranks) => [name, ranks] as const)))(
  '%s on %i ranks gives the right results under MPI',
  async (name, ranks) => {
    const root = collectiveFacts[loadScheduleFile(name).collective].rooted ? ranks - 1 : 0;
    for (const inPlace of [true, false]) {
      if (!claims(name, ranks, { inPlace, root })) continue;
      for (const bulks of [1, 3]) {
        expect(await faultOf({ ...planOf(name, ranks, { inPlace, root }), bulks })).toBe('');
      }
    }
  },
);
