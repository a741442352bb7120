/** Writes the report of `ccc tune`: which plan to use from which size on, and how fast it is at the tuned sizes. */
import { oneLine } from '../../ir/plain-text.ts';
import { counted, formatBytes, formatSeconds } from '../../ir/units.ts';
import type { TunedPlanData, TunedRange, TuningData } from '../../session/tune/tuning-data.ts';
import type { RuleComparison, RuleOutcome } from '../../tune/comparing.ts';
import type { RuleChoice } from '../../tune/fixed-rules/index.ts';
import type { AlgorithmCurve } from '../../tune/tune.ts';
import { formatWideTable } from '../show/table.ts';
import { displayLimits } from '../shown.ts';
import { fitted } from '../terminal.ts';
import { timeChart } from './charts.ts';

/** Writes the tables of ranges and sizes, no wider than `width` columns. */
export function tuneText(tuning: TuningData, width = Number.POSITIVE_INFINITY): string {
  const { ranges, sizes, plans, topology, collective, comparisons, tree } = tuning;
  const [{ size: first }] = sizes;
  const last = sizes[sizes.length - 1].size;
  const heading =
    `${collective} on ${oneLine(topology)}, ${formatBytes(first)} to ${formatBytes(last)}: ` +
    `${counted(plans.length, 'plan')} in ${counted(ranges.length, 'range')}`;
  const table = { header: rangeHeader, rows: ranges.map((range) => rangeRow(range, plans[range.plan])) };
  const atSizes = { header: sizeHeader, rows: sizes.map((row) => sizeRow(row, plans[row.plan])) };
  const parts = [heading, formatWideTable(table, 1, width), formatWideTable(atSizes, 1, width)];
  if (tree !== undefined) parts.push(sameBitsText(tree));
  if (comparisons.length > 0) parts.push(rulesText(comparisons, width));
  return fitted(`${parts.join('\n\n')}\n`, width);
}

/** Says which tree the plans share (`--same-bits`). The table of sizes shows what this costs. */
function sameBitsText(tree: string): string {
  if (tree === '') return 'same bits: this collective never rounds, so all plans give the same bits';
  const trees = tree.split('; ');
  const alike = trees.every((other) => other === trees[0]);
  const first =
    trees[0].length > displayLimits.treeLetters ? `${trees[0].slice(0, displayLimits.treeLetters)} …` : trees[0];
  const whose = alike ? 'on all ranks' : 'on rank 0, and another on others';
  return [
    `same bits: all plans combine every chunk by the tree ${first} ${whose} (numbers are ranks).`,
    'Results have the same bits whatever the sizes of the message and its parts; the column "over the best" shows what that costs.',
  ].join('\n');
}

const rulesHeader = ['other libraries', 'from', 'choice', 'time / tuned plan', 'optimality'] as const;

/**
 * Compares with other libraries: what each chooses from which size on, its time relative to the tuned plan's and to the bound, and where it loses
 * most.
 */
function rulesText(rules: readonly RuleComparison[], width: number): string {
  const rows = rules.flatMap(({ library, outcomes }) =>
    sameChoices(outcomes).map((run, index) => [
      index === 0 ? library : '',
      formatBytes(run[0].size),
      choiceText(run[0].choice),
      rangeText(run, ({ ratio }) => ratio) ?? 'not available here',
      rangeText(run, ({ optimality }) => optimality) ?? '',
    ]),
  );
  return `${formatWideTable({ header: rulesHeader, rows }, 1, width)}\n\n${rules.map(worstText).join('\n')}`;
}

/** Groups consecutive sizes for which a library makes the same choice. */
function sameChoices(outcomes: readonly RuleOutcome[]): readonly (readonly RuleOutcome[])[] {
  const runs: RuleOutcome[][] = [];
  for (const outcome of outcomes) {
    const run = runs.at(-1);
    if (run !== undefined && choiceText(run[0].choice) === choiceText(outcome.choice)) run.push(outcome);
    else runs.push([outcome]);
  }
  return runs;
}

/** Writes minimum and maximum; returns undefined if there are no values. */
function rangeText(
  run: readonly RuleOutcome[],
  shareOf: (outcome: RuleOutcome) => number | undefined,
): string | undefined {
  const values = run.flatMap((outcome) => shareOf(outcome) ?? []);
  if (values.length === 0) return undefined;
  const [least, most] = [Math.min(...values).toFixed(2), Math.max(...values).toFixed(2)];
  return least === most ? least : `${least} … ${most}`;
}

