/** Reads the trace that `ccc run --trace` wrote for a plan. */
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { parseJson } from '../ir/parse-json.ts';
import { operationKinds, type Plan } from '../ir/plan.ts';

/** Start and end of each instance (numbered bulk · operations + operation), in seconds from the start of the run. */
export interface MeasuredRun {
  readonly name: string;
  readonly start: Float64Array;
  readonly end: Float64Array;
}

/** @throws CccError 'syntax' if the text is not JSON, 'schema' for a trace of another kind or of another plan */
export function readMeasured(source: SourceText, plan: Plan): MeasuredRun {
  const operations = plan.ops.kind.length;
  const start = new Float64Array(operations * plan.bulks).fill(Number.NaN);
  const end = new Float64Array(operations * plan.bulks).fill(Number.NaN);
  const laneRow = new Map<string, number>();
  for (let rank = 0; rank + 1 < plan.firstLane.length; rank++) {
    for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++) {
      laneRow.set(`${rank} ${plan.laneId[lane]}`, lane);
    }
  }
  const seen = new Map<number, number>();
  for (const event of eventsOf(source)) {
    if (!isRecord(event) || event.ph !== 'X') continue;
    const { pid, tid, ts, dur, name, args } = event;
    const bulk = isRecord(args) ? args.bulk : undefined;
    const lane = laneRow.get(`${pid} ${tid}`);
    if (!isTime(ts) || !isTime(dur) || !isIndex(bulk, plan.bulks) || lane === undefined) throw other(source, plan);
    const at = seen.get(bulk * plan.laneId.length + lane) ?? 0;
    const operation = plan.firstOp[lane] + at;
    if (operation >= plan.firstOp[lane + 1] || name !== operationKinds[plan.ops.kind[operation]]) {
      throw other(source, plan);
    }
    seen.set(bulk * plan.laneId.length + lane, at + 1);
    start[bulk * operations + operation] = ts / 1e6;
    end[bulk * operations + operation] = (ts + dur) / 1e6;
  }
  if (start.some((instant) => Number.isNaN(instant))) throw other(source, plan);
  return { name: source.name, ...fromZero(start, end) };
}

function eventsOf(source: SourceText): readonly unknown[] {
  const document = parseJson(source, 'the trace that ccc run --trace writes');
  const events = isRecord(document) ? document.traceEvents : undefined;
  if (Array.isArray(events)) return events;
  throw new CccError('schema', `${source.name} has no 'traceEvents': expected the trace that ccc run --trace writes`);
}

/** Shifts the times so that the first operation starts at 0, since clocks start at arbitrary values. */
function fromZero(start: Float64Array, end: Float64Array): Pick<MeasuredRun, 'start' | 'end'> {
  const first = start.reduce((least, instant) => Math.min(least, instant), Number.POSITIVE_INFINITY);
  return { start: start.map((instant) => instant - first), end: end.map((instant) => instant - first) };
}

function other({ name }: SourceText, plan: Plan): CccError {
  const message = `${name} is no trace of ${plan.name}: expected every operation of every bulk once, as ccc run --trace writes them`;
  return new CccError('schema', message);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isIndex(value: unknown, count: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < count;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
