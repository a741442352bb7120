/** Turns routed parcels into a schedule: decides where each parcel is stored at intermediate ranks, and emits the messages. */
import type { Collective } from '../../../ir/collective.ts';
import { none } from '../../../ir/none.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../../ir/schedule.ts';
import { joinPieces } from '../../../passes/index.ts';
import type { Arc } from '../../arcs.ts';
import type { AttemptMessage } from '../events/loop.ts';
import type { RoutedDemand } from './paths.ts';
import { TransitSlots } from './transit-slots.ts';

/** One of the equal parts of the data that one rank sends to another. */
export interface Parcel extends RoutedDemand {
  /** The index of the part, and the number of parts. */
  readonly part: number;
  readonly parts: number;
}

/** Parcels with their paths and the messages that carry them. */
export interface RoutedParcels {
  readonly parcels: readonly Parcel[];
  /** The arcs of each parcel's path. */
  readonly paths: readonly (readonly number[])[];
  /** Messages of parcels, step by step. */
  readonly steps: readonly (readonly AttemptMessage[])[];
}

/** The part of the route table that schedules need. */
interface Ends {
  readonly arcs: readonly Pick<Arc, 'from' | 'to' | 'channel'>[];
  readonly ranks: number;
}

/** The schedule of a scatter: an intermediate rank stores a parcel at the parcel's own place in the data buffer. */
export function scatterSchedule(name: string, collective: Collective, network: Ends, routed: RoutedParcels): Schedule {
  const { parcels } = routed;
  const { first, width } = partsOf(parcels, collective.chunks);
  const piece = (parcel: number): Piece => {
    const offset = parcels[parcel].destination * collective.chunks + first[parcel];
    return { from: 'data', fromOffset: offset, to: 'data', toOffset: offset, count: width[parcel] };
  };
  const steps = new StepsBuilder();
  for (const messages of routed.steps) {
    for (const { route, items } of messages) {
      const sorted = items.filter((parcel) => width[parcel] > 0).sort((a, b) => a - b);
      // The receiver's own shard lies in its output buffer, so it is a piece of its own.
      const isOwn = (parcel: number) => parcels[parcel].destination === network.arcs[route].to;
      const parts = [sorted.filter(isOwn), sorted.filter((parcel) => !isOwn(parcel))];
      send(
        steps,
        network.arcs[route],
        parts.flatMap((part) => joinPieces(part.map(piece))),
      );
    }
    steps.endStep();
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: steps.build() };
}

/**
 * The schedule of an alltoall. The first hop reads the `input` buffer, since arriving data may already have overwritten the same place of
 * the data buffer. Intermediate ranks store parcels in scratch, adjacent in order of arrival, so that they need copying only if parcels
 * that leave together did not arrive together.
 */
export function alltoallSchedule(name: string, collective: Collective, network: Ends, routed: RoutedParcels): Schedule {
  const { arcs, ranks } = network;
  const { parcels, paths } = routed;
  const { chunks } = collective;
  const { first, width } = partsOf(parcels, chunks);
  const slots = Array.from({ length: ranks }, () => new TransitSlots());
  const place = new Int32Array(parcels.length).fill(none);
  const hop = new Int32Array(parcels.length);
  const isLast = (parcel: number): boolean => hop[parcel] + 1 === paths[parcel].length;
  const steps = new StepsBuilder();
  for (const messages of routed.steps) {
    for (const { route, items } of messages) {
      for (const parcel of items) if (place[parcel] >= 0) slots[arcs[route].from].release(place[parcel], width[parcel]);
    }
    for (const { route, items } of messages) {
      const sorted = items.filter((parcel) => width[parcel] > 0).sort((a, b) => a - b);
      const staying = sorted.reduce((sum, parcel) => (isLast(parcel) ? sum : sum + width[parcel]), 0);
      let transit = slots[arcs[route].to].take(staying);
      const pieces = sorted.map((parcel): Piece => {
        const { source, destination } = parcels[parcel];
        const [from, to] = [place[parcel], isLast(parcel) ? none : transit];
        if (to !== none) transit += width[parcel];
        place[parcel] = to;
        hop[parcel]++;
        return {
          from: from === none ? 'input' : 'scratch',
          fromOffset: from === none ? destination * chunks + first[parcel] : from,
          to: to === none ? 'data' : 'scratch',
          toOffset: to === none ? source * chunks + first[parcel] : to,
          count: width[parcel],
        };
      });
      send(steps, arcs[route], joinPieces(pieces));
    }
    steps.endStep();
  }
  const scratch = slots.reduce((most, { size }) => Math.max(most, size), 0);
  return { name, collective, scratch, commutative: false, ring: false, steps: steps.build() };
}

function send(steps: StepsBuilder, { from, to, channel }: Ends['arcs'][number], pieces: readonly Piece[]): void {
  if (pieces.length === 0) return;
  const move = { kind: 'copy', order: 'held-first', origin: undefined } as const;
  steps.add({ ...move, source: from, destination: to, channel, pieces });
}

/** The first chunk of each parcel within its shard, and its number of chunks: equal parts, up to rounding. */
function partsOf(parcels: readonly Parcel[], chunks: number) {
  const first = Int32Array.from(parcels, ({ part, parts }) => Math.round((chunks * part) / parts));
  const width = Int32Array.from(parcels, ({ part, parts }, i) => Math.round((chunks * (part + 1)) / parts) - first[i]);
  return { first, width };
}
