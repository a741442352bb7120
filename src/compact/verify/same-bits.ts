/**
 * Decides whether all ranks of a compact plan that reduces end with identical bits. They do if each slot of the result is one value on all ranks,
 * computed once and then distributed, as in a reducescatter followed by an allgather. If every rank computes its own value, the trees of the other
 * ranks are those of rank 0 with shifted ranks; they are equal up to commutativity if a shift by one along each axis maps rank 0's trees to
 * themselves.
 */
import { isIdempotent } from '../../ir/collective.ts';
import type { CompactPlan } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { compactVerifyLimits } from './limits.ts';
import type { NamingRun } from './naming-run.ts';
import type { Results, SlotShift } from './results.ts';

/** A rank that combines a chunk by another tree than rank 0 does, or `none`; `unknown` if rank 0's program does not decide it. */
export type OtherTree = { readonly chunk: number; readonly rank: number } | 'none' | 'unknown';

export function otherTree(
  { collective }: CompactPlan,
  group: TranslationGroup,
  run: NamingRun,
  { values }: Results,
  shift: SlotShift,
): OtherTree {
  const { kind, op, ranks } = collective;
  // In a reducescatter every chunk of the result is on one rank only, and the tree does not matter to operators that do not round.
  if (kind === 'reducescatter' || ranks === 1 || isIdempotent(op) || op === 'xor') return 'none';
  if (shift.isShifted) return isHandedRound(values, run, shift) ? 'none' : 'unknown';
  const trees = new Trees(group, run);
  for (const [chunk, value] of values.entries()) {
    let stride = 1;
    for (const extent of group.shape.toReversed()) {
      const alike = extent === 1 || trees.areAlike(value, trees.shifted(value, stride), 0);
      if (alike === 'unknown') return 'unknown';
      if (!alike) return { chunk, rank: stride };
      stride *= extent;
    }
  }
  return 'none';
}

/** Whether each slot of the result is one value on all ranks: for every slot u, rank 0 holds the value that the computing rank made for its own u. */
function isHandedRound(values: Float64Array, run: NamingRun, shift: SlotShift): boolean {
  const made = new Map<number, number>();
  return values.every((value, slot) => {
    const rank = Math.floor(value / run.ids);
    // The slot as the computing rank names it. All ranks hold the same value exactly if this name depends only on the chunk's index in its shard.
    const key = shift.withinShard(slot);
    const own = shift.toRank(rank, slot) * run.ids + (value - rank * run.ids);
    const known = made.get(key);
    made.set(key, known ?? own);
    return known === undefined || known === own;
  });
}

/** Largest number of pairs of values that are compared. */
const mostPairs = 2 ** 22;

/** Compares trees of reductions up to commutativity. By symmetry a pair is described by the two ids and the offset between the two ranks. */
class Trees {
  private readonly group: TranslationGroup;
  private readonly run: NamingRun;
  /** Results of earlier comparisons: by id of the first value, then by the name of the second relative to the first one's rank. */
  private readonly known = new Map<number, Map<number, boolean>>();
  private pairs = 0;

  constructor(group: TranslationGroup, run: NamingRun) {
    this.group = group;
    this.run = run;
  }

  /** Whether two trees are equal; `unknown` for chains of more than 2000 reductions, and if too many comparisons are needed. */
  areAlike(one: number, other: number, depth: number): boolean | 'unknown' {
    if (one === other) return true;
    const { ids, inputs } = this.run;
    const rank = Math.floor(one / ids);
    const id = one - rank * ids;
    const seen = this.shifted(other, this.group.negate(rank));
    if (id < inputs || seen % ids < inputs) return false;
    const known = this.known.get(id)?.get(seen);
    if (known !== undefined) return known;
    if (depth > compactVerifyLimits.chainOfReductions || this.pairs++ > mostPairs) return 'unknown';
    const alike = this.operandsAlike(this.operandsOf(id), this.operandsOf(seen), depth + 1);
    if (alike === 'unknown') return alike;
    const row = this.known.get(id) ?? new Map<number, boolean>();
    this.known.set(id, row.set(seen, alike));
    return alike;
  }

  /** Returns the name of the corresponding value of the rank at that offset. */
  shifted(name: number, offset: number): number {
    const { ids } = this.run;
    const rank = Math.floor(name / ids);
    return this.group.add(rank, offset) * ids + (name - rank * ids);
  }

  /** Whether two pairs of operands are equal in one order or the other; an order in which two operands are the same value is tried first. */
  private operandsAlike([a, b]: Operands, [c, d]: Operands, depth: number): boolean | 'unknown' {
    const crossed = a === d || b === c;
    const orders: readonly Operands[] = crossed
      ? [
          [d, c],
          [c, d],
        ]
      : [
          [c, d],
          [d, c],
        ];
    for (const [first, second] of orders) {
      const last = this.areAlike(b, second, depth);
      if (last === 'unknown') return last;
      if (!last) continue;
      const before = this.areAlike(a, first, depth);
      if (before !== false) return before;
    }
    return false;
  }

  private operandsOf(name: number): Operands {
    const { ids, inputs, held, added } = this.run;
    const rank = Math.floor(name / ids);
    const made = name - rank * ids - inputs;
    return [this.shifted(held[made], rank), this.shifted(added[made], rank)];
  }
}

type Operands = readonly [held: number, added: number];
