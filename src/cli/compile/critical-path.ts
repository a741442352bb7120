/** What `ccc compile` says about the critical path of a plan. */

import type { PathTime } from '../../ir/report.ts';
import { Routes } from '../../ir/routes.ts';
import { counted, formatSeconds, rounding } from '../../ir/units.ts';
import { timeOfPath } from '../../model/index.ts';
import type { CompileResult } from '../../search/compile.ts';

/** What the time is made of; undefined for runs too long for their path to be remembered, and for plans of no operations. */
export function criticalPathOf({ bundle: { proved, topology, cost } }: CompileResult): PathTime | undefined {
  if (topology === undefined || cost.criticalPath.length === 0) return undefined;
  return timeOfPath(cost.criticalPath, proved.plan, Routes.of(topology));
}

/** The same in words. */
export function criticalPathText(result: CompileResult): string | undefined {
  const path = criticalPathOf(result);
  if (path === undefined) return undefined;
  const { messages, reductions, copies, computations = 0, seconds } = path;
  if (messages + reductions + copies + computations === 0) return undefined;
  const counts = [
    ...(messages > 0 ? [counted(messages, 'message')] : []),
    ...(reductions > 0 ? [counted(reductions, 'reduction')] : []),
    ...(copies > 0 ? [counted(copies, 'copy', 'copies')] : []),
    ...(computations > 0 ? [counted(computations, 'computation')] : []),
  ];
  const terms = Object.entries(seconds)
    .filter(([, time]) => time > rounding * result.bundle.cost.seconds)
    .map(([on, time]) => `${formatSeconds(time)} ${on}`);
  return `${counts.join(', ')} in a row: ${terms.join(', ')}`;
}
