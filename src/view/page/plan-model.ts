/** The page's model of a plan: decoded columns, and indices that relate operations, spans, links and nodes. */
import { operationKinds, planBuffers } from '../../ir/plan.ts';
import type { PagePlan } from '../page-document.ts';
import { columnOf, firstAbove, type NumberColumn } from './columns.ts';
import { type Spans, timelineSpansOf, withWork } from './spans.ts';

/** Codes of operation kinds (ir/plan.ts). */
const send = operationKinds.indexOf('send');
const receives = [operationKinds.indexOf('recv'), operationKinds.indexOf('recvReduce')];

export interface TimelineRow {
  readonly kind: 'lane' | 'link' | 'measured';
  /** The index of the lane or link. */
  readonly index: number;
  /** Track p has the spans `first[p] … first[p + 1] − 1` of the tables of its kind. */
  readonly first: readonly number[];
}

export class PlanModel {
  readonly page: PagePlan;
  readonly rows: readonly TimelineRow[];
  readonly spans: Spans;
  /** The spans of the measured run, in seconds of that run. */
  readonly measured: Spans | undefined;
  readonly critical: ReadonlySet<number>;
  readonly criticalLinks: ReadonlySet<number>;
  private readonly criticalRows: ReadonlyMap<string, readonly number[]>;
  readonly operations: { readonly [Name in keyof PagePlan['operations']]: NumberColumn };
  /** The number of operations in one bulk. */
  readonly count: number;
  /** By instance; empty if there is no timeline. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The instants at which operations start, ascending and without repetition. */
  readonly moments: Float64Array;
  /** Of instance i: link spans `routeSpans[firstRoute[i] … firstRoute[i + 1] − 1]`, and the links of these. */
  private readonly firstRoute: Int32Array;
  private readonly routeLinks: Int32Array;
  private readonly arrivals: readonly Float64Array[];
  private readonly rankOfLaneColumn: Int32Array;

  constructor(page: PagePlan) {
    this.page = page;
    this.spans = timelineSpansOf(page.timeline);
    this.operations = decoded(page.operations);
    this.count = this.operations.kind.length;
    this.critical = new Set(columnOf(page.critical));
    const instances = this.hasSpans ? this.count * page.bulks : 0;
    this.start = new Float64Array(instances);
    this.end = new Float64Array(instances);
    this.rankOfLaneColumn = this.ranksOfLanes();
    this.measured = this.measuredSpans();
    this.rows = this.listRows();
    const { firstRoute, routeLinks } = this.fillTimes(instances);
    this.firstRoute = firstRoute;
    this.routeLinks = routeLinks;
    this.moments = instantsOf(this.start);
    this.arrivals = this.listArrivals();
    this.criticalLinks = new Set([...this.critical].flatMap((instance) => this.linksOf(instance)));
    this.criticalRows = this.listCritical();
  }

  get hasSpans(): boolean {
    return this.page.timeline.rows.length > 0;
  }

  /** Instances on the critical path that a row shows, in order of time. */
  criticalOf({ kind, index }: TimelineRow): readonly number[] {
    return this.criticalRows.get(`${kind} ${index}`) ?? [];
  }

  get lanes(): number {
    return this.operations.laneId.length;
  }

  rankOfLane(lane: number): number {
    return this.rankOfLaneColumn[lane];
  }

  laneOf(operation: number): number {
    return firstAbove(this.operations.firstOp, operation) - 1;
  }

  rankOf(operation: number): number {
    return this.rankOfLane(this.laneOf(operation));
  }

  /** The node that a rank runs on. */
  nodeOf(rank: number): number {
    return this.page.machine.nodes.findIndex((node) => node.rank === rank);
  }

  isSend(operation: number): boolean {
    return this.operations.kind[operation] === send;
  }

  isReceive(operation: number): boolean {
    return receives.includes(this.operations.kind[operation]);
  }

  /** The links that a message crosses, in no order. */
  linksOf(instance: number): readonly number[] {
    if (instance + 1 >= this.firstRoute.length) return [];
    return [...this.routeLinks.subarray(this.firstRoute[instance], this.firstRoute[instance + 1])];
  }

