/** Runs commands as whole processes and says what they used: medians over several runs, after one that does not count. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Usage {
  /** What somebody waits for it, from start to end. */
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  /** Standard output of the last run. */
  readonly output: string;
}

const hook = new URL('./usage.mjs', import.meta.url).href;

/** Median times and peak memory of `node …args` over `runs` runs; throws if a run fails. */
export function measure(args: readonly string[], runs: number): Usage {
  const folder = mkdtempSync(join(tmpdir(), 'ccc-bench-'));
  const file = join(folder, 'usage.json');
  const samples: Omit<Usage, 'output'>[] = [];
  let output = '';
  for (let run = 0; run <= runs; run++) {
    const start = performance.now();
    const child = spawnSync(process.execPath, ['--import', hook, ...args], {
      encoding: 'utf8',
      env: { ...process.env, CCC_USAGE_FILE: file },
      maxBuffer: 2 ** 30,
    });
    if (child.status !== 0) throw new Error(`node ${args.join(' ')} ended with ${child.status}:\n${child.stderr}`);
    const wallSeconds = (performance.now() - start) / 1000;
    output = child.stdout;
    if (run > 0) samples.push({ wallSeconds, ...JSON.parse(readFileSync(file, 'utf8')) });
  }
  rmSync(folder, { recursive: true });
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
  return {
    wallSeconds: median(samples.map((sample) => sample.wallSeconds)),
    cpuSeconds: median(samples.map((sample) => sample.cpuSeconds)),
    peakMiB: median(samples.map((sample) => sample.peakMiB)),
    output,
  };
}
