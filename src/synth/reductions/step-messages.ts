/** What goes in one step, and what fills it up so that all ranks are done with it at the same time. */
import type { Piece, Transfer } from '../../ir/schedule.ts';
import { chunksOf } from './step-room.ts';

/** Where padding is in the scratch of every rank: what is sent, where it comes to, and what local reductions go to. */
export interface Places {
  readonly sent: number;
  readonly received: number;
  readonly reduced: number;
  /** Where a message waits to be reduced that has padding at its end. */
  readonly waiting: number;
  /** Chunks of each of the four. */
  readonly length: number;
}

/** The messages of a step, to which more are added, and the length of the longest. */
export class StepMessages {
  readonly messages: Transfer[];
  /** Reductions of what has waited. */
  readonly delayed: Transfer[] = [];
  private readonly waitsAt = new Set<number>();
  private readonly places: Places;
  private readonly longest: number;
  private readonly reduced: Map<number, number>;
  /** What the busiest rank reduces. */
  private readonly mostReduced: number;
  private readonly sendsLongest = new Set<number>();
  /** Of each rank, the longest message to it, by its place among all. */
  private readonly longestTo = new Map<number, number>();

  constructor(transfers: readonly Transfer[], places: Places) {
    this.messages = [...transfers];
    this.places = places;
    this.longest = longestOf(transfers);
    this.reduced = reducedBy(transfers);
    this.mostReduced = Math.max(0, ...this.reduced.values());
    for (const index of transfers.keys()) this.note(index);
  }

  /** Whether a rank gets something, and gets or sends a message of full length. */
  isBusy(rank: number): boolean {
    const index = this.longestTo.get(rank);
    return index !== undefined && (this.sendsLongest.has(rank) || this.missing(index) === 0);
  }

  /** A message of full length that nobody reads. */
  addTo(rank: number, sender: number): void {
    const piece = scratchPiece(this.places.sent, this.places.received, this.longest);
    this.note(this.messages.push(transferOf('copy', sender, rank, piece)) - 1);
  }

  /** One of the rank's messages gets full length, and what it brings is reduced after it; false if none can, or nothing comes to the rank. */
  lengthenOneOf(rank: number): boolean {
    if (!this.longestTo.has(rank)) return false;
    const index = this.messages.findIndex(
      ({ source, destination }) => (source === rank || destination === rank) && !this.waitsAt.has(destination),
    );
    if (index < 0) return false;
    const { kind, destination, pieces } = this.messages[index];
    const { sent, waiting } = this.places;
    let at = waiting;
    const held = pieces.map((piece): Piece => {
      if (kind === 'copy') return piece;
      const { to, toOffset, count } = piece;
      const brought: Piece = { from: 'scratch', fromOffset: at, to, toOffset, count };
      this.delayed.push(transferOf('reduce', destination, destination, brought));
      at += count;
      return { ...piece, to: 'scratch', toOffset: brought.fromOffset };
    });
    const filler = scratchPiece(sent, at, this.missing(index));
    this.messages[index] = { ...this.messages[index], kind: 'copy', pieces: [...held, filler] };
    this.waitsAt.add(destination);
    this.note(index);
    return true;
  }

  /** Local reductions after which the rank has reduced as much as the busiest. */
  reductionsAt(rank: number): Transfer[] {
    const arrives = this.longestTo.get(rank);
    if (arrives === undefined) return [];
    return reductionsOf(this.messages[arrives], this.mostReduced - this.reducedAt(rank), this.places);
  }

  private reducedAt(rank: number): number {
    return this.reduced.get(rank) ?? 0;
  }

  private missing(index: number): number {
    return this.longest - chunksOf(this.messages[index]);
  }

  private note(index: number): void {
    const { source, destination } = this.messages[index];
    if (this.missing(index) === 0) this.sendsLongest.add(source);
    const before = this.longestTo.get(destination);
    if (before === undefined || this.missing(index) < this.missing(before)) this.longestTo.set(destination, index);
  }
}

/** Local reductions of so many chunks after a message has come: they read it, so that they wait for it. */
function reductionsOf({ destination, pieces }: Transfer, chunks: number, { reduced }: Places): Transfer[] {
  const { to, toOffset, count } = pieces.reduce((a, b) => (b.count > a.count ? b : a));
  const local: Transfer[] = [];
  for (let left = chunks; left > 0; left -= count) {
    const piece: Piece = {
      from: to,
      fromOffset: toOffset,
      to: 'scratch',
      toOffset: reduced,
      count: Math.min(left, count),
    };
    local.push(transferOf('reduce', destination, destination, piece));
  }
  return local;
}

/** Chunks that each rank reduces as they come. */
export function reducedBy(transfers: readonly Transfer[]): Map<number, number> {
  const reduced = new Map<number, number>();
  for (const transfer of transfers) {
    const { kind, destination } = transfer;
    if (kind === 'reduce') reduced.set(destination, (reduced.get(destination) ?? 0) + chunksOf(transfer));
  }
  return reduced;
}

export function longestOf(transfers: readonly Transfer[]): number {
  return transfers.reduce((most, transfer) => Math.max(most, chunksOf(transfer)), 0);
}

function scratchPiece(fromOffset: number, toOffset: number, count: number): Piece {
  return { from: 'scratch', fromOffset, to: 'scratch', toOffset, count };
}

export function transferOf(kind: Transfer['kind'], source: number, destination: number, piece: Piece): Transfer {
  return { kind, source, destination, channel: 0, order: 'held-first', pieces: [piece], origin: undefined };
}