  /** The same in travelling order, from the sender's node. */
  routeOf(instance: number): readonly number[] {
    const { links } = this.page.machine;
    const left = new Set(this.linksOf(instance));
    const route: number[] = [];
    let at = this.nodeOf(this.rankOf(instance % this.count));
    while (left.size > 0) {
      const next = [...left].find((link) => links[link].from === at);
      if (next === undefined) break;
      left.delete(next);
      route.push(next);
      at = links[next].to;
    }
    return route;
  }

  /** The sends whose messages are in flight at a time. */
  underWay(time: number): readonly number[] {
    const found: number[] = [];
    if (!this.hasSpans) return found;
    const { start, end, instance } = this.spans;
    for (const { kind, first } of this.rows) {
      if (kind !== 'lane') continue;
      for (let part = 0; part + 1 < first.length; part++) {
        const at = firstAbove(start, time, first[part], first[part + 1]) - 1;
        if (at < first[part] || end[at] <= time) continue;
        if (this.isSend(instance[at] % this.count)) found.push(instance[at]);
      }
    }
    return found;
  }

  /** The share of a rank's receives that are complete at a time; 1 if it has none. */
  received(rank: number, time: number): number {
    const arrivals = this.arrivals[rank];
    if (arrivals === undefined || arrivals.length === 0) return 1;
    return firstAbove(arrivals, time) / arrivals.length;
  }

  /** `output[2…5]`; undefined for an operation without that operand. */
  sliceText(operation: number, side: 'src' | 'dst'): string | undefined {
    const { operations } = this;
    const [buffer, offset, count] =
      side === 'src'
        ? [operations.srcBuffer, operations.srcOffset, operations.srcCount]
        : [operations.dstBuffer, operations.dstOffset, operations.dstCount];
    const name = planBuffers[buffer[operation]];
    if (name === undefined) return undefined;
    return `${name}[${rangeText(offset[operation], count[operation])}]`;
  }

  /** The label of a message in flight: the chunks of output or scratch that it fills, else those of its source; `0` without any. */
  chunkText(operation: number): string {
    const { partner, dstBuffer, dstOffset, dstCount, srcOffset, srcCount } = this.operations;
    const receive = partner[operation];
    if (receive < 0 || dstCount[receive] === 0) return rangeText(srcOffset[operation], srcCount[operation]) || '0';
    const text = rangeText(dstOffset[receive], dstCount[receive]);
    return planBuffers[dstBuffer[receive]] === 'scratch' ? `s${text}` : text;
  }

  private ranksOfLanes(): Int32Array {
    const { firstLane, laneId } = this.operations;
    const ranks = new Int32Array(laneId.length);
    for (let rank = 0; rank + 1 < firstLane.length; rank++) ranks.fill(rank, firstLane[rank], firstLane[rank + 1]);
    return ranks;
  }

