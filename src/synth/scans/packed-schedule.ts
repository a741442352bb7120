/** The schedule of a packing: every scheme for its chunks, in one packet of chunks or in several, one stage behind the other. */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder } from '../../ir/schedule.ts';
import { joinPieces } from '../../passes/index.ts';
import type { ChunkOperation, ChunkProgram, Place } from './chunk-program.ts';

/** An operation on a chunk of the message, at its step. */
interface Placed {
  readonly step: number;
  readonly operation: ChunkOperation;
  readonly piece: Piece;
}

/**
 * @param programs one for each chunk of a packet
 * @param target its chunks are a multiple of these: so many packets
 */
export function packedSchedule(programs: readonly ChunkProgram[], target: Collective, name: string): Schedule {
  const packets = target.chunks / programs.length;
  const parts = programs.reduce((most, program) => Math.max(most, program.parts), 0);
  const placed: Placed[] = [];
  let scratch = 0;
  for (let packet = 0; packet < packets; packet++) {
    for (const [index, program] of programs.entries()) {
      const chunk = index * packets + packet;
      for (const operation of program.operations) {
        const step = (operation.stage + packet) * parts + operation.part;
        placed.push({ step, operation, piece: pieceOf(operation, chunk, scratch) });
      }
      scratch += program.scratch;
    }
  }
  placed.sort((a, b) => a.step - b.step);
  const builder = new StepsBuilder();
  for (let first = 0; first < placed.length; ) {
    let end = first;
    while (end < placed.length && placed[end].step === placed[first].step) end++;
    addStep(builder, placed.slice(first, end), packets > 1);
    first = end;
  }
  return { name, collective: target, scratch, commutative: false, ring: false, steps: builder.build() };
}

function pieceOf({ from, to }: ChunkOperation, chunk: number, scratch: number): Piece {
  const at = ({ buffer, slot }: Place): readonly [ScheduleBuffer, number] =>
    buffer === 'scratch' ? [buffer, scratch + slot] : [buffer, chunk];
  const [[fromBuffer, fromOffset], [toBuffer, toOffset]] = [at(from), at(to)];
  return { from: fromBuffer, fromOffset, to: toBuffer, toOffset, count: 1 };
}

/**
 * All that goes from one rank to another is one message, or one operation of a kind. In one packet, what belongs to a stage has channels
 * of its own: bulks then overlap, and nothing of the next waits for the end of this one.
 */
function addStep(builder: StepsBuilder, placed: readonly Placed[], inPackets: boolean): void {
  const together = new Map<string, { readonly operation: ChunkOperation; readonly pieces: Piece[] }>();
  const channelOf = ({ source, destination, stage }: ChunkOperation) =>
    inPackets && source !== destination ? 0 : stage - 1;
  for (const { operation, piece } of placed) {
    const { source, destination, kind, order } = operation;
    const key = `${source} ${destination} ${kind} ${order} ${channelOf(operation)}`;
    const group = together.get(key) ?? { operation, pieces: [] };
    group.pieces.push(piece);
    together.set(key, group);
  }
  for (const { operation, pieces } of together.values()) {
    const { source, destination, kind, order } = operation;
    const ends = { source, destination, channel: channelOf(operation), origin: undefined } as const;
    builder.add({ kind, order, ...ends, pieces: joinPieces(pieces) });
  }
  builder.endStep();
}
