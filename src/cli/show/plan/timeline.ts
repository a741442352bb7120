/** Draws a simulated run over time: one row of cells for each rank or link, with the critical path marked. */
import { oneLine } from '../../../ir/plain-text.ts';
import { laneOf, type Plan, rankOfLane } from '../../../ir/plan.ts';
import type { CostReport, Timeline } from '../../../ir/report.ts';
import { linkName, type Topology } from '../../../ir/topology.ts';
import { counted, formatSeconds, type Seconds } from '../../../ir/units.ts';
import { displayLimits } from '../../shown.ts';
import { elide } from '../table.ts';
import { textWidth } from '../text.ts';

/** What has a row of its own. */
export type TimelineRowKind = 'links' | 'ranks';

const marks = { critical: '█', busy: '▒', partly: '░', idle: '·' } as const;

/** A busy period from `start` to `end`, in seconds. */
interface Span {
  readonly start: Seconds;
  readonly end: Seconds;
  readonly isCritical: boolean;
}

interface Lane {
  readonly name: string;
  readonly spans: Span[];
}

/** A simulated run, and the plan and topology that it belongs to. */
export interface TimelineRun {
  readonly plan: Plan;
  readonly topology: Topology;
  readonly timeline: Timeline;
  readonly report: CostReport;
}

/**
 * Draws the rows in `width` columns. All cells have the same duration. A cell shows the critical path if that is busy there, otherwise whether the
 * rank or link is busy for at least half of the cell, for less, or not at all.
 */
export function showTimeline(run: TimelineRun, kind: TimelineRowKind, width = displayLimits.width): string {
  const { seconds } = run.report;
  const links = linkLanes(run).filter(({ spans }) => spans.length > 0);
  const all = kind === 'links' ? [...links, ...computingLanes(run)] : rankLanes(run);
  const lanes = all.filter(({ spans }) => spans.length > 0);
  const nameWidth = Math.min(
    Math.floor(width * displayLimits.nameShare),
    lanes.reduce((most, { name }) => Math.max(most, textWidth(name)), 0),
  );
  const cells = Math.max(10, width - nameWidth - 1);
  const left = (count: number): Lane => ({ name: `… ${counted(count, 'more lane')}`, spans: [] });
  const rows = elide(lanes, displayLimits.rows, left).map(({ name, spans }) => {
    return `${cut(name, nameWidth)} ${spans.length === 0 ? '' : cellsOf(spans, seconds, cells)}`.trimEnd();
  });
  const idle = kind === 'links' ? run.topology.links.length - links.length : 0;
  return `${[
    `${' '.repeat(nameWidth)} ${axis(seconds, cells)}`,
    ...rows,
    '',
    `${marks.critical} on the critical path   ${marks.busy} busy   ${marks.partly} busy for less than half of the cell   ${marks.idle} idle`,
    `a cell is ${formatSeconds(seconds / cells)}${idle > 0 ? `; ${counted(idle, 'link')} of ${run.topology.links.length} not used` : ''}`,
  ].join('\n')}\n`;
}

function cut(name: string, width: number): string {
  const text = textWidth(name) <= width ? name : `${[...name].slice(0, width - 1).join('')}…`;
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Writes the time axis: `0`, the middle and the end. */
function axis(seconds: Seconds, cells: number): string {
  const [middle, end] = [formatSeconds(seconds / 2), formatSeconds(seconds)];
  const line = `0${' '.repeat(Math.max(1, Math.floor(cells / 2) - 1))}${middle}`;
  const room = cells - textWidth(line) - textWidth(end);
  return room < 1 ? `0${' '.repeat(Math.max(1, cells - 1 - textWidth(end)))}${end}` : line + ' '.repeat(room) + end;
}

function cellsOf(spans: readonly Span[], seconds: Seconds, cells: number): string {
  const busy = shares(spans, seconds, cells);
  const critical = shares(
    spans.filter(({ isCritical }) => isCritical),
    seconds,
    cells,
  );
  return [...busy].map((share, cell) => (critical[cell] > 0 ? marks.critical : markOf(share))).join('');
}

function markOf(share: number): string {
  // A tiny share comes from rounding only.
  if (share < 1e-9) return marks.idle;
  return share < 0.5 ? marks.partly : marks.busy;
}

/** Returns for each cell the fraction of time that at least one period covers. */
function shares(spans: readonly Span[], seconds: Seconds, cells: number): Float64Array {
  const result = new Float64Array(cells);
  const perCell = seconds / cells;
  let covered = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const from = Math.max(start, covered);
    for (let cell = Math.min(cells - 1, Math.floor(from / perCell)); cell < cells && cell * perCell < end; cell++) {
      const part = Math.min(end, (cell + 1) * perCell) - Math.max(from, cell * perCell);
      result[cell] += Math.max(0, part) / perCell;
    }
    covered = Math.max(covered, end);
  }
  return result;
}

/** Returns the instances of operations (bulk · operations + operation) on the critical path. */
function criticalInstances({ report, timeline }: TimelineRun): ReadonlySet<number> {
  return new Set(report.criticalPath.map(({ operation, bulk }) => bulk * timeline.operations + operation));
}

function linkLanes(run: TimelineRun): readonly Lane[] {
  const { topology, timeline } = run;
  const critical = criticalInstances(run);
  const lanes = topology.links.map((link): Lane => ({ name: oneLine(linkName(topology, link)), spans: [] }));
  const { link, instance, start, end } = timeline.links;
  for (let row = 0; row < link.length; row++) {
    lanes[link[row]].spans.push({ start: start[row], end: end[row], isCritical: critical.has(instance[row]) });
  }
  return lanes;
}

/** Returns the periods in which each rank computes; empty for plans without computation. */
function computingLanes({ plan, ...run }: TimelineRun): readonly Lane[] {
  const { nanoseconds } = plan.ops;
  if (nanoseconds === undefined) return [];
  const computing = rankLanes({ plan, ...run }, (operation) => nanoseconds[operation] >= 0);
  return computing.map(({ name, spans }) => ({ name: `${name} computes`, spans }));
}

/** Returns a row for each rank, which is busy while one of its operations runs. */
function rankLanes(run: TimelineRun, isShown = (_: number): boolean => true): readonly Lane[] {
  const { plan, timeline } = run;
  const critical = criticalInstances(run);
  const lanes = plan.buffers.map((_, rank): Lane => ({ name: `rank ${rank}`, spans: [] }));
  const rankOf = Array.from({ length: timeline.operations }, (_, o) => rankOfLane(plan, laneOf(plan, o).lane));
  for (let at = 0; at < timeline.start.length; at++) {
    const [start, end] = [timeline.start[at], timeline.end[at]];
    if (end > start && isShown(at % timeline.operations))
      lanes[rankOf[at % timeline.operations]].spans.push({ start, end, isCritical: critical.has(at) });
  }
  return lanes;
}
