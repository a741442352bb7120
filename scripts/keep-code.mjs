// Runs the bundle for a few commands and keeps the code that V8 made of what they needed beside it, where bin/load.js finds it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import load from '../bin/load.js';

const { codeFile, run, scriptOf } = load;
const folder = mkdtempSync(join(tmpdir(), 'ccc-build-'));
const plan = join(folder, 'plan.json');
// Without solvers: loading one sets flags of V8, with which kept code would have to be asked for.
const commands = [
  'compile allgather --topo sg2260x4 --explain -o PLAN',
  'verify PLAN --topo sg2260x4',
  'compile allreduce --topo dgx1 --size 64MiB --solver none -o PLAN',
  'compile allgather --topo dgx1 --engine exact --chunks 6 --set steps=7 --set rounds=7 -o PLAN',
  'compile reduce --topo torus:3x3 --solver none -o PLAN',
  'compile allgather --topo torus:4x4 --link 1us,1GB/s --size 1MiB --chunks 1 --bulks 1 --json -o PLAN',
];

const script = scriptOf(undefined);
const { main } = run(script);
const wordsOf = (command) => command.split(' ').map((word) => (word === 'PLAN' ? plan : word));
for (const command of commands) await main(['node', 'ccc', ...wordsOf(command)]);
rmSync(folder, { recursive: true });
// Searches change this flag (src/cli/jobs/late-optimizing.ts), and V8 takes code only with the flags that there were when it was kept.
const usual = /--interrupt-budget=\d+/.exec(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' }));
if (usual !== null) setFlagsFromString(usual[0]);
if (process.exitCode === 0 || process.exitCode === undefined) {
  writeFileSync(`${codeFile}.new`, script.createCachedData());
  renameSync(`${codeFile}.new`, codeFile);
}
