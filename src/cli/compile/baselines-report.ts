/** What NCCL would do on the machine, as `ccc compile --explain` and `ccc bound` print it. */

import { counted, formatSeconds, type Seconds } from '../../ir/units.ts';
import type { Baseline, Baselines } from '../../search/baselines.ts';
import { wrap } from '../show/text.ts';
import { displayLimits } from '../shown.ts';

/** Writes the times of NCCL's rings and trees. @param plan the time of the chosen plan, if there is one */
export function baselinesText(
  { priced, missing }: Baselines,
  plan: Seconds | undefined,
  width = displayLimits.width,
): string {
  const lines = [
    ...priced.flatMap((baseline) => wrap('  ', [...baselineWords(baseline, plan)], width)),
    ...missing.flatMap(({ name, reason }) => wrap('  ', `${name}: ${reason}`.split(' '), width)),
  ];
  return `what NCCL would do:\n${lines.map((line) => `${line}\n`).join('')}`;
}

function baselineWords({ name, seconds, optimality, channels, bulks }: Baseline, plan: Seconds | undefined): string[] {
  const beside = plan === undefined || plan === 0 ? '' : `, ${besidePlan(seconds / plan)}`;
  const shape = `${counted(channels, 'channel')}, ${counted(bulks, 'bulk')}`;
  const text = `${name}: ${formatSeconds(seconds)}${beside}, optimality ${optimality.toFixed(4)} (${shape})`;
  return text.split(' ');
}

/** Compares with the plan. Differences smaller than the printed digits count as none. */
function besidePlan(ratio: number): string {
  const times = `${ratio.toFixed(2)} times as long as the plan`;
  return ratio < 0.995 ? `${times}: NCCL would be faster` : times;
}
