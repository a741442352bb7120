/** The schedule of programs for chunks, in one packet of chunks or in several, one stage behind the other. */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import { joinPieces } from '../../passes/index.ts';
import type { ChunkOperation, ChunkProgram, Place } from './chunk-program.ts';

/** An operation on a chunk of the message, at its step. */
interface Placed {
  readonly step: number;
  readonly operation: ChunkOperation;
  readonly chunk: number;
}

/**
 * @param programs one for each chunk of a packet
 * @param target its chunks are a multiple of these: so many packets
 */
export function packedSchedule(programs: readonly ChunkProgram[], target: Collective, name: string): Schedule {
  const packets = target.chunks / programs.length;
  const parts = programs.reduce((most, program) => Math.max(most, program.parts), 0);
  const placed: Placed[] = [];
  for (let packet = 0; packet < packets; packet++) {
    for (const [index, { operations }] of programs.entries()) {
      const chunk = index * packets + packet;
      for (const operation of operations) {
        placed.push({ step: (operation.stage + packet) * parts + operation.part, operation, chunk });
      }
    }
  }
  placed.sort((a, b) => a.step - b.step);
  const slots = programs.reduce((most, { scratch }) => Math.max(most, scratch), 0);
  const writer = new StepWriter(target, slots, packets > 1);
  for (let first = 0; first < placed.length; ) {
    let end = first;
    while (end < placed.length && placed[end].step === placed[first].step) end++;
    writer.addStep(placed.slice(first, end));
    first = end;
  }
  const scratch = writer.used.reduce((most, used) => Math.max(most, used), 0);
  return { name, collective: target, scratch, commutative: false, ring: false, steps: writer.builder.build() };
}

/** Chunks get their places in scratch in the order in which they come, so that what is one message is one piece there. */
class StepWriter {
  readonly builder = new StepsBuilder();
  /** By rank: chunks of scratch. */
  readonly used: Int32Array;
  /** By rank, chunk and slot: the place in scratch; −1 of what has not come yet. */
  private readonly offsets: Int32Array;
  private readonly chunks: number;
  private readonly slots: number;
  private readonly inPackets: boolean;

  constructor({ ranks, chunks }: Collective, slots: number, inPackets: boolean) {
    this.used = new Int32Array(ranks);
    this.offsets = new Int32Array(ranks * chunks * slots).fill(-1);
    this.chunks = chunks;
    this.slots = slots;
    this.inPackets = inPackets;
  }

  /**
   * All that goes from one rank to another is one message, or one operation of a kind. In one packet, what belongs to a stage has channels
   * of its own: bulks then overlap, and nothing of the next waits for the end of this one.
   */
  addStep(placed: readonly Placed[]): void {
    const together = new Map<string, Placed[]>();
    const channelOf = ({ source, destination, stage }: ChunkOperation) =>
      this.inPackets && source !== destination ? 0 : stage - 1;
    for (const one of placed) {
      const { source, destination, kind, order } = one.operation;
      const key = `${source} ${destination} ${kind} ${order} ${channelOf(one.operation)}`;
      const group = together.get(key);
      if (group === undefined) together.set(key, [one]);
      else group.push(one);
    }
    for (const group of together.values()) {
      const { operation } = group[0];
      const { source, destination, kind, order } = operation;
      const ends = { source, destination, channel: channelOf(operation), origin: undefined } as const;
      const pieces = group.map(({ operation, chunk }) => this.pieceOf(operation, chunk));
      this.builder.add({ kind, order, ...ends, pieces: joinPieces(pieces) });
    }
    this.builder.endStep();
  }

  private pieceOf({ source, destination, from, to }: ChunkOperation, chunk: number): Piece {
    const [fromOffset, toOffset] = [this.offset(source, from, chunk), this.offset(destination, to, chunk)];
    return { from: from.buffer, fromOffset, to: to.buffer, toOffset, count: 1 };
  }

  private offset(rank: number, { buffer, slot }: Place, chunk: number): number {
    if (buffer !== 'scratch') return chunk;
    const at = (rank * this.chunks + chunk) * this.slots + slot;
    if (this.offsets[at] < 0) this.offsets[at] = this.used[rank]++;
    return this.offsets[at];
  }
}
