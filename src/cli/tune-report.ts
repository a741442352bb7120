/** What `ccc tune` prints: which plan to use from which size on, and how good it is at the sizes that were tuned. */
import { formatBytes, formatSeconds } from '../ir/units.ts';
import type { TuneResult } from '../tune.ts';
import type { TimedPlan } from '../tune-plans.ts';
import type { SizeRange } from '../tune-ranges.ts';
import { formatWideTable } from './show/table.ts';
import { counted } from './show/text.ts';

/** Tables of ranges and sizes, cut to `width` columns where that is known. */
export function tuneText(result: TuneResult, width = Number.POSITIVE_INFINITY): string {
  const { ranges, sizes, plans, routes } = result;
  const [{ size: first }] = sizes;
  const last = sizes[sizes.length - 1].size;
  const { kind } = plans[0].priced.proved.plan.collective;
  const heading =
    `${kind} on ${routes.topology.name}, ${formatBytes(first)} to ${formatBytes(last)}: ` +
    `${counted(plans.length, 'plan')} in ${counted(ranges.length, 'range')}`;
  const table = { header: rangeHeader, rows: ranges.map((range) => rangeRow(range, result)) };
  const atSizes = { header: sizeHeader, rows: sizes.map((row) => sizeRow(row)) };
  return `${heading}\n\n${formatWideTable(table, 1, width)}\n\n${formatWideTable(atSizes, 1, width)}\n`;
}

const rangeHeader = ['from', 'plan', 'engine', 'chunks', 'bulks', 'steps', 'latency term', 'optimality'] as const;

function rangeRow({ from, to, plan }: SizeRange, { sizes }: TuneResult): readonly string[] {
  const { candidate, proved, schedule } = plan.priced;
  const within = sizes.filter(({ size }) => size >= from && size <= to && plan.secondsAt(size) > 0);
  const shares = within.map(({ size, bound }) => bound / plan.secondsAt(size));
  return [
    formatBytes(from),
    plan.algorithm,
    candidate.origin.engine,
    String(proved.plan.collective.chunks),
    String(plan.bulks),
    String(schedule.steps.stepCount),
    formatSeconds(plan.secondsAt(0)),
    shares.length === 0 ? '' : `${Math.min(...shares).toFixed(4)} … ${Math.max(...shares).toFixed(4)}`,
  ];
}

const sizeHeader = ['size', 'time', 'bound', 'optimality', 'beyond the best', 'plan'] as const;

function sizeRow({ size, seconds, bestSeconds, bound, optimality, plan }: TuneResult['sizes'][number]): string[] {
  const excess = bestSeconds === 0 ? 0 : seconds / bestSeconds - 1;
  return [
    formatBytes(size),
    formatSeconds(seconds),
    formatSeconds(bound),
    optimality.toFixed(4),
    `${(100 * excess).toFixed(2)} %`,
    shortName(plan),
  ];
}

/** The algorithm, and its number of bulks where there are several. */
export function shortName(plan: TimedPlan): string {
  return plan.bulks === 1 ? plan.algorithm : `${plan.algorithm}, ${plan.bulks} bulks`;
}

/** The same as data. Plans are numbered in the order of `plans`. */
export function tuneDocument({ ranges, sizes, plans, curves, dismissed, stoppedEarly, routes }: TuneResult) {
  return {
    topology: routes.topology.name,
    collective: plans[0].priced.proved.plan.collective.kind,
    plans: plans.map((plan) => ({
      name: plan.priced.proved.plan.name,
      algorithm: plan.algorithm,
      engine: plan.priced.candidate.origin.engine,
      chunks: plan.priced.proved.plan.collective.chunks,
      bulks: plan.bulks,
      steps: plan.priced.schedule.steps.stepCount,
    })),
    ranges: ranges.map(({ from, to, plan }) => ({ from, to, plan: plans.indexOf(plan) })),
    sizes: sizes.map(({ plan, ...rest }) => ({ ...rest, plan: plans.indexOf(plan) })),
    algorithms: curves,
    dismissed,
    stoppedEarly,
  };
}
