/** Rank 0's program of a compact plan while it is written: operations are added to lanes in any order, then sorted by lane. */
import type { Collective } from '../../ir/collective.ts';
import { IntColumn } from '../../ir/column.ts';
import type { CompactPlan } from '../../ir/compact.ts';
import { OperationCode, type OperationTable } from '../../ir/plan.ts';

/** What a plan is besides its program. */
export interface ProgramFrame {
  readonly name: string;
  readonly collective: Collective;
  readonly shape: readonly number[];
  readonly sharded: boolean;
  readonly bulks: number;
  readonly buffers: CompactPlan['buffers'];
}

const columns = [
  'lane',
  'kind',
  'peer',
  'srcBuffer',
  'srcOffset',
  'srcCount',
  'dstBuffer',
  'dstOffset',
  'dstCount',
  'step',
] as const;
type Column = (typeof columns)[number];

export class CompactProgram {
  private readonly laneIds: number[] = [];
  private readonly rows = Object.fromEntries(columns.map((name) => [name, new IntColumn(1024)])) as Record<
    Column,
    IntColumn
  >;
  private readonly waiting = new IntColumn();
  private readonly awaited = new IntColumn();
  private readonly awaitedBulks = new IntColumn();

  /** A lane with that id; lanes stand in the plan in the order in which they were opened, if they have operations. */
  openLane(id: number): number {
    return this.laneIds.push(id) - 1;
  }

  /** Adds a copy of so many chunks at the end of a lane, and returns its number; likewise for the others. */
  copy(
    lane: number,
    step: number,
    fromBuffer: number,
    from: number,
    toBuffer: number,
    to: number,
    count: number,
  ): number {
    return this.add(lane, OperationCode.copy, step, -1, fromBuffer, from, count, toBuffer, to, count);
  }

  reduce(
    lane: number,
    step: number,
    fromBuffer: number,
    from: number,
    toBuffer: number,
    to: number,
    count: number,
  ): number {
    return this.add(lane, OperationCode.reduce, step, -1, fromBuffer, from, count, toBuffer, to, count);
  }

  send(lane: number, step: number, peer: number, buffer: number, offset: number, count: number): number {
    return this.add(lane, OperationCode.send, step, peer, buffer, offset, count, -1, 0, 0);
  }

  receive(lane: number, step: number, peer: number, buffer: number, offset: number, count: number): number {
    return this.add(lane, OperationCode.recv, step, peer, -1, 0, 0, buffer, offset, count);
  }

  /** Makes an operation wait for another one, of the same bulk or of one so many bulks before. */
  wait(operation: number, awaited: number, bulks = 0): void {
    this.waiting.push(operation);
    this.awaited.push(awaited);
    this.awaitedBulks.push(bulks);
  }

  /** The last operation added to each of these lanes, if it has any. */
  lastOf(lanes: readonly number[]): readonly number[] {
    const last = new Map<number, number>();
    this.rows.lane.view().forEach((lane, operation) => {
      last.set(lane, operation);
    });
    return lanes.flatMap((lane) => last.get(lane) ?? []);
  }

  build(frame: ProgramFrame): CompactPlan {
    const lanes = this.rows.lane.view();
    const ends = new Int32Array(this.laneIds.length + 1);
    for (const lane of lanes) ends[lane + 1]++;
    for (let lane = 0; lane < this.laneIds.length; lane++) ends[lane + 1] += ends[lane];
    const next = ends.slice();
    const placeOf = lanes.map((lane) => next[lane]++);
    const used = this.laneIds.map((_, lane) => lane).filter((lane) => ends[lane + 1] > ends[lane]);
    return {
      ...frame,
      scratchPerBulk: 1,
      laneId: Int32Array.from(used, (lane) => this.laneIds[lane]),
      firstOp: Int32Array.of(0, ...used.map((lane) => ends[lane + 1])),
      ops: this.table(placeOf),
      origins: [],
    };
  }

  /** @param placeOf where each operation stands when they are sorted by lane */
  private table(placeOf: Int32Array): OperationTable {
    const operations = placeOf.length;
    const sorted = (column: Column): Int32Array => {
      const values = this.rows[column].view();
      const result = new Int32Array(operations);
      for (let o = 0; o < operations; o++) result[placeOf[o]] = values[o];
      return result;
    };
    const [waiting, awaited, bulks] = [this.waiting, this.awaited, this.awaitedBulks].map((column) => column.view());
    const firstAfter = new Int32Array(operations + 1);
    for (const operation of waiting) firstAfter[placeOf[operation] + 1]++;
    for (let o = 0; o < operations; o++) firstAfter[o + 1] += firstAfter[o];
    const next = firstAfter.slice();
    const afterOp = new Int32Array(waiting.length);
    const afterBulks = new Int32Array(waiting.length);
    waiting.forEach((operation, wait) => {
      const at = next[placeOf[operation]]++;
      afterOp[at] = placeOf[awaited[wait]];
      afterBulks[at] = bulks[wait];
    });
    return {
      kind: sorted('kind'),
      peer: sorted('peer'),
      channel: new Int32Array(operations),
      srcBuffer: sorted('srcBuffer'),
      srcOffset: sorted('srcOffset'),
      srcCount: sorted('srcCount'),
      dstBuffer: sorted('dstBuffer'),
      dstOffset: sorted('dstOffset'),
      dstCount: sorted('dstCount'),
      receivedFirst: new Int32Array(operations),
      step: sorted('step'),
      origin: new Int32Array(operations).fill(-1),
      firstAfter,
      afterOp,
      afterBulks,
      relay: new Int32Array(operations).fill(-1),
    };
  }

  private add(
    lane: number,
    kind: number,
    step: number,
    peer: number,
    srcBuffer: number,
    srcOffset: number,
    srcCount: number,
    dstBuffer: number,
    dstOffset: number,
    dstCount: number,
  ): number {
    const { rows } = this;
    rows.lane.push(lane);
    rows.kind.push(kind);
    rows.peer.push(peer);
    rows.srcBuffer.push(srcBuffer);
    rows.srcOffset.push(srcOffset);
    rows.srcCount.push(srcCount);
    rows.dstBuffer.push(dstBuffer);
    rows.dstOffset.push(dstOffset);
    rows.dstCount.push(dstCount);
    rows.step.push(step);
    return rows.kind.length - 1;
  }
}
