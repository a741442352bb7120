/** What `ccc compile` reports about the plan's time on the machine whose chips keep their buffers in slower memory. */
import { counted, formatSeconds } from '../../ir/units.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';

export function stagedEntries(plan: CompiledPlan): readonly (readonly [label: string, ...texts: readonly string[]])[] {
  const time = plan.staged();
  if (time === undefined) return [];
  const { topology, bulks, seconds, oneBulkSeconds, gain } = time;
  const inBulks = bulks === 1 ? 'in one bulk, since more gain nothing' : `in ${counted(bulks, 'bulk')}`;
  const gained = bulks === 1 ? '' : `; one would take ${formatSeconds(oneBulkSeconds)}: gain ${gain.toFixed(3)}`;
  return [['staged', `on ${topology} it takes ${formatSeconds(seconds)} ${inBulks}${gained}`]];
}
