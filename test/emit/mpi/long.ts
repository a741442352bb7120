/**
 * `npx tsx test/emit/mpi/long.ts [ranks …]`: every shipped schedule that MPI has a call for, in place and out of it, with one bulk and three, as C under
 * mpirun. Takes some minutes; prints what is wrong.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driverText } from '../../../src/cli/mpi/driver-text.ts';
import { strictFlags } from '../../../src/cli/mpi/launch.ts';
import { mpiC } from '../../../src/emit/mpi/index.ts';
import { mpiInterfaces } from '../../../src/emit/mpi/interfaces.ts';
import { collectiveFacts } from '../../../src/ir/collective.ts';
import { CccError } from '../../../src/ir/diagnostic.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { provedStrictly } from '../../../src/jobs/owning-strictly.ts';
import { listShipped, loadScheduleFile } from '../../../src/read/index.ts';
import { claims, planOf } from '../../seeds/library.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccc-mpi-long-'));
const elements = [1, 7, 960, 5003];

/** What is wrong with a plan's program; empty if nothing is. */
async function faultOf(plan: Plan): Promise<string> {
  const none = { topology: undefined, size: undefined, dtype: undefined, cost: undefined, bound: undefined };
  const bundle = { ...none, proved: provedStrictly(plan, mpiC.name), origin: undefined };
  const lacking = mpiC.check(bundle);
  if (lacking.length > 0) return `refused: ${lacking.join('; ')}`;
  const [source, main, program] = ['plan.c', 'main.c', 'program'].map((name) => join(folder, name));
  writeFileSync(source, [...(await mpiC.emit(bundle))].join(''));
  writeFileSync(main, driverText(plan.collective, 'i32'));
  execFileSync('mpicc', [...strictFlags, '-O0', '-o', program, source, main], { stdio: 'pipe' });
  const triples = elements.flatMap((count) => [`${count}`, '0', '1']);
  const flags = ['--allow-run-as-root', '--oversubscribe', '-np', `${plan.collective.ranks}`];
  const ran = spawnSync('mpirun', [...flags, program, ...triples], { encoding: 'utf8', timeout: 60_000 });
  return ran.status === 0 ? '' : `status ${ran.status}: ${ran.stderr.slice(0, 300)}`;
}

let [tried, wrong] = [0, 0];
const wanted = process.argv.slice(2).map(Number);
for (const ranks of wanted.length === 0 ? [3, 4] : wanted) {
  for (const name of listShipped('schedules')) {
    const { collective: kind } = loadScheduleFile(name);
    if (mpiInterfaces[kind] === undefined) continue;
    for (const [index, inPlace] of [true, false].entries()) {
      const root = collectiveFacts[kind].rooted ? ranks - 1 : 0;
      if (!claims(name, ranks, { inPlace, root })) continue;
      const bulks = (tried + index) % 2 === 0 ? 1 : 3;
      tried++;
      let fault: string;
      try {
        fault = await faultOf({ ...planOf(name, ranks, { inPlace, root }), bulks });
      } catch (error) {
        if (!(error instanceof CccError)) throw error;
        fault = error.message;
      }
      if (fault === '') continue;
      wrong++;
      console.log(`${name}, ${ranks} ranks${inPlace ? ', in place' : ''}, ${bulks} bulks: ${fault}`);
    }
  }
}
rmSync(folder, { recursive: true, force: true });
console.log(`${tried} plans, ${wrong} of them refused or wrong`);
process.exitCode = wrong > 0 ? 1 : 0;
