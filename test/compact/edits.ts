/** Programs of compact plans as lists that tests can change at will, and random mistakes in them. */
import { type CompactPlan, compactPlan, soleProgram } from '../../src/ir/compact.ts';
import { type OperationKind, operationAt, operationFrom, PlanBuilder, type Slice } from '../../src/ir/plan.ts';

export interface Line {
  kind: OperationKind;
  peer: number | undefined;
  channel: number;
  src: Slice | undefined;
  dst: Slice | undefined;
  step: number;
  after: Line[];
  /** What it waits for in bulks before. */
  afterEarlier: { line: Line; bulks: number }[];
}

/** Lanes of operations. */
export type Program = Line[][];

export function programOf(compact: CompactPlan): Program {
  const plan = soleProgram(compact);
  const lines: Line[] = Array.from(plan.ops.kind, (_, o) => {
    const operation = operationAt(plan, o);
    return {
      kind: operation.op,
      peer: 'peer' in operation ? operation.peer : undefined,
      channel: 'channel' in operation ? operation.channel : 0,
      src: 'src' in operation ? operation.src : undefined,
      dst: 'dst' in operation ? operation.dst : undefined,
      step: operation.step,
      after: [],
      afterEarlier: [],
    };
  });
  lines.forEach((line, o) => {
    for (let a = plan.ops.firstAfter[o]; a < plan.ops.firstAfter[o + 1]; a++) {
      const awaited = lines[plan.ops.afterOp[a]];
      const bulks = plan.ops.afterBulks[a];
      if (bulks === 0) line.after.push(awaited);
      else line.afterEarlier.push({ line: awaited, bulks });
    }
  });
  return Array.from(plan.laneId, (_, lane) => lines.slice(plan.firstOp[lane], plan.firstOp[lane + 1]));
}

/** The plan with another program; what operations wait for and is gone is not waited for. */
export function withProgram(compact: CompactPlan, program: Program): CompactPlan {
  const builder = new PlanBuilder();
  const handles = new Map<Line, number>();
  program.forEach((lines, id) => {
    const lane = builder.openLane(0, id);
    for (const line of lines) {
      const { kind, step, channel, peer, src, dst } = line;
      handles.set(line, builder.add(lane, operationFrom(kind, { step, channel, peer, src, dst })));
    }
  });
  for (const [line, handle] of handles) {
    for (const awaited of line.after) {
      const target = handles.get(awaited);
      if (target !== undefined) builder.wait(handle, target);
    }
    for (const { line: awaited, bulks } of line.afterEarlier) {
      const target = handles.get(awaited);
      if (target !== undefined) builder.wait(handle, target, bulks);
    }
  }
  const { name, collective, bulks, scratchPerBulk, buffers, shape, sharded } = compact;
  const header = { name, collective, bulks, scratchPerBulk, buffers: [buffers], rounds: [] };
  return compactPlan(builder.build(header), shape, sharded);
}

export const mistakes = [
  'kind',
  'twice',
  'drop',
  'unwait',
  'swap',
  'peer',
  'channel',
  'source',
  'target',
  'count',
  'lane',
  'wait',
] as const;
export type Mistake = (typeof mistakes)[number];

/** Makes a mistake at an operation; `by` says which, where there are several. */
export function mistaken(compact: CompactPlan, mistake: Mistake, at: number, by: number): CompactPlan {
  const program = programOf(compact);
  const all = program.flat();
  const line = all[at % all.length];
  const lines = program.find((lane) => lane.includes(line)) ?? [];
  const index = lines.indexOf(line);
  const { ranks, chunks } = compact.collective;
  const moved = (slice: Slice | undefined): Slice | undefined => {
    if (slice === undefined) return undefined;
    const slots = Math.max(1, compact.buffers[slice.buffer] - slice.count + 1);
    return { ...slice, offset: (slice.offset + 1 + by) % slots };
  };
  switch (mistake) {
    case 'kind':
      if (line.kind === 'reduce') line.kind = 'copy';
      else if (line.kind === 'recv') line.kind = 'recvReduce';
      else if (line.kind === 'copy') line.kind = 'reduce';
      break;
    case 'twice':
      if (line.peer === undefined) lines.splice(index, 0, { ...line });
      break;
    case 'drop':
      lines.splice(index, 1);
      break;
    case 'unwait':
      if (line.after.length > 0) line.after.splice(by % line.after.length, 1);
      else line.afterEarlier.splice(by % Math.max(1, line.afterEarlier.length), 1);
      break;
    case 'swap':
      if (index > 0) [lines[index - 1], lines[index]] = [line, lines[index - 1]];
      break;
    case 'peer':
      if (line.peer !== undefined) line.peer = 1 + ((line.peer + by) % (ranks - 1));
      break;
    case 'channel':
      line.channel = 1;
      break;
    case 'source':
      line.src = moved(line.src);
      break;
    case 'target':
      line.dst = moved(line.dst);
      break;
    case 'count':
      if (line.src !== undefined && chunks > 1) line.src = { ...line.src, count: 1 + (by % chunks) };
      break;
    case 'lane':
      lines.splice(index, 1);
      program[by % program.length].push(line);
      break;
    case 'wait':
      line.after.push(all[by % all.length]);
      break;
  }
  return withProgram(compact, program);
}
