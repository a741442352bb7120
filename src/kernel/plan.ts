/** A full plan as plain tables (docs/plan-format.md): columns of a plan in memory have this shape, and read.ts fills it from plan JSON. */
type Numbers<Name extends string> = Readonly<Record<Name, number>>;
type Columns<Name extends string> = Readonly<Record<Name, Int32Array>>;

/**
 * Rank r has lanes `firstLane[r] … firstLane[r + 1] − 1`, lane l operations `firstOp[l] … firstOp[l + 1] − 1`, in order; `ops` has a row for
 * each. Kinds: 0 copy, 1 reduce, 2 send, 3 recv, 4 recvReduce; buffers: 0 input, 1 output, 2 scratch. Operation o waits for
 * `afterOp[firstAfter[o] … firstAfter[o + 1] − 1]`, `afterBulks` bulks earlier; a receive for room for send `relay`, if not −1, too.
 */
export interface Tables extends Numbers<'bulks' | 'scratchPerBulk'>, Columns<'firstLane' | 'laneId' | 'firstOp'> {
  readonly collective: Collective;
  readonly buffers: readonly Numbers<'input' | 'output' | 'scratch'>[];
  readonly ops: Columns<Column>;
}
export type Column =
  | ('kind' | 'peer' | 'channel' | 'receivedFirst' | 'firstAfter' | 'afterOp' | 'afterBulks' | 'relay')
  | `${'src' | 'dst'}${'Buffer' | 'Offset' | 'Count'}`;

/** What is to be computed (docs/collectives.md). */
export interface Collective extends Numbers<'ranks' | 'chunks' | 'root'> {
  readonly kind: string;
  readonly op: string;
  readonly ordered: boolean;
  readonly inPlace: boolean;
  readonly counts?: readonly number[];
  readonly custom?: Readonly<Record<'input' | 'output', readonly number[]>> & {
    readonly inputAt?: readonly number[];
    /** The input chunks that an output slot must combine, in order; nothing where it may hold anything. */
    readonly wants: (rank: number, slot: number) => readonly Numbers<'rank' | 'chunk'>[] | null | undefined;
  };
}

/** Why the answer is no: `verdict` is a word of docs/verification.md, or `limit`. */
export class Refusal extends Error {
  readonly verdict: string;
  constructor(verdict: string, message: string) {
    super(`${verdict}: ${message}`);
    this.verdict = verdict;
  }
}
