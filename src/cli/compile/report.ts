/** What `ccc compile` says about a plan to people. */

import type { NearestChips, Nearness } from '../../graph/index.ts';
import { optimality } from '../../ir/report.ts';
import { wholeElements } from '../../ir/shards.ts';
import { linkName } from '../../ir/topology.ts';
import { type Bytes, counted, formatBytes, formatSeconds } from '../../ir/units.ts';
import type { WrittenTime } from '../../jobs/written-time.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';
import { ratesText } from '../rates.ts';
import { elide } from '../show/table.ts';
import { wrap } from '../show/text.ts';
import { displayLimits } from '../shown.ts';
import { criticalPathText } from './critical-path.ts';
import { bulksOf, pipelineEntries } from './pipeline-report.ts';
import { stagedEntries } from './staged-report.ts';

/** An entry of the report: a label, and texts, each of which starts on a new line. */
export type ReportEntry = readonly [label: string, ...texts: readonly string[]];

/**
 * The report on a compiled plan: what it is, how fast, how far from the bound, and what is proved, in lines of at most
 * `width` columns where words allow. `anyBulks` is true when the number of bulks was ccc's to choose.
 */
export function compileReport(
  compiled: CompiledPlan,
  anyBulks: boolean,
  width = displayLimits.width,
  written?: WrittenTime,
): string {
  const { proved, topology, cost, bound } = compiled.bundle;
  const { plan, verification } = proved;
  const best = bound.certificates[0];
  const entries: ReportEntry[] = [
    ['plan', plan.name, shapeText(compiled, anyBulks)],
    ...placementEntries(compiled.context.collective.machine.placement),
    ...ringEntries(compiled),
    ...sizesEntries(compiled),
    ...laneEntries(compiled),
    ...(written === undefined ? [] : [['time of the file', `the file ${written.sentence}`] as const]),
    ['simulated time', `${formatSeconds(cost.seconds)} for ${formatBytes(compiled.asked)}${noteText(topology?.notes)}`],
    ...wholeEntries(compiled),
    ...paddedEntries(compiled),
    ...rateEntries(compiled),
    [
      'certified bound',
      `${formatSeconds(bound.seconds)}${best === undefined ? '' : ` (${best.kind}: ${best.reason})`}`,
    ],
    ['optimality', optimality(bound.seconds, cost.seconds).toFixed(4)],
    [
      'moved',
      `${formatBytes(cost.bytesMoved)} in ${counted(cost.messages, 'message')}; ranks that communicate are ${apart(cost.stretch)}`,
    ],
    ...criticalPathEntries(compiled),
    ['busiest link', busiestLink(compiled)],
    ...pipelineEntries(compiled, anyBulks),
    ...(anyBulks ? stagedEntries(compiled) : []),
    ...roundsEntries(compiled),
    ...effortEntries(compiled),
    ['proved', ...verification.proved],
    ...verification.findings.map(({ severity, message }): ReportEntry => [severity, message]),
  ];
  return layOutReport(entries, width);
}

/** Says how many links lie between two communicating ranks, on average. */
function apart(stretch: number): string {
  const links = round(stretch);
  return links === '1' ? '1 link apart' : `${links} links apart on average`;
}

