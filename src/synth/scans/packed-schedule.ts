/** The schedule of programs for chunks, in one packet of chunks or in several, one stage behind the other. */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import { joinPieces } from '../../passes/index.ts';
import type { ChunkOperation, ChunkProgram, ScanChunk } from './chunk-program.ts';

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
 * All that goes from one rank to another is one message, or one operation of a kind. In one packet, what belongs to a stage has channels
 * of its own: bulks then overlap, and nothing of the next waits for the end of this one.
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

/** Chunks get their places in scratch in the order in which they come, so that what is one message is one piece there. */
class Offsets {
  /** By rank: chunks of scratch. */
  readonly used: Int32Array;
  /** By rank, chunk and slot: the place in scratch; −1 of what has not come yet. */
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
