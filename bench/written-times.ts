/**
 * `npx tsx bench/written-times.ts [--only WORD]`: whether `ccc compile --emit` prints the time of the file that it writes. Sixty
 * combinations of machine, collective, size and format are compiled, and the time in the report is compared with the one that
 * `ccc verify FILE` prints for the same machine and size. Prints each combination, and how many agree within 1 %.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const machines = ['ring:8', 'h100:1', 'dgx1', 'mi300x', 'full:4'];
const collectives = ['allgather', 'allreduce', 'reducescatter'];
const sizes = ['256KiB', '16MiB'];
const formats = ['mscclpp', 'msccl-xml'];

const units: Readonly<Record<string, number>> = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };

/** The time behind a word of a text, in seconds; undefined where there is none. */
function secondsIn(text: string, before: RegExp): number | undefined {
  const found = new RegExp(`${before.source}\\s+takes\\s+([\\d.]+)\\s(ns|µs|ms|s)\\b`).exec(text);
  return found === null ? undefined : Number(found[1]) * (units[found[2]] ?? Number.NaN);
}

function ccc(...options: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['bin/ccc.js', ...options], { encoding: 'utf8' });
  return `${stdout}\n${stderr}`;
}

const only = process.argv.includes('--only') ? (process.argv[process.argv.indexOf('--only') + 1] ?? '') : '';
const folder = mkdtempSync(join(tmpdir(), 'ccc-written-'));
let [agreeing, timed, refused] = [0, 0, 0];
for (const machine of machines) {
  for (const collective of collectives) {
    for (const size of sizes) {
      for (const format of formats) {
        const what = [machine, collective, size, format].join(' ');
        if (!what.includes(only)) continue;
        const file = join(folder, format === 'mscclpp' ? 'plan.json' : 'plan.xml');
        const on = ['--topo', machine, '--size', size];
        const report = ccc('compile', collective, ...on, '--effort', 'quick', '--emit', format, '-o', file);
        const printed = secondsIn(report, /time of the file\s+the file/);
        const found = secondsIn(ccc('verify', file, ...on), /time: the plan/);
        if (printed === undefined && found === undefined) refused++;
        else timed++;
        const agrees = printed !== undefined && found !== undefined && Math.abs(printed / found - 1) <= 0.01;
        if (agrees) agreeing++;
        console.log(`${what}: printed ${printed ?? 'none'}, verify ${found ?? 'none'}${agrees ? '' : ' (differs)'}`);
      }
    }
  }
}
rmSync(folder, { recursive: true });
console.log(`${agreeing} of ${timed} times agree within 1 %; ${refused} combinations have no time`);
