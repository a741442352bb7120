/** Operations that have no number yet, and the positions in blocks to which they belong. */
import type { SourceRange } from '../../ir/diagnostic.ts';
import type { OperationKind, Slice } from '../../ir/plan.ts';

/** An operation under construction. */
export interface Draft {
  readonly gpu: number;
  readonly kind: OperationKind;
  readonly range: SourceRange;
  /** The slice that it sends, receives or works on. */
  readonly slice: Slice;
  /** Operations of the same gpu that must precede it. */
  readonly after: Draft[];
  /** Of a receive: the matching send. */
  readonly sent?: Draft;
  /** Of both ends of a message: its connection, which keeps the order of its messages. */
  connection?: string;
}

/** The operations of a block at one position of its program. Sends and receives are added once all blocks have been visited. */
export interface BlockPosition {
  readonly gpu: number;
  readonly block: number;
  readonly range: SourceRange;
  /** Position of the action in a run of all blocks. */
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

/** Adds a receive. @param connection identifies the connection, together with the lanes of both ends */
export function receive(place: BlockPosition, sent: Draft, slice: Slice, connection: string): void {
  const { gpu, range } = place;
  sent.connection = connection;
  place.drafts.push({ gpu, kind: 'recv', range, slice, after: [], sent, connection });
}

export function laneName({ gpu, block }: BlockPosition): string {
  return `${gpu}.${block}`;
}

/** Orders positions by a run of all blocks, which decides the order of signals or waits of several blocks on one channel. */
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
