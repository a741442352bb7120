/** What `ccc compile` reports about the critical path of a plan. */

import { counted, formatSeconds, rounding } from '../../ir/units.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';

/** Undefined where nothing is known of the path, and for plans without operations. */
export function criticalPathText(compiled: CompiledPlan): string | undefined {
  const found = compiled.criticalPath();
  if (found === undefined) return undefined;
  const { messages, reductions, copies, computations = 0, seconds } = found;
  const total = messages + reductions + copies + computations;
  if (total === 0) return undefined;
  const counts = [
    ...(messages > 0 ? [counted(messages, 'message')] : []),
    ...(reductions > 0 ? [counted(reductions, 'reduction')] : []),
    ...(copies > 0 ? [counted(copies, 'copy', 'copies')] : []),
    ...(computations > 0 ? [counted(computations, 'computation')] : []),
  ];
  const [only = ''] = counts;
  const path = counts.length > 1 ? `${total} consecutive operations (${counts.join(', ')})` : consecutive(only, total);
  const terms = Object.entries(seconds)
    .filter(([, time]) => time > rounding * compiled.time)
    .map(([on, time]) => `${formatSeconds(time)} ${on}`);
  return `${path}: ${terms.join(', ')}`;
}

/** `2 consecutive messages`, or `1 message`, from `2 messages` and `1 message`. */
function consecutive(named: string, count: number): string {
  return count === 1 ? named : named.replace(' ', ' consecutive ');
}