  /** Measured spans stand lane by lane, bulk after bulk, as the lanes ran them. */
  private measuredSpans(): Spans | undefined {
    const { measured, bulks } = this.page;
    if (measured === undefined || !this.hasSpans) return undefined;
    const [start, end] = [columnOf(measured.start), columnOf(measured.end)];
    const order: number[] = [];
    const { firstOp } = this.operations;
    for (let lane = 0; lane < this.lanes; lane++) {
      for (let bulk = 0; bulk < bulks; bulk++) {
        for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) order.push(bulk * this.count + o);
      }
    }
    const at = (times: NumberColumn) => Float64Array.from(order, (instance) => times[instance]);
    return withWork({ start: at(start), end: at(end), instance: Int32Array.from(order) });
  }

  private listRows(): readonly TimelineRow[] {
    const { firstOp } = this.operations;
    return this.page.timeline.rows.flatMap((row): readonly TimelineRow[] => {
      const { kind, index } = row;
      if (kind !== 'lane' || this.measured === undefined) return [row];
      const { bulks } = this.page;
      return [row, { kind: 'measured', index, first: [firstOp[index] * bulks, firstOp[index + 1] * bulks] }];
    });
  }

  /** Reads the times of instances from the rows of lanes, and the links of messages from the rows of links. */
  private fillTimes(instances: number): { readonly firstRoute: Int32Array; readonly routeLinks: Int32Array } {
    const { start, end, instance } = this.spans;
    const crossings: (readonly [link: number, from: number, to: number])[] = [];
    const firstRoute = new Int32Array(instances + 1);
    let total = 0;
    for (const { kind, index, first } of this.hasSpans ? this.rows : []) {
      if (kind === 'measured') continue;
      const [from, to] = [first[0], first[first.length - 1]];
      if (kind === 'link') {
        crossings.push([index, from, to]);
        total += to - from;
        for (let at = from; at < to; at++) firstRoute[instance[at] + 1]++;
      } else {
        for (let at = from; at < to; at++) {
          this.start[instance[at]] = start[at];
          this.end[instance[at]] = end[at];
        }
      }
    }
    for (let at = 0; at < instances; at++) firstRoute[at + 1] += firstRoute[at];
    const next = firstRoute.slice();
    const routeLinks = new Int32Array(total);
    for (const [link, from, to] of crossings) {
      for (let at = from; at < to; at++) routeLinks[next[instance[at]]++] = link;
    }
    return { firstRoute, routeLinks };
  }

  private listCritical(): ReadonlyMap<string, readonly number[]> {
    const byRow = new Map<string, number[]>();
    for (const instance of [...this.critical].sort((a, b) => this.start[a] - this.start[b])) {
      const lane = `lane ${this.laneOf(instance % this.count)}`;
      for (const row of [lane, ...this.linksOf(instance).map((link) => `link ${link}`)]) {
        const known = byRow.get(row);
        if (known === undefined) byRow.set(row, [instance]);
        else known.push(instance);
      }
    }
    return byRow;
  }

  /** By rank: the times at which its receives complete, in order. */
  private listArrivals(): readonly Float64Array[] {
    const { firstLane, firstOp } = this.operations;
    const bulks = this.count === 0 ? 0 : this.end.length / this.count;
    return Array.from({ length: this.page.collective.ranks }, (_, rank) => {
      const [from, to] = [firstOp[firstLane[rank]], firstOp[firstLane[rank + 1]]];
      const ends: number[] = [];
      for (let operation = from; operation < to; operation++) {
        if (!this.isReceive(operation)) continue;
        for (let bulk = 0; bulk < bulks; bulk++) ends.push(this.end[bulk * this.count + operation]);
      }
      return Float64Array.from(ends).sort();
    });
  }
}

function decoded(columns: PagePlan['operations']): PlanModel['operations'] {
  const { firstLane, laneId, firstOp, kind, peer, channel, srcBuffer, srcOffset, srcCount } = columns;
  const { dstBuffer, dstOffset, dstCount, step, partner, firstAfter, afterOp, afterBulks, source, line } = columns;
  return {
    ...{ firstLane: columnOf(firstLane), laneId: columnOf(laneId), firstOp: columnOf(firstOp), kind: columnOf(kind) },
    ...{ peer: columnOf(peer), channel: columnOf(channel), srcBuffer: columnOf(srcBuffer) },
    ...{ srcOffset: columnOf(srcOffset), srcCount: columnOf(srcCount), dstBuffer: columnOf(dstBuffer) },
    ...{ dstOffset: columnOf(dstOffset), dstCount: columnOf(dstCount), step: columnOf(step) },
    ...{ partner: columnOf(partner), firstAfter: columnOf(firstAfter), afterOp: columnOf(afterOp) },
    ...{ afterBulks: columnOf(afterBulks), source: columnOf(source), line: columnOf(line) },
  };
}

function rangeText(offset: number, count: number): string {
  if (count === 0) return '';
  return count === 1 ? String(offset) : `${offset}…${offset + count - 1}`;
}

/** The times in ascending order without repetition; 0 if there are none. */
function instantsOf(times: Float64Array): Float64Array {
  const sorted = Float64Array.from(times.length > 0 ? times : [0]).sort();
  return sorted.filter((time, at) => at === 0 || time !== sorted[at - 1]);
}
