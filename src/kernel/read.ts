/** A parsed plan (docs/plan-format.md) as tables. A shape takes a value for what it should be, or refuses it; form.ts asks about ranges. */
import { isWhole, need, type Tables } from './plan.ts';

type Shape<Value> = (value: unknown, where: string) => Value;
function shape<Value>(is: (value: unknown) => value is Value): Shape<Value> {
  return (value, where) => {
    need(is(value), where);
    return value;
  };
}
const int = shape((value): value is number => isWhole(value, Number.MIN_SAFE_INTEGER));
const text = shape((value) => typeof value === 'string');
const boolean = shape((value) => typeof value === 'boolean');
const array = shape<readonly unknown[]>(Array.isArray);
function list<Value>(of: Shape<Value>): Shape<readonly Value[]> {
  return (value, where) => array(value, where).map((one, i) => of(one, `${where}[${i}]`));
}
function object<Fields>(shapes: { readonly [Key in keyof Fields]: Shape<Fields[Key]> }): Shape<Fields> {
  return (value, where) => {
    need(typeof value === 'object' && value !== null && !Array.isArray(value), where);
    const [given, fields]: [Readonly<Record<string, unknown>>, Partial<Fields>] = [{ ...value }, {}];
    for (const key in shapes) fields[key] = shapes[key](given[key], `${where}.${key}`);
    return fields as Fields; // now all keys are there
  };
}
function or<Value, Missing>(of: Shape<Value>, missing: Missing, absent: unknown = undefined): Shape<Value | Missing> {
  return (value, where) => (value === absent ? missing : of(value, where));
}
function among(...known: readonly unknown[]): Shape<number> {
  return (value, where) => natural(known.indexOf(value), where);
}
const natural = shape((value): value is number => isWhole(value, 0));
const [maybe, ints, maybeInts] = [or(int, undefined), list(int), or(list(int), undefined)];
const buffer = among('input', 'output', 'scratch');
const slice: Shape<readonly number[]> = (value, where) => {
  const [name, ...range] = array(value, where);
  need(range.length === 2, where);
  return [buffer(name, where), ...ints(range, where)];
};
const operation = object({
  ...{ op: among('copy', 'reduce', 'send', 'recv', 'recvReduce'), peer: or(int, -1), channel: or(int, 0) },
  ...{ order: or(among('held-first', 'received-first'), 0), src: or(slice, [-1, 0, 0]), dst: or(slice, [-1, 0, 0]) },
  after: or(list(ints), []),
});
const buffers = object({ input: int, output: int, scratch: int });
const programs = list(object({ rank: int, buffers, lanes: list(object({ id: int, ops: list(operation) })) }));
const results = list(list(or(list(object({ rank: int, chunk: int })), null, null)));
const custom = or(object({ input: ints, output: ints, inputAt: maybeInts, results }), undefined);
const words = { kind: text, op: or(text, 'sum'), ordered: or(boolean, false), inPlace: or(boolean, false) };
const collective = object({ ...words, ranks: int, chunks: int, root: or(int, 0), counts: maybeInts, custom });
const limits = or(object({ alignment: maybe, messageIds: maybe }), {});
const verification = or(object({ inflight: or(maybe, undefined, 'unbounded') }), { inflight: undefined });
const header = { format: among('ccc-plan'), version: among(1), symmetry: among(undefined), size: maybe, limits };
const ofBulks = { bulks: or(int, 1), scratchPerBulk: or(int, 1), verification };
const document = object({ ...header, ...ofBulks, collective, programs });
/** The tables, names of lanes, and for how many transfers in flight the plan says that it is made; undefined is any number. @throws Refusal */
export function readPlan(json: unknown): Tables & { laneId: readonly number[]; inflight: number | undefined } {
  const { programs, verification, ...plan } = document(json, 'plan');
  const [firstLane, laneId, firstOp, firstAfter, afterOp, afterBulks]: number[][] = [[0], [], [0], [0], [], []];
  const columns = Array.from({ length: 10 }, (): number[] => []);
  const sorted = programs.toSorted((a, b) => a.rank - b.rank);
  for (const [rank, program] of sorted.entries()) {
    const laneOf = new Map(program.lanes.map(({ id }) => [id, laneId.push(id) - 1]));
    need(program.rank === rank && laneOf.size === program.lanes.length, `a program for rank ${rank}, or its lane ids`);
    for (const { ops } of program.lanes) firstOp.push(ops.length + (firstOp.at(-1) ?? 0));
    firstLane.push(laneId.length);
    for (const { op, peer, channel, order, src, dst, after } of program.lanes.flatMap(({ ops }) => ops)) {
      for (const [i, value] of [op, peer, channel, order, ...src, ...dst].entries()) columns[i].push(value);
      for (const [id, index, bulks = 0, ...more] of after) {
        const [start, end] = [0, 1].map((i) => firstOp[(laneOf.get(id) ?? Number.NaN) + i]);
        need(isWhole(index, 0, end - start - 1) && more.length === 0, `a wait for [${id}, ${index}] on rank ${rank}`);
        afterOp.push(start + index);
        afterBulks.push(bulks);
      }
      firstAfter.push(afterOp.length);
    }
  }
  const [kind, peer, channel, receivedFirst, srcBuffer, srcOffset, srcCount, dstBuffer, dstOffset, dstCount] = columns;
  const moved = { srcBuffer, srcOffset, srcCount, dstBuffer, dstOffset, dstCount };
  const ops = { kind, peer, channel, receivedFirst, ...moved, firstAfter, afterOp, afterBulks };
  return { ...plan, ...verification, firstLane, laneId, firstOp, ops, buffers: sorted.map(({ buffers }) => buffers) };
}
