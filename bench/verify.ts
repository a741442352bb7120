/**
 * `npx tsx bench/verify.ts`: how the verifier grows: CPU seconds of verifying alone, and the peak memory of the whole process that made
 * the plan as well. `lanes` is the adversary: every message in lanes of its own.
 */
import { measure } from './measure.ts';

const plans = [
  'ring 50',
  'ring 160',
  'ring 512',
  'ring 512 strict',
  'ring 1600',
  'lanes 64',
  'lanes 128',
  'lanes 256',
  'lanes 512',
];

for (const plan of plans) {
  const { peakMiB, output } = measure(['--import', 'tsx', 'bench/verify-plans.ts', ...plan.split(' ')], 1);
  const { operations, verify, verdict } = JSON.parse(output);
  const each = ((verify / operations) * 1e6).toFixed(2);
  process.stdout.write(
    `${plan.padEnd(16)} ${String(operations).padStart(9)} operations, ${verdict}: ${verify.toFixed(2)} s CPU, ` +
      `${each} µs each, ${peakMiB.toFixed(0)} MiB\n`,
  );
}
