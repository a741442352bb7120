/**
 * Derives the story of a scan over a tree of runs of consecutive ranks: the values that each message of a chunk carries, up the tree as
 * sums and down it as prefixes.
 */
import { type ScanValue, ScanValues, type Story } from './values.ts';

/**
 * A run of ranks `first` … `end` − 1, and its owner: the rank among them that collects the sums of its parts and sends each part the prefix
 * before it.
 */
export interface RankSpan {
  readonly rank: number;
  readonly first: number;
  readonly end: number;
  /** Sub-runs in rank order; empty for a single rank. */
  readonly parts: readonly RankSpan[];
  /** The owner of every part sends its sum to the owners of all later parts directly; nobody combines sums for others. */
  readonly isDirect?: true;
}

/** The run of a single rank. */
export function alone(rank: number): RankSpan {
  return { rank, first: rank, end: rank + 1, parts: [] };
}

/**
 * Joins consecutive parts to one run.
 * @param rank its owner; by default the owner of the first part
 */
export function joinedSpans(parts: readonly RankSpan[], rank = parts[0].rank): RankSpan {
  return { rank, first: parts[0].first, end: parts[parts.length - 1].end, parts };
}

/** What the story of a tree depends on besides the tree. */
export interface ScanTreeRules {
  readonly ranks: number;
  /** Whether a rank's result includes its own contribution: scan, not exscan. */
  readonly ownResult: boolean;
  /** The ranks that a message visits after `from`, `to` included. */
  path(from: number, to: number): readonly number[];
  /** Messages of parts of equal height are sent in the same stage. */
  readonly inLevels?: true;
}

/**
 * Returns the story of a scan over a tree. Upwards, the owner of a run adds up the sums of its parts and sends the total on, if later ranks
 * need it. Downwards, the owner receives the prefix before its run and sends every part the prefix before that part.
 */
export function tellOfTree(tree: RankSpan, telling: ScanTreeRules): Story {
  return new TreeTeller(tree, telling);
}

/** The sums of a run's parts in rank order (undefined for a last part whose sum nobody needs), and their running totals where these are needed. */
interface Sums {
  readonly each: readonly (ScanValue | undefined)[];
  readonly prefixes: readonly ScanValue[];
}

class TreeTeller implements Story {
  readonly messages: ScanValue[] = [];
  readonly results: (ScanValue | undefined)[];
  private readonly telling: ScanTreeRules;
  private readonly height: number;
  private readonly values = new ScanValues();
  private readonly sums = new Map<RankSpan, Sums>();

  constructor(tree: RankSpan, telling: ScanTreeRules) {
    this.telling = telling;
    this.height = heightOf(tree);
    this.results = new Array(telling.ranks).fill(undefined);
    if (tree.isDirect === true) this.direct(tree);
    else {
      this.up(tree);
      this.down(tree, undefined);
    }
  }

  /** Sends sums up to the owner of a run; returns the run's total if later ranks need it. */
  private up(part: RankSpan): ScanValue | undefined {
    const { rank, first, end, parts } = part;
    const isWanted = end < this.telling.ranks;
    if (parts.length === 0) return isWanted ? this.values.input(rank) : undefined;
    const each = parts.map((below) => {
      const sum = isOwn(below, rank) ? this.values.input(rank) : this.up(below);
      return sum && this.sent(sum, rank, heightOf(part));
    });
    const prefixes: ScanValue[] = [];
    for (const sum of isWanted || first === 0 ? each : []) {
      const last = prefixes.at(-1);
      if (sum !== undefined) prefixes.push(last === undefined ? sum : this.values.merged(last, sum));
    }
    this.sums.set(part, { each, prefixes });
    return isWanted ? prefixes.at(-1) : undefined;
  }

  private direct({ parts }: RankSpan): void {
    const sums = parts.flatMap((part) => this.up(part) ?? []);
    parts.forEach((part, index) => {
      const [first, ...others] = sums.slice(0, index).map((sum) => this.sent(sum, part.rank, this.height));
      this.down(part, first && others.reduce((lower, upper) => this.values.merged(lower, upper), first));
    });
  }

  /**
   * Sends prefixes down.
   * @param above the prefix before the first rank of the run; undefined if there is none
   */
  private down(part: RankSpan, above: ScanValue | undefined): void {
    const { ownResult } = this.telling;
    const { rank, parts } = part;
    const { each, prefixes } = this.sums.get(part) ?? { each: [this.values.input(rank)], prefixes: [] };
    const level = 2 * this.height - heightOf(part);
    const upTo: (ScanValue | undefined)[] = [above];
    each.forEach((sum, index) => {
      const [before, sumUpTo] = index < prefixes.length ? [above, prefixes[index]] : [upTo[index], sum];
      // The total up to the last part is needed by the owner alone, so it can wait.
      const isLast = parts.length > 0 && index === parts.length - 1;
      const earliest = this.earliest(isLast ? level : level - 1);
      if (before === undefined) upTo.push(sumUpTo);
      else upTo.push(sumUpTo && this.values.merged(before, sumUpTo, earliest));
    });
    if (parts.length === 0) this.results[rank] = upTo[ownResult ? 1 : 0];
    parts.forEach((below, index) => {
      const before = upTo[index];
      if (isOwn(below, rank)) this.results[rank] = upTo[index + (ownResult ? 1 : 0)];
      else this.down(below, before && this.sent(before, below.rank, level));
    });
  }

  private earliest(level: number): number {
    return this.telling.inLevels ? level : 0;
  }

  private sent(value: ScanValue, to: number, level: number): ScanValue {
    let at = value;
    if (value.rank === to) return value;
    for (const rank of this.telling.path(value.rank, to)) {
      at = this.values.sent(at, rank, this.earliest(level));
      this.messages.push(at);
    }
    return at;
  }
}

function heightOf({ parts }: RankSpan): number {
  return parts.reduce((most, part) => Math.max(most, 1 + heightOf(part)), 0);
}

/** Whether a part is the single rank that owns the run. */
function isOwn({ rank, parts }: RankSpan, owner: number): boolean {
  return parts.length === 0 && rank === owner;
}
