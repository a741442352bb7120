/** The simulated run for display: when each lane of each rank is active, and which messages the links carry. */
import { laneOf, type Operation, operationAt, operationCount, type Plan, rankOfLane, type Slice } from '../ir/plan.ts';
import type { Timeline } from '../ir/report.ts';
import { linkName, type Topology } from '../ir/topology.ts';
import { type Emitter, opened, type PlanBundle } from './emitter.ts';
import { emitLimits } from './limits.ts';
import { type TraceSpan, type Track, traceText } from './trace-events.ts';

export const trace = {
  name: 'trace',
  about: 'the simulated run as a trace for Perfetto and Chrome: lanes of ranks, links',
  check: ({ proved: { plan }, timeline }: PlanBundle): readonly string[] => {
    if (timeline === undefined) return ['it shows a simulated run, which needs a topology and a size (--topo, --size)'];
    const events = operationCount(plan) * plan.bulks;
    if (events <= emitLimits.events) return [];
    return [`it would have ${events} events, and viewers are slow beyond ${emitLimits.events} (--bulks makes fewer)`];
  },
  emit: (bundle: PlanBundle): Iterable<string> => {
    const { plan, timeline, topology } = opened(bundle);
    if (timeline === undefined) throw new Error(`${plan.name} was not checked: there is no timeline`);
    return traceText(simulatedTracks(plan, timeline(), topology));
  },
} satisfies Emitter;

/** One process per rank with a track per lane, then one process with a track per used link. */
export function* simulatedTracks(plan: Plan, timeline: Timeline, topology: Topology | undefined): Iterable<Track> {
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const rank = rankOfLane(plan, lane);
    const chip = topology?.nodes[topology.chips[rank]].name;
    yield {
      process: chip === undefined ? `rank ${rank}` : `rank ${rank}, ${chip}`,
      thread: laneName(plan, lane),
      spans: laneSpans(plan, lane, timeline),
    };
  }
  if (topology !== undefined) yield* linkTracks(plan, timeline, topology);
}

/** `lane 3: send to 1, channel 0`, with all connections that the lane serves. */
function laneName(plan: Plan, lane: number): string {
  const ends = new Set<string>();
  for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
    const operation = operationAt(plan, o);
    if (!('peer' in operation)) continue;
    const way = operation.op === 'send' ? 'to' : 'from';
    ends.add(`${way} rank ${operation.peer}, channel ${operation.channel}`);
  }
  return `lane ${plan.laneId[lane]}: ${ends.size === 0 ? 'local' : [...ends].join('; ')}`;
}

function laneSpans(plan: Plan, lane: number, { operations, bulks, start, end }: Timeline): readonly TraceSpan[] {
  const spans: TraceSpan[] = [];
  for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
    const operation = operationAt(plan, o);
    const [name, details] = [nameOf(operation), detailsOf(operation)];
    for (let bulk = 0; bulk < bulks; bulk++) {
      const at = bulk * operations + o;
      spans.push({ name, start: start[at], end: end[at], details: { ...details, bulk } });
    }
  }
  return spans;
}

function nameOf(operation: Operation): string {
  switch (operation.op) {
    case 'send':
      return `send ${sliceText(operation.src)}`;
    case 'recv':
      return `receive ${sliceText(operation.dst)}`;
    case 'recvReduce':
      return `receive and reduce ${sliceText(operation.dst)}`;
    default:
      return `${operation.op} ${sliceText(operation.src)} to ${sliceText(operation.dst)}`;
  }
}

function sliceText({ buffer, offset, count }: Slice): string {
  return count === 1 ? `${buffer}[${offset}]` : `${buffer}[${offset}…${offset + count - 1}]`;
}

function detailsOf(operation: Operation): Readonly<Record<string, number>> {
  const { step } = operation;
  return 'peer' in operation ? { peer: operation.peer, channel: operation.channel, step } : { step };
}

function* linkTracks(plan: Plan, { operations, links }: Timeline, topology: Topology): Iterable<Track> {
  const rows = new Map<number, number[]>();
  for (const [row, link] of links.link.entries()) {
    const others = rows.get(link);
    if (others === undefined) rows.set(link, [row]);
    else others.push(row);
  }
  for (const [link, own] of [...rows].sort(([a], [b]) => a - b)) {
    yield {
      process: 'links',
      thread: linkName(topology, topology.links[link]),
      spans: own.map((row) => {
        const operation = links.instance[row] % operations;
        const bulk = Math.floor(links.instance[row] / operations);
        return {
          name: messageName(plan, operation),
          start: links.start[row],
          end: links.end[row],
          details: { step: plan.ops.step[operation], channel: plan.ops.channel[operation], bulk },
        };
      }),
    };
  }
}

/** `0 → 3: output[2…5]`. */
function messageName(plan: Plan, send: number): string {
  const operation = operationAt(plan, send);
  if (operation.op !== 'send') throw new Error('only sends take links');
  return `${rankOfLane(plan, laneOf(plan, send).lane)} → ${operation.peer}: ${sliceText(operation.src)}`;
}
