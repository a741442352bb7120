/** What `ccc compile` reports about the critical path of a plan. */

import { counted, formatSeconds, rounding } from '../../ir/units.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';

/** Undefined where nothing is known of the path, and for plans without operations. */
export function criticalPathText(compiled: CompiledPlan): string | undefined {
  const path = compiled.criticalPath();
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
    .filter(([, time]) => time > rounding * compiled.time)
    .map(([on, time]) => `${formatSeconds(time)} ${on}`);
  return `${counts.join(', ')} in a row: ${terms.join(', ')}`;
}
