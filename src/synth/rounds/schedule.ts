/** Parts with columns as the schedule of what was asked for: one message on each way in each round. */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import { joinPieces, withCounts } from '../../passes/index.ts';
import { assemble } from '../derive.ts';
import { alltoallSchedule, type Parcel } from '../list/routed/schedule.ts';
import type { Commodity, RoundsProblem } from './problem.ts';
import { neighbours, type Part, type Rounded } from './rounding.ts';

export function scheduleOf(
  name: string,
  { counts, ...collective }: Collective,
  problem: RoundsProblem,
  made: Rounded,
): Schedule {
  const target = { ...collective, chunks: made.chunks };
  const inRounds = (own: Collective): Schedule =>
    own.kind === 'alltoall' ? alltoall(name, own, problem, made) : inPlace(name, own, problem, made);
  const { turned } = problem;
  const schedule =
    turned === undefined
      ? inRounds(target)
      : assemble(target, { name: '', parts: [{ kind: turned, reversed: true }] }, inRounds);
  return counts === undefined ? schedule : withCounts(schedule, counts);
}

/** A part with its place in the data buffer, which is the same on all ranks. */
interface PlacedPart extends Part {
  readonly first: number;
}

const usual = { channel: 0, order: 'held-first', origin: undefined } as const;

/**
 * The schedule of a collective whose data keeps its place in the `data` buffer on its way.
 *
 * A message with pieces that are reduced and others that are copied stays one message, which costs one latency: it arrives in scratch and
 * is put in place by local operations in a step of their own.
 */
function inPlace(name: string, collective: Collective, problem: RoundsProblem, made: Rounded): Schedule {
  const { network, rounds } = problem;
  const parts = placed(collective, problem, made.parts);
  const builder = new StepsBuilder();
  let scratch = 0;
  for (let round = 0; round < rounds; round++) {
    const staged = new Int32Array(network.ranks);
    const local: { readonly rank: number; readonly reduced: Piece[]; readonly copied: Piece[] }[] = [];
    for (const [way, source] of network.from.entries()) {
      const destination = network.to[way];
      const { reduced, copied } = messageOf(parts, round * network.from.length + way, round);
      if (reduced.length > 0 && copied.length > 0) {
        const landed = landing([...reduced, ...copied], staged[destination]);
        staged[destination] = landed.end;
        builder.add({ ...usual, kind: 'copy', source, destination, pieces: landed.there });
        const [toReduce, toCopy] = [landed.onwards.slice(0, reduced.length), landed.onwards.slice(reduced.length)];
        local.push({ rank: destination, reduced: toReduce, copied: toCopy });
      } else if (reduced.length > 0) builder.add({ ...usual, kind: 'reduce', source, destination, pieces: reduced });
      else if (copied.length > 0) builder.add({ ...usual, kind: 'copy', source, destination, pieces: copied });
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

/** The parts of each commodity side by side, from where its shard begins. */
function placed({ kind, chunks }: Collective, { commodities }: RoundsProblem, parts: Rounded['parts']): PlacedPart[] {
  return commodities.flatMap((commodity, c) => {
    let first = collectiveFacts[kind].sharded ? shardOf(commodity) * chunks : 0;
    return neighbours(parts[c]).map((part) => {
      const place = { ...part, first };
      first += part.count;
      return place;
    });
  });
}

/** What a rank gives to all is its own shard, what the root gives to one is that one's. */
function shardOf({ source = 0, targets }: Commodity): number {
  return targets.length === 1 ? targets[0] : source;
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

/** Every chunk of an alltoall is a parcel on a path of its own; what lies on its way at other ranks lies in their scratch. */
function alltoall(
  name: string,
  collective: Collective,
  { network, rounds, commodities }: RoundsProblem,
  { chunks, parts }: Rounded,
): Schedule {
  const ways = network.from.length;
  const parcels: Parcel[] = [];
  const paths: number[][] = [];
  const carried = Array.from({ length: rounds * ways }, (): number[] => []);
  commodities.forEach(({ source = 0, targets: [destination] }, commodity) => {
    const from = parcels.length;
    for (const { column, count } of neighbours(parts[commodity])) {
      for (let chunk = 0; chunk < count; chunk++) {
        for (const hop of column.hops) carried[hop].push(parcels.length);
        parcels.push({ source, destination, weight: 1, part: parcels.length - from, parts: chunks });
        paths.push(column.hops.map((hop) => hop % ways));
      }
    }
  });
  const arcs = Array.from(network.from, (from, way) => ({ from, to: network.to[way], channel: 0 }));
  const messages = Array.from({ length: rounds }, (_, round) =>
    arcs
      .map((_arc, arc) => ({ arc, parcels: carried[round * ways + arc] }))
      .filter(({ parcels: inside }) => inside.length > 0),
  );
  return alltoallSchedule(name, collective, { arcs, ranks: network.ranks }, { parcels, paths, rounds: messages });
}
