/** Parts with columns as a schedule: one message on each way in each round. */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import { joinPieces } from '../../passes/index.ts';
import type { RoundsProblem } from './problem.ts';
import type { Part } from './rounding.ts';

/** A part with its place in the data buffer, which is the same on all ranks. */
export interface PlacedPart extends Part {
  readonly first: number;
}

const usual = { channel: 0, order: 'held-first', origin: undefined } as const;

/**
 * The schedule of a collective whose data keeps its place in the `data` buffer on its way.
 *
 * A message with pieces that are reduced and others that are copied stays one message, which costs one latency: it arrives in scratch and
 * is put in place by local operations in a step of their own.
 */
export function scheduleInRounds(
  name: string,
  collective: Collective,
  { network, rounds }: RoundsProblem,
  parts: readonly PlacedPart[],
): Schedule {
  const ways = network.from.length;
  const builder = new StepsBuilder();
  let scratch = 0;
  for (let round = 0; round < rounds; round++) {
    const staged = new Int32Array(network.ranks);
    const local: { readonly rank: number; readonly reduced: Piece[]; readonly copied: Piece[] }[] = [];
    for (let way = 0; way < ways; way++) {
      const [source, destination] = [network.from[way], network.to[way]];
      const message = messageOf(parts, round * ways + way, round);
      const isMixed = message.copied.length > 0 && message.reduced.length > 0;
      if (isMixed) {
        const landed = landing([...message.reduced, ...message.copied], staged[destination]);
        staged[destination] = landed.end;
        builder.add({ ...usual, kind: 'copy', source, destination, pieces: landed.there });
        const reduced = landed.onwards.slice(0, message.reduced.length);
        local.push({ rank: destination, reduced, copied: landed.onwards.slice(message.reduced.length) });
      } else if (message.reduced.length > 0) {
        builder.add({ ...usual, kind: 'reduce', source, destination, pieces: message.reduced });
      } else if (message.copied.length > 0) {
        builder.add({ ...usual, kind: 'copy', source, destination, pieces: message.copied });
      }
    }
    builder.endStep();
    for (const { rank, reduced, copied } of local) {
      builder.add({ ...usual, kind: 'reduce', source: rank, destination: rank, pieces: reduced });
      builder.add({ ...usual, kind: 'copy', source: rank, destination: rank, pieces: copied });
    }
    builder.endStep();
    scratch = Math.max(scratch, ...staged);
  }
  const commutative = parts.some(({ column }) => column.turn > 0);
  return { name, collective, scratch, commutative, ring: false, steps: builder.build() };
}

/** What goes over a way in a round. */
function messageOf(
  parts: readonly PlacedPart[],
  hop: number,
  round: number,
): { readonly reduced: Piece[]; readonly copied: Piece[] } {
  const [reduced, copied]: [Piece[], Piece[]] = [[], []];
  for (const { column, first, count } of parts) {
    if (!column.hops.includes(hop)) continue;
    const piece: Piece = { from: 'data', fromOffset: first, to: 'data', toOffset: first, count };
    if (round < column.turn) reduced.push(piece);
    else copied.push(piece);
  }
  return { reduced: joinPieces(reduced), copied: joinPieces(copied) };
}

/** Pieces that land in scratch one behind the other, and those that take them from there to where they belong. */
function landing(
  pieces: readonly Piece[],
  start: number,
): { readonly there: Piece[]; readonly onwards: Piece[]; readonly end: number } {
  const [there, onwards]: [Piece[], Piece[]] = [[], []];
  let end = start;
  for (const piece of pieces) {
    there.push({ ...piece, to: 'scratch', toOffset: end });
    onwards.push({ ...piece, from: 'scratch', fromOffset: end });
    end += piece.count;
  }
  return { there, onwards, end };
}
