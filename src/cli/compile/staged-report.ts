/** What `ccc compile` reports about the plan's time on the machine whose chips keep their buffers in slower memory. */
import { formatSeconds } from '../../ir/units.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';

export function stagedEntries(plan: CompiledPlan): readonly (readonly [label: string, ...texts: readonly string[]])[] {
  const time = plan.staged();
  if (time === undefined) return [];
  const { topology, bulks, seconds, oneBulkSeconds, gain } = time;
  const inBulks = bulks === 1 ? 'with 1 bulk (more are not faster)' : `with ${bulks} bulks`;
  const gained = bulks === 1 ? '' : `, and with 1 bulk ${formatSeconds(oneBulkSeconds)}: speedup ${gain.toFixed(3)}`;
  return [['staged', `on ${topology} the plan takes ${formatSeconds(seconds)} ${inBulks}${gained}`]];
}