function worstText({ library, outcomes }: RuleComparison): string {
  const timed = outcomes.flatMap(({ ratio, ...rest }) => (ratio === undefined ? [] : { ratio, ...rest }));
  const most = timed.reduce((a, b) => (b.ratio > a.ratio ? b : a));
  const losing = timed.filter(({ ratio }) => ratio > 1.01).length;
  const least = timed.reduce((a, b) => (b.ratio < a.ratio ? b : a));
  const winning = timed.filter(({ ratio }) => ratio < 0.99).length;
  const at = ({ size, choice, ratio }: typeof most): string =>
    `${formatBytes(size)}, where ${choice.schedule} takes ${ratio.toFixed(2)} times as long`;
  const sizes = `of ${counted(outcomes.length, 'size')}`;
  const lost = `is slower than the tuned plan at ${losing} ${sizes}, most at ${at(most)}`;
  const won = `is faster than the tuned plan at ${winning} ${sizes}, most at ${at(least)}`;
  if (winning === 0) return `${library} ${lost}`;
  return losing === 0 ? `${library} ${won}` : `${library} ${lost}, and ${won}`;
}

function choiceText({ schedule, segment }: RuleChoice): string {
  return segment === undefined ? schedule : `${schedule}, segments of ${formatBytes(segment)}`;
}

/** Draws time over size as SVG, for the algorithms in use and for those whose times come closest to them. */
export function picture({ sizes, plans, ranges, curves, topology, collective }: TuningData): string {
  const inUse = new Set(plans.map(({ algorithm }) => algorithm));
  const distance = ({ seconds }: AlgorithmCurve): number =>
    seconds.reduce((sum, value, index) => sum + Math.log(value / Math.max(sizes[index].bestSeconds, 1e-30)), 0);
  const others = curves.filter(({ algorithm }) => !inUse.has(algorithm)).sort((a, b) => distance(a) - distance(b));
  const drawn = [...curves.filter(({ algorithm }) => inUse.has(algorithm)), ...others.slice(0, displayLimits.others)];
  return timeChart({
    title: `${collective} on ${topology}`,
    sizes: sizes.map(({ size }) => size),
    bound: sizes.map(({ bound }) => bound),
    switchPoints: ranges.slice(1).map(({ from }) => from),
    lines: drawn.map(({ algorithm, seconds }) => ({
      label: algorithm,
      seconds,
      emphasised: inUse.has(algorithm),
    })),
  });
}

/** Writes the algorithm of a plan and, if the machine has protocols or lanes, the protocol and the number of lanes. */
function planText({ algorithm, protocol, instances = 1 }: TunedPlanData): string {
  const lanes = instances === 1 ? undefined : `${instances} lanes`;
  return [algorithm, protocol, lanes].filter((word) => word !== undefined).join(', ');
}

const rangeHeader = ['from', 'plan', 'engine', 'chunks', 'bulks', 'steps', 'latency term', 'optimality'] as const;

function rangeRow({ from, optimality }: TunedRange, plan: TunedPlanData): readonly string[] {
  return [
    formatBytes(from),
    planText(plan),
    plan.engine,
    String(plan.chunks),
    String(plan.bulks),
    String(plan.steps),
    formatSeconds(plan.latency),
    optimality === undefined ? '' : optimality.map((share) => share.toFixed(4)).join(' … '),
  ];
}

const sizeHeader = ['size', 'simulated', 'certified bound', 'optimality', 'over the best', 'plan'] as const;

function sizeRow(
  { size, seconds, bestSeconds, bound, optimality }: TuningData['sizes'][number],
  plan: TunedPlanData,
): string[] {
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

/** Returns the algorithm and, if there are several, the number of bulks. */
function shortName(plan: TunedPlanData): string {
  return plan.bulks === 1 ? planText(plan) : `${planText(plan)}, ${plan.bulks} bulks`;
}

/** Makes the document of `--json`. Plans are referred to by their index in `plans`. */
export function tuneDocument({ plans, ranges, sizes, curves, comparisons, tree, ...tuning }: TuningData) {
  return {
    topology: tuning.topology,
    collective: tuning.collective,
    plans: plans.map(({ name, algorithm, engine, chunks, bulks, protocol, instances, steps }) => {
      return { name, algorithm, engine, chunks, bulks, protocol, instances, steps };
    }),
    ranges: ranges.map(({ from, to, plan }) => ({ from, to, plan })),
    sizes,
    algorithms: curves,
    fixedRules: comparisons,
    dismissed: tuning.dismissed,
    stoppedEarly: tuning.stoppedEarly,
    ...(tree === undefined ? {} : { tree }),
  };
}
