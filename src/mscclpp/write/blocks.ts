/**
 * Writes lanes as thread blocks: each operation with the signals, waits and `nop`s that it needs, in blocks of at most 64 operations. A long lane
 * continues in another block, which waits for the end of the previous one.
 */

import { executionLimits as most } from '../execution-plan.ts';
import type { Channel, EmittedChannelType, Instruction, LocalOperation, Put } from './document.ts';
import type { ChunkRow, FlatPlan } from './flat.ts';
import { pairsOf } from './flat.ts';
import type { MessagePlan } from './messages.ts';
import type { SynchronisationWaits } from './waits.ts';

/** The resources that the blocks of a rank share: channels and semaphores. */
export class Resources {
  readonly channels: Channel[] = [];
  semaphores = 0;
  private readonly known = new Map<string, number>();

  /** The id of this rank's end of a connection. */
  channel(from: number, to: number, connection: number, own: number, type: EmittedChannelType): number {
    const key = `${from} ${to} ${connection}`;
    let channel = this.known.get(key);
    if (channel === undefined) {
      channel = this.channels.push({ type, peer: own === from ? to : from }) - 1;
      this.known.set(key, channel);
    }
    return channel;
  }

  semaphore(): number {
    return this.semaphores++;
  }
}

/** The data that the writers of all lanes share. */
export interface Plans {
  readonly flat: FlatPlan;
  readonly messages: MessagePlan;
  readonly waits: SynchronisationWaits;
  readonly packets: boolean;
  /** The semaphore with which the operation `later` waits for `earlier`. */
  readonly semaphoreOf: (earlier: number, later: number) => number;
  /** By operation: the operations of other lanes that wait for its end. */
  readonly waiting: readonly (readonly number[])[];
  readonly typeOf: (from: number, to: number) => EmittedChannelType;
}

/** Writes the blocks of one lane, whose operations are given in order. */
export function blocksOfLane(plans: Plans, resources: Resources, operations: readonly number[]): Instruction[][] {
  const writer = new BlockWriter(resources, plans.flat, plans.flat.operations[operations[0]].rank);
  const lane = new LaneWriter(plans, resources, writer);
  // Senders must know that this gpu has begun; so the signals that say so come first.
  for (const id of operations) lane.begin(id);
  for (const id of operations) lane.write(id);
  return writer.blocks();
}

class LaneWriter {
  private readonly plans: Plans;
  private readonly resources: Resources;
  private readonly writer: BlockWriter;

  constructor(plans: Plans, resources: Resources, writer: BlockWriter) {
    this.plans = plans;
    this.resources = resources;
    this.writer = writer;
  }

  begin(id: number): void {
    const { flat, messages } = this.plans;
    const operation = flat.operations[id];
    if (operation.kind !== 'receive' || messages.entry[flat.partner[id]] === 0) return;
    this.writer.tell(this.channelOf(id));
  }

  write(id: number): void {
    const { flat, waits, waiting, semaphoreOf } = this.plans;
    this.writer.openFor(12);
    this.writer.acquire(waits.of[id].map((earlier) => semaphoreOf(earlier, id)));
    const operation = flat.operations[id];
    switch (operation.kind) {
      case 'copy':
        for (const { source, target } of operation.pairs) this.writer.move({ name: 'copy', sources: [source], target });
        break;
      case 'reduce':
        for (const { source, target } of operation.pairs) this.add(source, target, operation.receivedFirst, 're');
        break;
      case 'send':
        this.send(id);
        break;
      case 'receive':
        this.receive(id);
    }
    this.writer.release(waiting[id].map((later) => semaphoreOf(id, later)));
  }

  private send(id: number): void {
    const { flat, messages, packets } = this.plans;
    const operation = flat.operations[id];
    if (operation.kind !== 'send') return;
    const receive = flat.partner[id];
    const other = flat.operations[receive];
    if (other.kind !== 'receive') return;
    const channel = this.channelOf(id);
    const heard = messages.entry[id] + messages.ready[receive];
    for (let word = 0; word < heard; word++) this.writer.hear(channel);
    const targets =
      messages.stage[receive] === -1 ? other.chunks : stageRows(messages.stage[receive], other.chunks.length);
    const pairs = pairsOf(operation.chunks, targets);
    const overPort = this.plans.typeOf(operation.rank, operation.peer) === 'port';
    pairs.forEach(({ source, target }, at) => {
      const last = at === pairs.length - 1;
      const name = packets ? 'ppkt' : overPort && last ? 'pwsf' : 'put';
      const put = { name, sources: [source], target, peer: operation.peer, channel } as const;
      if (overPort) this.writer.handOver(put, last);
      else this.writer.move(put);
    });
    if (!packets && !overPort) this.writer.tell(channel);
  }

  private receive(id: number): void {
    const { flat, messages, packets } = this.plans;
    const operation = flat.operations[id];
    if (operation.kind !== 'receive') return;
    const channel = this.channelOf(id);
    if (messages.ready[id] === 1) this.writer.tell(channel);
    if (!packets) this.writer.hear(channel);
    const first = messages.stage[id];
    if (first === -1) return;
    for (const { source, target } of pairsOf(stageRows(first, operation.chunks.length), operation.chunks)) {
      if (operation.reduces) this.add(source, target, operation.receivedFirst, packets ? 'repkt' : 're');
      else this.writer.move({ name: packets ? 'upkt' : 'copy', sources: [source], target });
    }
  }

