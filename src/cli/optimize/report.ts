/** Writes the report of `ccc optimize`: the times before and after relative to the bound, and the best plan that the engines find. */
import { optimality } from '../../ir/report.ts';
import { counted, formatBytes, formatSeconds, type Seconds } from '../../ir/units.ts';
import type { OptimizedPlan } from '../../session/optimize.ts';
import { layOutReport, type ReportEntry } from '../compile/report.ts';
import { displayLimits } from '../shown.ts';

export function optimizeText(optimized: OptimizedPlan, width = displayLimits.width): string {
  const { before, time: seconds, bound, improvements, notes, bundle } = optimized;
  const of = (time: Seconds): string => `optimality ${optimality(bound.seconds, time).toFixed(4)}`;
  const { plan, verification } = bundle.proved;
  const shape = `${counted(plan.collective.chunks, 'chunk')} per shard, ${counted(plan.bulks, 'bulk')}`;
  const gain =
    improvements.length === 0
      ? 'unchanged, since no faster plan was found'
      : `${(before.seconds / seconds).toFixed(2)} times as fast`;
  const steps = improvements.map(({ what, seconds: time }) => `${formatSeconds(time)}: ${what}`);
  const entries: ReportEntry[] = [
    [
      'before',
      `${before.name}: ${formatSeconds(before.seconds)} simulated for ${formatBytes(bundle.size ?? 0)}, ${of(before.seconds)}`,
    ],
    ...(steps.length === 0 ? [] : [['improved', ...steps] satisfies ReportEntry]),
    ['after', `${formatSeconds(seconds)} simulated, ${of(seconds)}, ${gain} (${shape})`],
    ['certified bound', formatSeconds(bound.seconds)],
    ['engines', enginesText(optimized)],
    ['proved', ...verification.proved],
    ...notes.map((text): ReportEntry => ['note', text]),
  ];
  return layOutReport(entries, width);
}

function enginesText({ engines, stoppedEarly }: OptimizedPlan): string {
  if (engines !== undefined) return `${formatSeconds(engines.seconds)} with ${engines.name}`;
  return stoppedEarly ? 'were not tried, since the search was ended' : 'have no plan for this collective';
}

export function optimizeDocument(optimized: OptimizedPlan) {
  const { before, time: seconds, bound, improvements, engines, notes, bundle, stoppedEarly } = optimized;
  const { collective, bulks } = bundle.proved.plan;
  return {
    ok: true,
    collective: collective.kind,
    topology: bundle.topology?.name,
    size: bundle.size,
    before: { ...before, optimality: optimality(bound.seconds, before.seconds) },
    after: { seconds, bulks, chunks: collective.chunks, optimality: optimality(bound.seconds, seconds) },
    bound: bound.seconds,
    improvements,
    engines,
    notes,
    stoppedEarly,
  };
}
