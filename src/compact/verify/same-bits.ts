/**
 * Identical bits: whether all ranks of a compact plan that reduces end with the same bits. They do where each slot of the result is the same value on
 * all of them, made once and handed round, as after a reducescatter. Where every rank makes its own, all trees are those of rank 0,
 * shifted; they are the same tree, up to commutativity, if a shift by one place along each axis leaves rank 0's as it is.
 */
import { isIdempotent } from '../../ir/collective.ts';
import type { CompactPlan } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { compactVerifyLimits } from './limits.ts';
import type { NamingRun } from './naming-run.ts';
import type { Results, SlotShift } from './results.ts';

/** A rank that combines a chunk with another tree than rank 0 does; `unknown` where the program does not say. */
export type OtherTree = { readonly chunk: number; readonly rank: number } | 'none' | 'unknown';

export function otherTree(
  { collective }: CompactPlan,
  group: TranslationGroup,
  run: NamingRun,
  { values }: Results,
  shift: SlotShift,
): OtherTree {
  const { kind, op, ranks } = collective;
  // Every chunk of a reducescatter is on one rank only; any tree of the operators that do not round gives the same bits.
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

/** Whether each slot is one value for all ranks: the one that rank 0 finds for slot u of some rank is what that rank made for it. */
function isHandedRound(values: Float64Array, run: NamingRun, shift: SlotShift): boolean {
  const made = new Map<number, number>();
  return values.every((value, slot) => {
    const rank = Math.floor(value / run.ids);
    // As its maker names the slot; the same for all ranks exactly if it depends on the chunk within the shard alone.
    const key = shift.withinShard(slot);
    const own = shift.toRank(rank, slot) * run.ids + (value - rank * run.ids);
    const known = made.get(key);
    made.set(key, known ?? own);
    return known === undefined || known === own;
  });
}

/** Pairs of values that are compared. */
const mostPairs = 2 ** 22;

/** Compares the trees of values up to commutativity. By symmetry only their ids matter, and how far their ranks are apart. */
class Trees {
  private readonly group: TranslationGroup;
  private readonly run: NamingRun;
  /** Of pairs that were compared before: the second value as the rank of the first names it, by id of the first. */
  private readonly known = new Map<number, Map<number, boolean>>();
  private pairs = 0;

  constructor(group: TranslationGroup, run: NamingRun) {
    this.group = group;
    this.run = run;
  }

  /** `unknown` for chains of more than 2000 reductions, and where it takes too many comparisons. */
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

  /** A value as a rank that is so far off has the like of it. */
  shifted(name: number, offset: number): number {
    const { ids } = this.run;
    const rank = Math.floor(name / ids);
    return this.group.add(rank, offset) * ids + (name - rank * ids);
  }

  /** The same two in either order; an order in which one is the very same value is looked at first. */
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
