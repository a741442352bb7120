/** Plan JSON (docs/plan-format.md) as tables. A shape takes a value for what it should be, or refuses it; form.ts asks about ranges. */
import { isWhole, need, Refusal, type Tables } from './plan.ts';

type Shape<Value> = (value: unknown, where: string) => Value;
function shape<Value>(is: (value: unknown) => value is Value): Shape<Value> {
  return (value, where) => {
    need(is(value), where);
    return value;
  };
}
function list<Value>(of: Shape<Value>, shortest = 0, longest = Number.POSITIVE_INFINITY): Shape<readonly Value[]> {
  return (value, where) => {
    need(Array.isArray(value) && value.length >= shortest && value.length <= longest, where);
    return value.map((one, i) => of(one, `${where}[${i}]`));
  };
}
function object<Fields>(shapes: { readonly [Key in keyof Fields]: Shape<Fields[Key]> }): Shape<Fields> {
  return (value, where) => {
    need(typeof value === 'object' && value !== null && !Array.isArray(value), where);
    const [given, fields]: [Readonly<Record<string, unknown>>, Partial<Fields>] = [{ ...value }, {}];
    for (const key in shapes) fields[key] = shapes[key](given[key], `${where}.${key}`);
    // Now all keys are there.
    return fields as Fields;
  };
}
const or =
  <Value, Missing>(of: Shape<Value>, missing: Missing, absent: unknown = undefined): Shape<Value | Missing> =>
  (value, where) =>
    value === absent ? missing : of(value, where);

const kinds = ['copy', 'reduce', 'send', 'recv', 'recvReduce'];
const buffers: readonly unknown[] = ['input', 'output', 'scratch'];
const orders = ['held-first', 'received-first'];
const int = shape((value): value is number => isWhole(value, Number.MIN_SAFE_INTEGER));
const text = shape((value): value is string => typeof value === 'string');
const boolean = shape((value): value is boolean => typeof value === 'boolean');
const flag = or(boolean, false);
const [maybe, ints, maybeInts] = [or(int, undefined), list(int), or(list(int), undefined)];
const slice: Shape<readonly number[]> = (value, where) => {
  const [buffer, ...numbers] = list<unknown>((one) => one, 3, 3)(value ?? ['', 0, 0], where);
  return [buffers.indexOf(buffer), ...numbers.map((number) => int(number, where))];
};
const local = { op: text, src: slice, dst: slice, order: or(text, 'held-first'), after: or(list(list(int, 2, 3)), []) };
const lanes = list(object({ id: int, ops: list(object({ ...local, peer: or(int, -1), channel: or(int, 0) })) }));
const programs = list(object({ rank: int, buffers: object({ input: int, output: int, scratch: int }), lanes }));
const results = list(list(or(list(object({ rank: int, chunk: int })), null, null)));
const custom = or(object({ input: ints, output: ints, inputAt: maybeInts, results }), undefined);
const words = { kind: text, op: or(text, 'sum'), ordered: flag, inPlace: flag };
const collective = object({ ...words, ranks: int, chunks: int, root: or(int, 0), counts: maybeInts, custom });
const limits = or(object({ alignment: maybe, messageIds: maybe }), {});
const verification = or(object({ inflight: or(maybe, undefined, 'unbounded') }), { inflight: undefined });
const header = { bulks: or(int, 1), scratchPerBulk: or(int, 1), size: maybe, limits, verification };
const exactly = (wanted: unknown) => shape((value): value is unknown => value === wanted);
const us = { format: exactly('ccc-plan'), version: exactly(1), symmetry: exactly(undefined) };
const document = object({ ...us, ...header, collective, programs });

/** The tables, and for how many transfers in flight the plan says that it is made; undefined is any number. @throws Refusal */
export function readPlan(json: string): { readonly tables: Tables; readonly inflight: number | undefined } {
  const { programs: unsorted, verification, ...plan } = document(parsed(json), 'plan');
  const programs = unsorted.toSorted((a, b) => a.rank - b.rank);
  const lanes = programs.flatMap((program) => program.lanes);
  const all = lanes.flatMap(({ ops }) => ops);
  /** Where each list begins if all stand in a row. */
  const starts = (lists: readonly (readonly unknown[])[]): number[] => {
    const sums = [0];
    for (const [i, { length }] of lists.entries()) sums.push(sums[i] + length);
    return sums;
  };
  const firstLane = starts(programs.map((program) => program.lanes));
  const firstOp = starts(lanes.map(({ ops }) => ops));
  const afterOp = programs.flatMap((program, rank) => {
    const laneOf = new Map(program.lanes.map(({ id }, i) => [id, firstLane[rank] + i]));
    need(program.rank === rank && laneOf.size === program.lanes.length, `a program for rank ${rank}, or its lane ids`);
    const waits = program.lanes.flatMap(({ ops }) => ops.flatMap(({ after }) => after));
    return waits.map(([id, index]) => {
      const [start, end] = [0, 1].map((i) => firstOp[(laneOf.get(id) ?? Number.NaN) + i]);
      need(isWhole(index, 0, end - start - 1), `rank ${rank} has no operation [${id}, ${index}] to wait for`);
      return start + index;
    });
  });
  const column = (of: (operation: (typeof all)[number]) => number): number[] => all.map(of);
  const ops = {
    ...{ kind: column(({ op }) => kinds.indexOf(op)), peer: column(({ peer }) => peer) },
    ...{ channel: column(({ channel }) => channel), receivedFirst: column(({ order }) => orders.indexOf(order)) },
    ...{ srcBuffer: column(({ src }) => src[0]), srcOffset: column(({ src }) => src[1]) },
    ...{ srcCount: column(({ src }) => src[2]), dstBuffer: column(({ dst }) => dst[0]) },
    ...{ dstOffset: column(({ dst }) => dst[1]), dstCount: column(({ dst }) => dst[2]) },
    ...{ firstAfter: starts(all.map(({ after }) => after)), afterOp },
    afterBulks: all.flatMap(({ after }) => after.map((wait) => wait[2] ?? 0)),
  };
  const rows = { firstLane, firstOp, laneId: lanes.map(({ id }) => id), ops };
  const tables = { ...plan, ...rows, buffers: programs.map((program) => program.buffers) };
  return { tables, inflight: verification.inflight };
}

function parsed(json: string): unknown {
  need(json.length <= 2 ** 27, 'a text of more than 2 ** 27 characters', 'limit');
  try {
    return JSON.parse(json);
  } catch {
    throw new Refusal('malformed', 'not JSON');
  }
}
