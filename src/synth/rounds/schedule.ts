/** Turns columns with their chunks into the schedule of the collective: one message per arc and round. */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import { joinPieces, withCounts } from '../../passes/index.ts';
import { assembleSchedule } from '../derive.ts';
import { alltoallSchedule, type Parcel } from '../list/routed/schedule.ts';
import type { Commodity, RoundsProblem } from './problem.ts';
import { neighbours, type Rounded } from './rounding.ts';

export function roundsSchedule(
  name: string,
  { counts, ...collective }: Collective,
  problem: RoundsProblem,
  made: Rounded,
): Schedule {
  const target = { ...collective, chunks: made.chunks };
  const inRounds = (own: Collective): Schedule =>
    own.kind === 'alltoall' ? alltoall(name, own, problem, made) : inPlace(name, own, problem, made);
  const { reversed } = problem;
  const schedule =
    reversed === undefined
      ? inRounds(target)
      : assembleSchedule(target, { name: '', parts: [{ kind: reversed, reversed: true }] }, inRounds);
  return counts === undefined ? schedule : withCounts(schedule, counts);
}

const usual = { channel: 0, order: 'held-first', origin: undefined } as const;

/** The pieces of a message. */
interface Message {
  readonly reduced: readonly Piece[];
  readonly copied: readonly Piece[];
}

/**
 * The schedule of a collective whose data keeps its place in the `data` buffer. A message with both reduced and copied
 * pieces stays one message, to cost one latency: it is received in scratch, and local operations in a step of their own
 * put its pieces in place.
 */
function inPlace(name: string, collective: Collective, problem: RoundsProblem, made: Rounded): Schedule {
  const { ranks, arcs } = problem.network;
  const messages = messagesOf(collective, problem, made.parts);
  const builder = new StepsBuilder();
  const send = (source: number, destination: number, { reduced, copied }: Message): void => {
    for (const [kind, pieces] of [
      ['reduce', reduced],
      ['copy', copied],
    ] as const) {
      if (pieces.length > 0) builder.add({ ...usual, kind, source, destination, pieces });
    }
  };
  let scratch = 0;
  for (let round = 0; round < problem.rounds; round++) {
    const staged = new Int32Array(ranks);
    const local: (readonly [rank: number, onwards: Message])[] = [];
    for (const [way, { from, to }] of arcs.entries()) {
      const { reduced, copied } = messages[round * arcs.length + way];
      if (reduced.length === 0 || copied.length === 0) {
        send(from, to, { reduced, copied });
        continue;
      }
      const landing = [...reduced, ...copied].map((piece) => {
        const place = staged[to];
        staged[to] += piece.count;
        return {
          there: { ...piece, to: 'scratch', toOffset: place },
          onwards: { ...piece, from: 'scratch', fromOffset: place },
        } as const;
      });
      send(from, to, { reduced: [], copied: landing.map(({ there }) => there) });
      const onwards = landing.map((piece) => piece.onwards);
      local.push([to, { reduced: onwards.slice(0, reduced.length), copied: onwards.slice(reduced.length) }]);
    }
    builder.endStep();
    for (const [rank, onwards] of local) send(rank, rank, onwards);
    builder.endStep();
    scratch = Math.max(scratch, ...staged);
  }
  const commutative = messages.some(({ reduced }) => reduced.length > 0);
  return { name, collective, scratch, commutative, ring: false, steps: builder.build() };
}

/**
 * The pieces on each arc in each round. The shares of each commodity lie side by side, from the start of its shard on.
 */
function messagesOf(
  { kind, chunks }: Collective,
  { network, rounds, commodities, reversed }: RoundsProblem,
  parts: Rounded['parts'],
): Message[] {
  const ways = network.arcs.length;
  const messages = Array.from({ length: rounds * ways }, () => ({ reduced: [] as Piece[], copied: [] as Piece[] }));
  for (const [index, commodity] of commodities.entries()) {
    let first = collectiveFacts[kind].sharded ? shardOf(commodity) * chunks : 0;
    for (const { column, count } of neighbours(parts[index])) {
      // Reversed schedules reduce everywhere.
      const turn = reversed === undefined ? column.turn : 0;
      for (const hop of column.hops) {
        const { reduced, copied } = messages[hop];
        (hop < turn * ways ? reduced : copied).push({
          from: 'data',
          fromOffset: first,
          to: 'data',
          toOffset: first,
          count,
        });
      }
      first += count;
    }
  }
  return messages.map(({ reduced, copied }) => ({ reduced: joinPieces(reduced), copied: joinPieces(copied) }));
}

/** Data for all ranks is the source's shard; data from the root for one rank is that rank's shard. */
function shardOf({ source = 0, targets }: Commodity): number {
  return targets.length === 1 ? targets[0] : source;
}

/** Every chunk of an alltoall is a parcel on its own path; at intermediate ranks it lies in scratch. */
function alltoall(
  name: string,
  collective: Collective,
  { network, rounds, commodities }: RoundsProblem,
  { chunks, parts }: Rounded,
): Schedule {
  const ways = network.arcs.length;
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
  const messages = Array.from({ length: rounds }, (_, round) =>
    network.arcs
      .map((_arc, route) => ({ route, items: carried[round * ways + route] }))
      .filter(({ items }) => items.length > 0),
  );
  return alltoallSchedule(name, collective, network, { parcels, paths, steps: messages });
}
