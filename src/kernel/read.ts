/** Plan JSON (docs/plan-format.md) as tables. Numbers only have to be whole numbers here: whether they are in range, form.ts asks. */
import { type Column, Refusal, type Tables } from './plan.ts';

const kinds = ['copy', 'reduce', 'send', 'recv', 'recvReduce'];
const buffers = ['input', 'output', 'scratch'];

function fail(what: string): never {
  throw new Refusal('malformed', `no full plan (format ccc-plan, version 1): ${what}`);
}
function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : fail(what);
}
function list(value: unknown, what: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail(what);
}
function int(value: unknown, what: string, most = 2 ** 31 - 1): number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= most ? Number(value) : fail(what);
}
function word(value: unknown, words: readonly string[], what: string): number {
  const code = words.findIndex((one) => Object.is(one, value));
  return code < 0 ? fail(what) : code;
}
function flag(value: unknown, what: string): boolean {
  return value === undefined || typeof value === 'boolean' ? value === true : fail(what);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(String(error));
  }
}

/** The tables, and for how many transfers in flight the plan says that it is made; undefined is any number. @throws Refusal */
export function readPlan(text: string): { readonly tables: Tables; readonly inflight: number | undefined } {
  const plan = record(parsed(text), 'not an object');
  if (plan.format !== 'ccc-plan' || plan.version !== 1 || plan.symmetry !== undefined) fail('its format');
  const rows = new Map<Column, number[]>();
  const add = (name: Column, value: number): unknown => rows.get(name)?.push(value) ?? rows.set(name, [value]);
  const column = (name: Column): Int32Array => Int32Array.from(rows.get(name) ?? []);
  const [firstLane, laneId, firstOp, firstAfter]: number[][] = [[0], [], [0], [0]];
  const programs = list(plan.programs, 'programs').map((program) => record(program, 'programs'));
  programs.sort((a, b) => int(a.rank, 'rank') - int(b.rank, 'rank'));
  const declared = programs.map((program, rank) => {
    if (program.rank !== rank) fail('not one program for each rank');
    const lanes = list(program.lanes, 'lanes').map((lane) => record(lane, 'lanes'));
    const starts = new Map<unknown, readonly [start: number, length: number]>();
    for (const { id, ops } of lanes) {
      const [start, { length }] = [firstOp[firstOp.length - 1], list(ops, 'ops')];
      laneId.push(int(id, 'a lane id'));
      starts.set(id, [start, length]);
      firstOp.push(start + length);
    }
    firstLane.push(laneId.length);
    for (const value of lanes.flatMap(({ ops }) => list(ops, 'ops'))) {
      const { op, peer = -1, channel = 0, order = 'held-first', after = [], ...operands } = record(value, 'ops');
      add('kind', word(op, kinds, 'op'));
      add('peer', int(peer, 'peer'));
      add('channel', int(channel, 'channel'));
      add('receivedFirst', word(order, ['held-first', 'received-first'], 'order'));
      add('relay', -1);
      for (const side of ['src', 'dst'] as const) {
        const [buffer, offset, count] = operands[side] === undefined ? ['input', 0, 0] : list(operands[side], side);
        add(`${side}Buffer`, word(buffer, buffers, side));
        add(`${side}Offset`, int(offset, side));
        add(`${side}Count`, int(count, side));
      }
      for (const wait of list(after, 'after')) {
        const [lane, index, bulks = 0] = list(wait, 'after');
        const [start, length] = starts.get(lane) ?? fail('after');
        add('afterOp', int(index, 'after') < length ? start + int(index, 'after') : fail('after'));
        add('afterBulks', int(bulks, 'after'));
      }
      firstAfter.push(rows.get('afterOp')?.length ?? 0);
    }
    const [input, output, scratch] = buffers.map((name) => int(record(program.buffers, 'buffers')[name], name));
    return { input, output, scratch };
  });
  const { inflight } = record(plan.verification ?? {}, 'verification');
  const tables: Tables = {
    ...{ collective: collectiveOf(plan.collective), buffers: declared },
    ...{ bulks: int(plan.bulks ?? 1, 'bulks'), scratchPerBulk: int(plan.scratchPerBulk ?? 1, 'scratchPerBulk') },
    ...{ firstLane: Int32Array.from(firstLane), laneId: Int32Array.from(laneId), firstOp: Int32Array.from(firstOp) },
    ops: {
      ...{ kind: column('kind'), peer: column('peer'), channel: column('channel'), relay: column('relay') },
      ...{ srcBuffer: column('srcBuffer'), srcOffset: column('srcOffset'), srcCount: column('srcCount') },
      ...{ dstBuffer: column('dstBuffer'), dstOffset: column('dstOffset'), dstCount: column('dstCount') },
      ...{ receivedFirst: column('receivedFirst'), firstAfter: Int32Array.from(firstAfter) },
      ...{ afterOp: column('afterOp'), afterBulks: column('afterBulks') },
    },
  };
  return { tables, inflight: typeof inflight === 'number' ? int(inflight, 'inflight') : undefined };
}

function collectiveOf(value: unknown): Tables['collective'] {
  const { kind, op = 'sum', ordered, inPlace, counts, custom, ...sizes } = record(value, 'collective');
  const numbers = (list_: unknown, what: string): number[] => list(list_, what).map((n) => int(n, what, 2 ** 53 - 1));
  const collective = {
    ...{ kind: String(kind), op: String(op), ordered: flag(ordered, 'ordered'), inPlace: flag(inPlace, 'inPlace') },
    ...{ ranks: int(sizes.ranks, 'ranks'), chunks: int(sizes.chunks, 'chunks'), root: int(sizes.root ?? 0, 'root') },
    ...(counts === undefined ? {} : { counts: numbers(counts, 'counts') }),
  };
  if (custom === undefined) return collective;
  const { input, output, inputAt, results } = record(custom, 'custom');
  const part = (from: unknown) => {
    const { rank, chunk } = record(from, 'results');
    return { rank: int(rank, 'results'), chunk: int(chunk, 'results') };
  };
  const wanted = list(results, 'results').map((slots) =>
    list(slots, 'results').map((parts) => (parts === null ? null : list(parts, 'results').map(part))),
  );
  const at = inputAt === undefined ? {} : { inputAt: numbers(inputAt, 'inputAt') };
  const wants = (rank: number, slot: number) => wanted[rank]?.[slot];
  return { ...collective, custom: { input: numbers(input, 'input'), output: numbers(output, 'output'), ...at, wants } };
}
