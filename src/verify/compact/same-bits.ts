/**
 * Rung 7 of a compact plan that reduces: do all ranks end with the same bits? They do where each slot of the result is the same value on
 * all of them, made once and handed round, as after a reducescatter. Where every rank makes its own, all trees are those of rank 0,
 * shifted; they are the same tree, up to commutativity, if a shift by one place along each axis leaves rank 0's as it is.
 */
import { isIdempotent } from '../../ir/collective.ts';
import type { CompactPlan } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import type { NamingRun } from './naming-run.ts';
import type { Results, SlotShift } from './results.ts';

/** A rank that combines a chunk with another tree than rank 0 does; `unknown` where ranks make values of shifted slots differently. */
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
    const tree = trees.of(value, 0);
    for (const extent of group.shape.toReversed()) {
      if (extent > 1 && trees.of(value, stride) !== tree) return { chunk, rank: stride };
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

/** Trees of reductions as numbers: equal trees, up to commutativity, are equal numbers. */
class Trees {
  private readonly group: TranslationGroup;
  private readonly run: NamingRun;
  private readonly known = new Map<number, number>();
  private readonly joined = new Map<string, number>();

  constructor(group: TranslationGroup, run: NamingRun) {
    this.group = group;
    this.run = run;
  }

  /** The tree of a value's like on the rank at an offset. Deep trees are walked without recursion. */
  of(value: number, offset: number): number {
    const root = this.shifted(value, offset);
    const waiting = [root];
    while (waiting.length > 0) {
      const name = waiting[waiting.length - 1];
      const operands = this.operandsOf(name);
      const missing = operands.filter((operand) => !this.known.has(operand));
      if (missing.length > 0) {
        waiting.push(...missing);
        continue;
      }
      waiting.pop();
      if (!this.known.has(name)) this.known.set(name, this.joinedTree(name, operands));
    }
    return this.known.get(root) ?? root;
  }

  private joinedTree(name: number, operands: readonly number[]): number {
    const key =
      operands.length === 0
        ? `${name}`
        : operands
            .map((operand) => this.known.get(operand))
            .sort()
            .join(' ');
    const tree = this.joined.get(key) ?? this.joined.size;
    this.joined.set(key, tree);
    return tree;
  }

  /** None for an input chunk. */
  private operandsOf(name: number): readonly number[] {
    const { ids, inputs, held, added } = this.run;
    const rank = Math.floor(name / ids);
    const made = name - rank * ids - inputs;
    return made < 0 ? [] : [this.shifted(held[made], rank), this.shifted(added[made], rank)];
  }

  private shifted(name: number, offset: number): number {
    const { ids } = this.run;
    const rank = Math.floor(name / ids);
    return this.group.add(rank, offset) * ids + (name - rank * ids);
  }
}
