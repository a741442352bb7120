/** Short names for plans. The complete recipe of a plan stands in its origin instead (`PlanOrigin.recipe`). */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { PlanOrigin } from '../../ir/plan.ts';
import { planName } from '../../ir/plan-name.ts';
import { libraryEngine, ncclEngine } from '../../synth/index.ts';

/** The engines whose schedules are published algorithms, which people know by name. */
const publishing: readonly string[] = [libraryEngine.name, ncclEngine.name];

/**
 * The name of a plan: for a published algorithm the algorithm and the machine, for a synthesised schedule the
 * collective, the machine and the engine. Two plans may have the same name; their recipes distinguish them.
 * @example
 * nameOfPlan({ engine: 'library', schedule: 'ring-allgather' }, 'allgather', 'ring:8') // 'ring-allgather-ring-8'
 * nameOfPlan({ engine: 'levels', schedule: 'levels (2x2)' }, 'reduce', 'sg2260x4') // 'reduce-sg2260x4-levels'
 */
export function nameOfPlan(
  { engine, schedule }: Pick<PlanOrigin, 'engine' | 'schedule'>,
  collective: CollectiveKind,
  machine: string,
): string {
  return publishing.includes(engine) ? planName(schedule, machine) : planName(collective, machine, engine);
}
