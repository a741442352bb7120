/**
 * The time of the file that a target writes. It may differ from the time of its plan: the format may have no bulks, its runtime has a protocol of its
 * own, and its thread blocks wait for each other at other points. The text is read back and timed as `ccc verify FILE` does for the same machine and
 * size.
 */
import type { Emitter, PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import { defaultLimits } from '../ir/limits.ts';
import { Routes } from '../ir/routes.ts';
import { formatSeconds, type Seconds } from '../ir/units.ts';
import { simulate } from '../model/index.ts';
import { canBeTimed, timingSentence, timingTargetOf } from './timing-target.ts';

export interface WrittenTime {
  readonly seconds: Seconds;
  /** `takes 1.807 ms for 64 MiB on h100:1 --protocol Simple (simulated)`. */
  readonly sentence: string;
}

/**
 * Times the written file. Returns undefined for formats that cannot be read back, without a machine and a size, and for plans that cannot be timed in
 * the format.
 */
export async function writtenTime(
  emitter: Emitter,
  { proved, topology, size }: PlanBundle,
  text: string,
): Promise<WrittenTime | undefined> {
  if (topology === undefined || size === undefined) return undefined;
  const source = { name: proved.plan.name, text };
  const { collective } = proved.plan;
  if (emitter.reread === 'execution-plan') {
    const [{ readMscclpp }, { timedExecutionPlan }] = await Promise.all([
      import('../mscclpp/read/index.ts'),
      import('./verify-mscclpp.ts'),
    ]);
    const timed = withoutTime(() => timedExecutionPlan(readMscclpp(source), collective, { topology, size }));
    return timed && { seconds: timed.seconds, sentence: timingSentence(timed.seconds, timed.pricedFor) };
  }
  if (emitter.inOneBulk === undefined) return undefined;
  const { readMsccl } = await import('../read/msccl/index.ts');
  const { plan, extra } = readMsccl(source, { root: collective.root, op: collective.op });
  const target = timingTargetOf(plan.collective, extra, { topology, size });
  if (target.topology === undefined || !canBeTimed(plan, target.topology, defaultLimits.operations)) return undefined;
  const { seconds } = simulate(plan, Routes.of(target.topology), size);
  return { seconds, sentence: timingSentence(seconds, target) };
}

/** A remark on the time of the file compared with that of the plan. It mentions the plan's bulks if the format has none. */
export function writtenTimeRemark({ name, inOneBulk }: Emitter, bundle: PlanBundle, time: WrittenTime): string {
  const { bulks } = bundle.proved.plan;
  const dropped = inOneBulk !== undefined && bulks > 1 ? `; ${name} has no bulks, and the plan has ${bulks}` : '';
  const planned = bundle.cost?.seconds;
  const ratio =
    planned === undefined
      ? ''
      : `, ${(time.seconds / planned).toPrecision(3)} times the ${formatSeconds(planned)} of the plan`;
  return `the ${name} file ${time.sentence}${ratio}${dropped}`;
}

function withoutTime<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}
