/** Builds a schedule from programs of chunks: in one packet, or in several that follow each other one stage apart (software pipelining). */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import { joinPieces } from '../../passes/index.ts';
import type { ChunkOperation, ChunkProgram, ScanChunk } from './chunk-program.ts';

/** An operation on a chunk, and its stage, delayed by one for each earlier packet. */
interface Placed {
  readonly stage: number;
  readonly operation: ChunkOperation;
  readonly chunk: number;
}

/**
 * Builds the schedule.
 * @param programs one for each chunk of a packet
 * @param target its number of chunks is a multiple of the number of programs; the quotient is the number of packets
 * @param isDense each rank packs its own scratch chunks densely, for programs in which ranks need different ones; otherwise a chunk has the
 * same scratch slot on every rank, so that its size is the same everywhere too
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
  const offsets = new Offsets(target, Math.max(...programs.map(({ scratch }) => scratch)), isDense);
  const builder = new StepsBuilder();
  for (let first = 0; first < placed.length; ) {
    let end = first;
    while (end < placed.length && byStep(placed[first], placed[end]) === 0) end++;
    addStep(builder, placed.slice(first, end), packets > 1, offsets);
    first = end;
  }
  const scratch = Math.max(...offsets.used);
  return { name, collective: target, scratch, commutative: false, ring: false, steps: builder.build() };
}

/**
 * Adds one step; all pieces between the same two ranks become one message (or one local operation per kind). With a single packet every
 * stage has its own channel, so that bulks overlap and a message does not wait for the previous stage of another bulk.
 */
function addStep(builder: StepsBuilder, placed: readonly Placed[], inPackets: boolean, offsets: Offsets): void {
  const together = new Map<string, { readonly transfer: Omit<Transfer, 'pieces'>; readonly pieces: Piece[] }>();
  for (const { operation, chunk } of placed) {
    const { source, destination, kind, order, stage, from, to } = operation;
    const channel = inPackets && source !== destination ? 0 : stage - 1;
    const key = `${source} ${destination} ${kind} ${order} ${channel}`;
    const transfer = { kind, source, destination, channel, order, origin: undefined };
    const group = together.get(key) ?? { transfer, pieces: [] as Piece[] };
    const [fromOffset, toOffset] = [offsets.of(source, from, chunk), offsets.of(destination, to, chunk)];
    group.pieces.push({ from: from.buffer, fromOffset, to: to.buffer, toOffset, count: 1 });
    together.set(key, group);
  }
  for (const { transfer, pieces } of together.values()) builder.add({ ...transfer, pieces: joinPieces(pieces) });
  builder.endStep();
}

/** Allocates scratch in order of first use, so that the chunks of one message form one piece there. */
class Offsets {
  /** By rank: chunks of scratch. */
  readonly used: Int32Array;
  /** By rank, chunk and slot: the scratch offset; −1 while unallocated. */
  private readonly offsets: Int32Array;
  private readonly chunks: number;
  private readonly slots: number;
  private readonly isDense: boolean;

  constructor({ ranks, chunks }: Collective, slots: number, isDense: boolean) {
    this.used = new Int32Array(ranks);
    this.offsets = new Int32Array(ranks * chunks * slots).fill(-1);
    this.chunks = chunks;
    this.slots = slots;
    this.isDense = isDense;
  }

  of(rank: number, { buffer, slot }: ScanChunk, chunk: number): number {
    if (buffer !== 'scratch') return chunk;
    const row = this.isDense ? rank : 0;
    const at = (row * this.chunks + chunk) * this.slots + slot;
    if (this.offsets[at] < 0) this.offsets[at] = this.used[row]++;
    return this.offsets[at];
  }
}
