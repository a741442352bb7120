/** What the messages of a chunk carry up and down a tree whose ranks stand in order. */
import type { Making, Story, Value } from '../merging.ts';
import type { EdgeWays } from './edge-ways.ts';
import type { ScanTree } from './scan-tree.ts';

/** What meets at a rank: sums of its children before it, its own contribution, and sums of its children after it. */
interface Meeting {
  /** In rank order; undefined is the sum of a last child that nobody wants. */
  readonly sums: readonly (Value | undefined)[];
  /** By how many of them: their sum. None where the sum of all is not wanted and something comes before them. */
  readonly prefixes: readonly Value[];
}

/**
 * Going up, a rank adds up what comes of its children, and its own; the sum of all goes to its parent, if ranks after need it. Going down,
 * it learns what comes before the first rank below it, and tells each child what comes before the first of its ranks.
 */
export function tellOfTree(tree: ScanTree, ways: EdgeWays, ownResult: boolean): Story {
  const telling = new TreeTelling(ways, ownResult);
  telling.up(tree);
  telling.down(tree, undefined);
  return telling;
}

class TreeTelling implements Story {
  readonly messages: Value[] = [];
  readonly results: (Value | undefined)[];
  private readonly ways: EdgeWays;
  private readonly ownResult: boolean;
  private readonly meetings = new Map<number, Meeting>();
  private values = 0;

  constructor(ways: EdgeWays, ownResult: boolean) {
    this.ways = ways;
    this.ownResult = ownResult;
    this.results = new Array(ways.hops.ranks).fill(undefined);
  }

  /** Returns the sum over all ranks below, if one after them wants it. */
  up({ rank, first, end, before, after }: ScanTree): Value | undefined {
    const isWanted = end < this.ways.hops.ranks;
    const own = this.value(rank, rank, rank, { kind: 'input' }, 0, 0);
    const fromChild = (child: ScanTree) => {
      const sum = this.up(child);
      return sum === undefined ? undefined : this.sent(sum, rank);
    };
    const sums = [...before.map(fromChild), own, ...after.map(fromChild)];
    const prefixes: Value[] = [];
    for (const sum of isWanted || first === 0 ? sums : []) {
      const last = prefixes.at(-1);
      if (sum !== undefined) prefixes.push(last === undefined ? sum : this.merged(last, sum));
    }
    this.meetings.set(rank, { sums, prefixes });
    return isWanted ? prefixes.at(-1) : undefined;
  }

  /** @param above what comes before the first rank below; undefined of the first of all */
  down({ rank, before, after }: ScanTree, above: Value | undefined): void {
    const { sums, prefixes } = this.meetings.get(rank) ?? { sums: [], prefixes: [] };
    const upTo: (Value | undefined)[] = [above];
    const valueUpTo = (count: number): Value | undefined => {
      if (count >= upTo.length) {
        const lower = valueUpTo(count - 1);
        const sum = sums[count - 1];
        if (above === undefined) upTo[count] = prefixes[count - 1];
        else if (prefixes.length > 0) upTo[count] = this.merged(above, prefixes[count - 1]);
        else if (lower !== undefined && sum !== undefined) upTo[count] = this.merged(lower, sum);
      }
      return upTo[count];
    };
    const handDown = (child: ScanTree, value: Value | undefined) => {
      this.down(child, value === undefined ? undefined : this.sent(value, child.rank));
    };
    for (const [index, child] of before.entries()) handDown(child, valueUpTo(index));
    this.results[rank] = valueUpTo(before.length + (this.ownResult ? 1 : 0));
    for (const [index, child] of after.entries()) handDown(child, valueUpTo(before.length + 1 + index));
  }

  private sent(value: Value, to: number): Value {
    let at = value;
    for (const hop of this.ways.way(value.rank, to)) {
      const { low, high, stage } = at;
      at = this.value(this.ways.hops.arcs[hop].to, low, high, { kind: 'message', sent: at, hop }, stage + 1, 0);
      this.messages.push(at);
    }
    return at;
  }

  private merged(lower: Value, upper: Value): Value {
    const stage = Math.max(lower.stage, upper.stage);
    const merges = [lower, upper].map((value) => (value.stage === stage ? value.merges : 0));
    return this.value(
      upper.rank,
      lower.low,
      upper.high,
      { kind: 'merge', lower, upper },
      stage,
      1 + Math.max(...merges),
    );
  }

  private value(rank: number, low: number, high: number, made: Making, stage: number, merges: number): Value {
    return { id: this.values++, rank, low, high, made, stage, merges };
  }
}