/** Writes the labels in a column of their own. If a text does not fit on its line, its continuation is indented by two more columns. */
export function layOutReport(entries: readonly ReportEntry[], width: number): string {
  const labelWidth = Math.max(...entries.map(([label]) => label.length));
  const textLines = (label: string, text: string): string[] => {
    const [first, ...rest] = wrap(`${label.padEnd(labelWidth)}  `, text.split(' '), width - 2);
    return [first, ...rest.map((line) => `  ${line}`)];
  };
  const lines = entries.flatMap(([label, ...texts]) =>
    texts.flatMap((text, index) => textLines(index === 0 ? label : '', text)),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** Says which size the plan runs for a size that is not a multiple of the element size; models accept any size. */
function wholeEntries({ asked: size, bundle: { dtype, proved, topology } }: CompiledPlan): readonly ReportEntry[] {
  if (dtype === undefined || topology?.messages !== undefined) return [];
  const { counts } = proved.plan.collective;
  const isOdd = (bytes: Bytes): boolean => wholeElements(bytes, dtype) !== bytes;
  if (counts?.some(isOdd) === true)
    return [
      ['note', `these counts are not whole numbers of ${dtype} elements: the plan runs only with another --dtype`],
    ];
  if (counts !== undefined || !isOdd(size)) return [];
  return [
    [
      'note',
      `${size} bytes are not a whole number of ${dtype} elements: a run moves ${wholeElements(size, dtype)} bytes`,
    ],
  ];
}

/** Says what M is rounded up to if messages must be whole units of memory. */
function paddedEntries({ bundle: { size = 0, topology, proved }, asked }: CompiledPlan): readonly ReportEntry[] {
  const { messages, name = '' } = topology ?? {};
  if (messages === undefined || size === asked) return [];
  const { collective, bulks } = proved.plan;
  const parts = counted(collective.chunks * bulks, 'chunk');
  const why = `${name} moves whole units of ${messages.alignment} bytes, and a shard has ${parts}`;
  return [['padded', `from ${asked} to ${size} bytes: ${why}`]];
}

function rateEntries({ bundle: { proved, cost, size = 0 } }: CompiledPlan): readonly ReportEntry[] {
  const text = ratesText(proved.plan.collective, size, cost.seconds);
  return text === undefined ? [] : [['rate', text]];
}

function shapeText(compiled: CompiledPlan, anyBulks: boolean): string {
  const { bundle, schedule, effort, stoppedEarly } = compiled;
  const { plan } = bundle.proved;
  const bulks = bulksOf(compiled);
  const isSized = Array.isArray(bundle.origin?.sizes);
  const oneBulk =
    anyBulks && !stoppedEarly && effort === 'full' && !isSized ? '1 bulk (more are not faster)' : '1 bulk';
  return [
    counted(schedule.steps.stepCount, 'step'),
    `${counted(plan.collective.chunks, 'chunk')} per shard`,
    bulks === 1 ? oneBulk : `${bulks}${bulks > plan.bulks ? ' tapered' : ''} bulks`,
  ].join(', ');
}

/** Says which protocol the plan uses, the times of the others, and over how many lanes messages are sent, if the machine has protocols or lanes. */
function laneEntries({ bundle, protocols = [] }: CompiledPlan): readonly ReportEntry[] {
  const { topology, origin, cost } = bundle;
  const times = (seconds: number): string => `${(seconds / cost.seconds).toFixed(2)} times as long`;
  const others = protocols
    .filter(({ protocol }) => protocol !== topology?.protocol)
    .map(({ protocol, seconds, reason = '' }) => `${protocol}: ${seconds === undefined ? reason : times(seconds)}`);
  const { instances, inOneInstance } = origin ?? { instances: undefined, inOneInstance: undefined };
  const gain =
    typeof inOneInstance === 'number' ? `; with 1 lane the plan would take ${inOneInstance} times as long` : '';
  return [
    ...(topology?.protocol === undefined ? [] : [['protocol', [topology.protocol, ...others].join('; ')] as const]),
    ...(typeof instances === 'number'
      ? [['lanes', `${counted(instances, 'lane')} per connection${gain}`] as const]
      : []),
  ];
}

/** Says into which parts the first shard is cut, if its chunks were given sizes of their own (docs/sizes.md). */
function sizesEntries({ bundle: { origin, proved } }: CompiledPlan): readonly ReportEntry[] {
  if (!Array.isArray(origin?.sizes)) return [];
  const text = `a shard of ${proved.plan.collective.chunks} chunks is sent in pieces of ${origin.sizes.join(', ')} chunks, chosen by linear programming`;
  return [['sizes', text]];
}

/** The chips that the ranks were placed on. */
function placementEntries(placement: NearestChips | undefined): readonly ReportEntry[] {
  if (placement === undefined) return [];
  const { chips, before, after } = placement;
  const nearness = ({ pairs, ring }: Nearness): string =>
    `${round(pairs)} over all pairs of ranks, ${round(ring)} around the ring`;
  const gain = `average stretch ${nearness(after)}; on the first ${counted(chips.length, 'chip')} it would be ${nearness(before)}`;
  return [['chips', elide(chips.map(String), displayLimits.nodes, () => '…').join(' '), gain]];
}

/** The order in which a ring visits the ranks, if it is not the order of their numbers. */
function ringEntries({ bundle: { origin } }: CompiledPlan): readonly ReportEntry[] {
  if (!Array.isArray(origin?.ringOrder)) return [];
  const { ringOrder, ringStretchBefore: before, ringStretchAfter: after } = origin;
  const gain =
    typeof before === 'number' && typeof after === 'number'
      ? `stretch ${round(after)}; in the order of rank numbers it would be ${round(before)}`
      : 'differs from the order of rank numbers';
  const order = elide(ringOrder.map(String), displayLimits.nodes, () => '…');
  return [['ring order', order.join(' '), gain]];
}

/** Says how a linear program improved the best plan, and how good plans of its class can become. */
function roundsEntries({ inRounds }: CompiledPlan): readonly ReportEntry[] {
  if (inRounds === undefined) return [];
  const { before, after, rounds, steps, seconds, solver } = inRounds;
  const made = steps === undefined ? counted(rounds, 'round') : `${counted(steps, 'step')} of whole chunks`;
  const gain =
    after < before
      ? `${formatSeconds(before)} → ${formatSeconds(after)} in ${made} (${solver})`
      : `the linear program found nothing faster than ${formatSeconds(before)} (${solver})`;
  const best = `with arbitrarily small chunks, the best rounds found would take ${formatSeconds(seconds)}. This is not a lower bound: other plans may be faster`;
  return [['ILP', gain, best]];
}

/** Says how a more thorough search could be requested. */
function effortEntries({ effort }: CompiledPlan): readonly ReportEntry[] {
  return effort === 'full'
    ? []
    : [['effort', 'quick: only the most promising candidates were evaluated; --effort full tries all engines']];
}

function noteText(notes: readonly string[] | undefined): string {
  return notes === undefined || notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function busiestLink({ bundle: { cost, topology } }: CompiledPlan): string {
  const busiest = cost.links.reduce((a, b) => (b.busy > a.busy ? b : a), { link: -1, messages: 0, bytes: 0, busy: 0 });
  if (busiest.link < 0 || topology === undefined) return 'the plan uses no link';
  const share = cost.seconds === 0 ? 0 : busiest.busy / cost.seconds;
  const name = linkName(topology, topology.links[busiest.link]);
  const used = cost.links.filter((link) => link.messages > 0).length;
  return `${name} is busy ${(100 * share).toFixed(1)} % of the time; the plan uses ${used} of ${counted(topology.links.length, 'link')}`;
}

function criticalPathEntries(compiled: CompiledPlan): readonly ReportEntry[] {
  const text = criticalPathText(compiled);
  return text === undefined ? [] : [['critical path', text]];
}

function round(value: number): string {
  return Number(value.toFixed(3)).toString();
}
