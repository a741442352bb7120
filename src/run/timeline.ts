/** Reports on a recorded run: when each step was executed, and the whole run as a trace for Perfetto or Chrome. */
import { operationKinds, type Plan } from '../ir/plan.ts';
import type { Seconds } from '../ir/units.ts';

/** When the first operation of a step began and the last one ended, over all ranks and bulks. */
export interface StepTimes {
  readonly step: number;
  /** Operations, each counted once for every bulk. */
  readonly operations: number;
  readonly start: Seconds;
  readonly end: Seconds;
}

/** The steps that have operations, in order. `times` as in `RunResult`, in seconds. */
export function stepTimes(plan: Plan, times: Float64Array): readonly StepTimes[] {
  const steps = new Map<number, { operations: number; start: Seconds; end: Seconds }>();
  const operations = plan.ops.kind.length;
  for (let i = 0; 2 * i < times.length; i++) {
    const step = plan.ops.step[i % operations];
    const known = steps.get(step) ?? { operations: 0, start: Number.POSITIVE_INFINITY, end: 0 };
    known.operations++;
    known.start = Math.min(known.start, times[2 * i]);
    known.end = Math.max(known.end, times[2 * i + 1]);
    steps.set(step, known);
  }
  return [...steps].sort(([a], [b]) => a - b).map(([step, known]) => ({ step, ...known }));
}

/** The run in Chrome's trace format, in pieces: one process per rank, one thread per lane, times in microseconds. */
export function* traceJson(plan: Plan, times: Float64Array): Iterable<string> {
  const { firstLane, firstOp, laneId, ops, bulks } = plan;
  const operations = ops.kind.length;
  let separator = '{"displayTimeUnit":"ns","traceEvents":[\n';
  for (let rank = 0; rank + 1 < firstLane.length; rank++) {
    yield `${separator}${JSON.stringify({ name: 'process_name', ph: 'M', pid: rank, args: { name: `rank ${rank}` } })}`;
    separator = ',\n';
    for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++) {
      for (let bulk = 0; bulk < bulks; bulk++) {
        for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) {
          const at = 2 * (bulk * operations + o);
          const peer = ops.peer[o] < 0 ? {} : { peer: ops.peer[o], channel: ops.channel[o] };
          yield separator +
            JSON.stringify({
              name: (ops.nanoseconds?.[o] ?? -1) >= 0 ? 'compute' : operationKinds[ops.kind[o]],
              ph: 'X',
              pid: rank,
              tid: laneId[lane],
              ts: times[at] * 1e6,
              dur: (times[at + 1] - times[at]) * 1e6,
              args: { step: ops.step[o], bulk, ...peer },
            });
        }
      }
    }
  }
  yield '\n]}\n';
}
