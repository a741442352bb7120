/** A full plan as plain tables (docs/plan-format.md): columns of a plan in memory have this shape, and read.ts fills it from plan JSON. Rank
 *  r has lanes `firstLane[r] … firstLane[r + 1] − 1`, lane l operations `firstOp[l] … firstOp[l + 1] − 1`, in order; o waits for those from
 *  `afterOp[firstAfter[o]]` to `afterOp[firstAfter[o + 1] − 1]`, `afterBulks` bulks earlier, and for room for send `relay[o]`, if any. Kinds:
 *  0 copy, 1 reduce, 2 send, 3 recv, 4 recvReduce; buffers: 0 input, 1 output, 2 scratch; −1 for what an operation does not have. */
export interface Tables extends Numbers<'bulks' | 'scratchPerBulk'>, Columns<'firstLane' | 'firstOp'> {
  readonly collective: Collective;
  readonly buffers: readonly Numbers<'input' | 'output' | 'scratch'>[];
  readonly ops: Columns<Column | Slices> & Partial<Columns<'relay'>>;
  readonly size?: number | undefined; // bytes of the message M
  readonly limits?: { readonly alignment?: number | undefined; readonly messageIds?: number | undefined }; // of the machine
}
type Column = 'kind' | 'peer' | 'channel' | 'receivedFirst' | 'firstAfter' | 'afterOp' | 'afterBulks';
type Slices = `${'src' | 'dst'}${'Buffer' | 'Offset' | 'Count'}`;
type Numbers<Name extends string> = Readonly<Record<Name, number>>;
type Columns<Name extends string> = Readonly<Record<Name, ArrayLike<number>>>;
export interface Collective extends Numbers<'ranks' | 'chunks' | 'root'>, Readonly<Record<'kind' | 'op', string>> {
  readonly ordered: boolean;
  readonly inPlace: boolean;
  readonly counts?: readonly number[] | undefined;
  readonly custom?: Custom | undefined;
}
/** `results[rank].at(slot)`: the input chunks that an output slot must combine, in order; nothing where it may hold anything. */
interface Custom extends Readonly<Record<'input' | 'output', readonly number[]>> {
  readonly inputAt?: readonly number[] | undefined;
  readonly results: readonly { readonly length: number; at(slot: number): Parts | null | undefined }[];
}
type Parts = readonly Numbers<'rank' | 'chunk'>[];
/** Why the answer is no: a word of docs/verification.md or `limit`, and the operation that is to blame, −1 if none is. */
export class Refusal extends Error {
  verdict = '';
  operation = -1;
}
export function need(holds: boolean, message: string, verdict = 'malformed', operation = -1): asserts holds {
  if (!holds) throw Object.assign(new Refusal(`${verdict}: ${message}`), { verdict, operation });
}
export function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}