  /** Writes a reduction. The kernel adds in the order of the sources, but with packets it adds the local operand last. */
  private add(source: ChunkRow, target: ChunkRow, sourceFirst: boolean, name: 're' | 'repkt'): void {
    const sources = sourceFirst && name === 're' ? [source, target] : [target, source];
    this.writer.move({ name, sources, target });
  }

  private channelOf(id: number): number {
    const { flat, typeOf } = this.plans;
    const operation = flat.operations[id];
    if (operation.kind !== 'send' && operation.kind !== 'receive') throw new Error(`operation ${id} has no channel`);
    const { rank, peer, channel } = operation;
    const [from, to] = operation.kind === 'send' ? [rank, peer] : [peer, rank];
    return this.resources.channel(from, to, channel, rank, typeOf(from, to));
  }
}

function stageRows(first: number, count: number): ChunkRow[] {
  return Array.from({ length: count }, (_, i) => ({ buffer: 'scratch', index: first + i, size: 1 }));
}

/** Writes operations into blocks, with a `nop` wherever the threads must meet. */
class BlockWriter {
  private readonly resources: Resources;
  private readonly flat: FlatPlan;
  private readonly rank: number;
  private readonly full: Instruction[][] = [];
  private block: Instruction[] = [];
  private channels = new Set<number>();
  /** Remote buffers that the block uses. */
  private remote = new Set<string>();
  /** The data movements since the last barrier of the thread block. */
  private moved: { readonly reads: readonly ChunkRow[]; readonly writes: readonly ChunkRow[] }[] = [];
  /** Whether a thread has waited since then. */
  private heard = false;
  /** Whether a thread other than the first has waited since then. */
  private heardByOthers = false;

  constructor(resources: Resources, flat: FlatPlan, rank: number) {
    this.resources = resources;
    this.flat = flat;
    this.rank = rank;
  }

  blocks(): Instruction[][] {
    return this.block.length === 0 ? this.full : [...this.full, this.block];
  }

  /** Continues in another block if this one has no room for so many more operations. */
  openFor(operations: number): void {
    const fits = this.channels.size < most.channels && this.remote.size < most.channels;
    if (fits && this.block.length + operations <= most.operations - 3) return;
    const link = this.resources.semaphore();
    this.release([link]);
    this.full.push(this.block);
    this.block = [];
    this.channels = new Set();
    this.remote = new Set();
    this.meetAnew();
    this.acquire([link]);
  }

  /** Writes a signal. All earlier data movement must be complete, so that a barrier of the thread block may be needed first. */
  tell(channel: number): void {
    this.room();
    if (this.moved.length > 0 || this.heardByOthers) this.meet();
    this.put({ name: 'signal', channel }, channel);
  }

  /** Writes a wait. The threads meet before the next data movement. */
  hear(channel: number): void {
    this.room();
    this.put({ name: 'wait', channel }, channel);
    this.heard = true;
  }

  acquire(semaphores: readonly number[]): void {
    for (let at = 0; at < semaphores.length; at += most.semaphores) {
      const some = semaphores.slice(at, at + most.semaphores);
      this.room();
      this.put({ name: 'sem_acquire', semaphores: some });
      this.heard = true;
      this.heardByOthers ||= some.length > 1;
    }
  }

  release(semaphores: readonly number[]): void {
    if (semaphores.length === 0) return;
    // Each semaphore is released by the thread with its position. All threads must meet first if any of them has moved data, or has waited in another
    // thread than the one that releases.
    if (this.moved.length > 0 || this.heardByOthers || (this.heard && semaphores.length > 1)) this.meet();
    for (let at = 0; at < semaphores.length; at += most.semaphores) {
      this.put({ name: 'sem_release', semaphores: semaphores.slice(at, at + most.semaphores) });
    }
  }

  /** Writes a data movement in which all threads take part. */
  move(instruction: LocalOperation | Put): void {
    this.room();
    const isPut = 'peer' in instruction;
    const access = { reads: instruction.sources, writes: isPut ? [] : [instruction.target] };
    if (this.heard || this.moved.some((earlier) => this.collide(earlier, access))) this.meet();
    this.put(instruction, isPut ? instruction.channel : undefined);
    if (isPut) this.reach(instruction);
    this.moved.push(access);
  }

  /** Writes a request of the first thread to a port channel. After the last request of a message that thread waits for completion. */
  handOver(instruction: Put, last: boolean): void {
    this.room();
    if (this.moved.length > 0 || this.heardByOthers) this.meet();
    this.put(instruction, instruction.channel);
    this.reach(instruction);
    if (last) this.heard = true;
  }

  private reach({ peer, target }: Put): void {
    this.remote.add(`${peer} ${target.buffer}`);
  }

  private room(): void {
    if (this.block.length > most.operations - 6) this.openFor(most.operations);
  }

  private put(instruction: Instruction, channel?: number): void {
    this.block.push(instruction);
    if (channel !== undefined) this.channels.add(channel);
  }

  private meet(): void {
    this.block.push({ name: 'nop' });
    this.meetAnew();
  }

  private meetAnew(): void {
    this.moved = [];
    this.heard = false;
    this.heardByOthers = false;
  }

  private collide(a: (typeof this.moved)[number], b: (typeof this.moved)[number]): boolean {
    const meet = (one: readonly ChunkRow[], other: readonly ChunkRow[]): boolean =>
      one.some((row) => other.some((against) => this.overlap(row, against)));
    return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes);
  }

  private overlap(a: ChunkRow, b: ChunkRow): boolean {
    const first = this.flat.cell(this.rank, a.buffer, a.index);
    const other = this.flat.cell(this.rank, b.buffer, b.index);
    return first < other + b.size && other < first + a.size;
  }
}
