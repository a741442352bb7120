/**
 * Lowers the reversed in-tree of an allgather: a reducescatter. The tree is one of the transposed machine. Where a
 * chunk of shard z arrived at rank 0 with rank p as its previous stop, rank 0 now sends its partial sum of it to p. The
 * farthest layers go first. A message is packed from the rank's own chunks, and received contributions are added there;
 * chunks adjacent in one message are adjacent in the next, so few operations add much at a time. Own chunks to which
 * nothing is added are sent as they are if they are one slice. In place, a message of one slice is accumulated where
 * its chunks are in the input.
 */
import type { Generator } from '../../ir/compact.ts';
import { none } from '../../ir/none.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import type { MessageBuffers, ReceivedMessage } from './message-buffers.ts';
import { type CodedChunk, inInput, inOutput, inScratch } from './program.ts';
import type { TreeRows } from './rows.ts';

/** A received message, and the rows of the tree that it consists of. */
interface Incoming extends ReceivedMessage {
  readonly first: number;
  readonly end: number;
}

export class Reducing {
  private readonly rows: TreeRows;
  private readonly messages: MessageBuffers;
  private readonly generators: readonly Generator[];
  private readonly inPlace: boolean;
  /** By row: the slot, named from rank 0's view, to which the received chunk is added. */
  private readonly landsFor: Int32Array;
  /**
   * By slot: the generator of the message with which it leaves (`none` for the rank's own shard, which stays), its
   * position in the message, and 1 if something is added to it.
   */
  private readonly leavesBy: Int8Array;
  private readonly position: Int32Array;
  private readonly gathers: Uint8Array;

  constructor(
    rows: TreeRows,
    messages: MessageBuffers,
    group: TranslationGroup,
    generators: readonly Generator[],
    inPlace: boolean,
  ) {
    this.rows = rows;
    this.messages = messages;
    this.generators = generators;
    this.inPlace = inPlace;
    this.landsFor = rows.slotsAcross(generators.map(({ offset }) => group.translation(group.negate(offset))));
    const slots = group.order * rows.chunks;
    this.leavesBy = new Int8Array(slots).fill(none);
    this.position = new Int32Array(slots);
    this.gathers = new Uint8Array(slots);
    for (let slot = 0; slot < rows.chunks; slot++) this.position[slot] = slot;
    this.placeRows();
  }

  private placeRows(): void {
    const { rows } = this;
    for (let step = 0; step < rows.tree.stepCount; step++) {
      this.generators.forEach((_, g) => {
        const [first, end] = rows.message(step, g);
        for (let row = first; row < end; row++) {
          const slot = rows.slot(row, (shard) => shard);
          this.leavesBy[slot] = g;
          this.position[slot] = row - first;
          this.gathers[this.landsFor[row]] = 1;
        }
      });
    }
  }

  /** Writes all steps; returns the last operation on the rank's own shard, whose result is then in the output. */
  run(): number {
    const { stepCount } = this.rows.tree;
    let incoming: readonly Incoming[] = [];
    for (let layer = stepCount - 1; layer >= 0; layer--) {
      const step = stepCount - layer;
      for (let g = 0; g < this.generators.length; g++) this.send(layer, step, g, incoming);
      incoming = this.generators.flatMap((_, g) => this.receive(layer, step, g));
    }
    return this.finish(stepCount, incoming);
  }

  private receive(layer: number, step: number, g: number): readonly Incoming[] {
    const [first, end] = this.rows.message(layer, g);
    return first === end ? [] : [{ ...this.messages.land(g, step, end - first), first, end }];
  }

  private send(layer: number, step: number, g: number, incoming: readonly Incoming[]): void {
    const { rows, messages } = this;
    const { program } = messages;
    const [first, end] = rows.message(layer, g);
    if (first === end) return;
    const lane = messages.sendLanes[g];
    const peer = this.generators[g].offset;
    const slot = rows.slot(first, (shard) => shard);
    const isSlice = rows.sliceEnd(first, end) === end;
    if (isSlice && (this.inPlace || !this.gathersAny(first, end))) {
      this.add(incoming, { lane, step, generator: g, place: inInput(slot) });
      program.send(lane, step, peer, inInput(slot), end - first);
      return;
    }
    const offset = messages.packAt[g];
    for (let row = first; row < end; ) {
      const next = rows.sliceEnd(row, end);
      const from = rows.slot(row, (shard) => shard);
      program.copy(lane, step, inInput(from), inScratch(offset + row - first), next - row);
      row = next;
    }
    this.add(incoming, { lane, step, generator: g, place: inScratch(offset) });
    program.send(lane, step, peer, inScratch(offset), end - first);
  }

  private gathersAny(first: number, end: number): boolean {
    for (let row = first; row < end; row++) {
      if (this.gathers[this.rows.slot(row, (shard) => shard)] === 1) return true;
    }
    return false;
  }

  private finish(step: number, incoming: readonly Incoming[]): number {
    const { messages, rows } = this;
    const lane = messages.ownLane;
    const copy = this.inPlace ? -1 : messages.program.copy(lane, step, inInput(0), inOutput(0), rows.chunks);
    const last = this.add(incoming, { lane, step, generator: none, place: inOutput(0) });
    return last < 0 ? copy : last;
  }

  /**
   * Adds received chunks to those that leave by a generator, run by run. Returns the last operation, −1 if there is
   * none.
   */
  private add(
    incoming: readonly Incoming[],
    to: {
      readonly lane: number;
      readonly step: number;
      readonly generator: number;
      readonly place: CodedChunk;
    },
  ): number {
    const { messages, leavesBy, position, landsFor } = this;
    let last = -1;
    for (const message of incoming) {
      let isFirst = true;
      for (let row = message.first; row < message.end; ) {
        const slot = landsFor[row];
        let next = row + 1;
        if (leavesBy[slot] === to.generator) {
          for (; next < message.end; next++) {
            const at = landsFor[next];
            if (leavesBy[at] !== to.generator || position[at] !== position[slot] + next - row) break;
          }
          const from = message.offset + row - message.first;
          const target = { buffer: to.place.buffer, offset: to.place.offset + position[slot] };
          last = messages.program.reduce(to.lane, to.step, inScratch(from), target, next - row);
          if (isFirst) messages.program.wait(last, message.operation);
          messages.noteReader(message, to.lane, last);
          isFirst = false;
        }
        row = next;
      }
    }
    return last;
  }
}
