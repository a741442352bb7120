/** Operations before they have their numbers, and the places in blocks where they stand. */
import type { SourceRange } from '../../ir/diagnostic.ts';
import type { OperationKind, Slice } from '../../ir/plan.ts';

/** An operation to be. */
export interface Draft {
  readonly gpu: number;
  readonly kind: OperationKind;
  readonly range: SourceRange;
  /** What it sends, takes in, or works on. */
  readonly slice: Slice;
  /** Operations of the same gpu that come before it. */
  readonly after: Draft[];
  /** Of a receive: the send of its message. */
  readonly sent?: Draft;
  /** Of both ends of a message: those of one connection keep their order. */
  connection?: string;
}

/** What a block does at one place; where it sends or receives that is known when all blocks have been looked at. */
export interface BlockPosition {
  readonly gpu: number;
  readonly block: number;
  readonly range: SourceRange;
  /** Place of the act in a run of all blocks. */
  readonly position: number;
  readonly drafts: Draft[];
}

export const nothing: Slice = { buffer: 'scratch', offset: 0, count: 0 };

export function draft(place: BlockPosition, kind: OperationKind, slice: Slice): Draft {
  const { gpu, range } = place;
  const made: Draft = { gpu, kind, range, slice, after: [] };
  place.drafts.push(made);
  return made;
}

/** Takes a message in. @param connection what both ends share beside their lanes */
export function receive(place: BlockPosition, sent: Draft, slice: Slice, connection: string): void {
  const { gpu, range } = place;
  sent.connection = connection;
  place.drafts.push({ gpu, kind: 'recv', range, slice, after: [], sent, connection });
}

export function laneName({ gpu, block }: BlockPosition): string {
  return `${gpu}.${block}`;
}

/** The order of a run decides where several blocks signal on one channel, or wait on it. */
export function byPlace(a: BlockPosition, b: BlockPosition): number {
  return a.position - b.position || a.block - b.block;
}

export function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
