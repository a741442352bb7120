/** The schedule of programs for chunks, in one packet of chunks or in several, one stage behind the other. */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import { joinPieces } from '../../passes/index.ts';
import type { ChunkOperation, ChunkProgram, Place } from './chunk-program.ts';

/** An operation on a chunk of the message, and the stage in which it comes behind those of earlier packets. */
interface Placed {
  readonly stage: number;
  readonly operation: ChunkOperation;
  readonly chunk: number;
}

/**
 * @param programs one for each chunk of a packet
 * @param target its chunks are a multiple of these: so many packets
 * @param isDense ranks have their chunks of scratch side by side, where each has others; else a chunk is at the same place everywhere, so that its size may be
 */
export function packedSchedule(
  programs: readonly ChunkProgram[],
  target: Collective,
  name: string,
  isDense = false,
): Schedule {
  const packets = target.chunks / programs.length;
  const placed: Placed[] = [];
  for (let packet = 0; packet < packets; packet++) {
    for (const [index, { operations }] of programs.entries()) {
      const chunk = index * packets + packet;
      for (const operation of operations) placed.push({ stage: operation.stage + packet, operation, chunk });
    }
  }
  const byStep = (a: Placed, b: Placed) => a.stage - b.stage || Math.sign(a.operation.part - b.operation.part) || 0;
  placed.sort(byStep);
  const slots = Math.max(...programs.map(({ scratch }) => scratch));
  const writer = new StepWriter(target, slots, packets > 1, isDense);
  for (let first = 0; first < placed.length; ) {
    let end = first;
    while (end < placed.length && byStep(placed[first], placed[end]) === 0) end++;
    writer.addStep(placed.slice(first, end));
    first = end;
  }
  const scratch = Math.max(...writer.used);
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
  private readonly isDense: boolean;

  constructor({ ranks, chunks }: Collective, slots: number, inPackets: boolean, isDense: boolean) {
    this.isDense = isDense;
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
    const together = new Map<string, { readonly transfer: Omit<Transfer, 'pieces'>; readonly pieces: Piece[] }>();
    for (const { operation, chunk } of placed) {
      const { source, destination, kind, order, stage } = operation;
      const channel = this.inPackets && source !== destination ? 0 : stage - 1;
      const key = `${source} ${destination} ${kind} ${order} ${channel}`;
      const transfer = { kind, source, destination, channel, order, origin: undefined };
      const group = together.get(key) ?? { transfer, pieces: [] as Piece[] };
      group.pieces.push(this.pieceOf(operation, chunk));
      together.set(key, group);
    }
    for (const { transfer, pieces } of together.values()) this.builder.add({ ...transfer, pieces: joinPieces(pieces) });
    this.builder.endStep();
  }

  private pieceOf({ source, destination, from, to }: ChunkOperation, chunk: number): Piece {
    const [fromOffset, toOffset] = [this.offset(source, from, chunk), this.offset(destination, to, chunk)];
    return { from: from.buffer, fromOffset, to: to.buffer, toOffset, count: 1 };
  }

  private offset(rank: number, { buffer, slot }: Place, chunk: number): number {
    if (buffer !== 'scratch') return chunk;
    const row = this.isDense ? rank : 0;
    const at = (row * this.chunks + chunk) * this.slots + slot;
    if (this.offsets[at] < 0) this.offsets[at] = this.used[row]++;
    return this.offsets[at];
  }
}
