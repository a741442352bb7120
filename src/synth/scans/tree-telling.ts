/** Scans up and down a tree of parts that follow each other: what the messages of a chunk carry. */
import { type Story, type Value, Values } from './values.ts';

/** Ranks `first` … `end` − 1, and the one among them that gets the sums of their parts and tells each what comes before it. */
export interface Part {
  readonly rank: number;
  readonly first: number;
  readonly end: number;
  /** In rank order; none of a rank alone. */
  readonly parts: readonly Part[];
  /** Whoever looks after a part sends its sum to all after it, and nobody adds them up for others. */
  readonly isDirect?: true;
}

export interface Telling {
  readonly ranks: number;
  /** Whether a rank's result has its own contribution: scan, not exscan. */
  readonly ownResult: boolean;
  /** The ranks that a message passes, the last included. */
  way(from: number, to: number): readonly number[];
  /** Messages of parts of one height go in the same stage. */
  readonly inLevels?: true;
}

/**
 * Going up, sums of parts come together and are added up; the sum of all goes on, if ranks after need it. Going down, who looks after some parts
 * learns what comes before the first of them, and tells each what comes before it.
 */
export function tellOfTree(tree: Part, telling: Telling): Story {
  const teller = new TreeTeller(telling, heightOf(tree));
  teller.tell(tree);
  return teller;
}

/** Of some parts in rank order: their sums, and by how many of them the sum of these. */
interface Sums {
  /** Undefined of a last one that nobody wants. */
  readonly each: readonly (Value | undefined)[];
  /** None where the sum of all is not wanted and something comes before them. */
  readonly prefixes: readonly Value[];
}

class TreeTeller implements Story {
  readonly messages: Value[] = [];
  readonly results: (Value | undefined)[];
  private readonly telling: Telling;
  private readonly height: number;
  private readonly values = new Values();
  private readonly sums = new Map<Part, Sums>();

  constructor(telling: Telling, height: number) {
    this.telling = telling;
    this.height = height;
    this.results = new Array(telling.ranks).fill(undefined);
  }

  tell(tree: Part): void {
    if (tree.isDirect === true) this.direct(tree);
    else {
      this.up(tree);
      this.down(tree, undefined);
    }
  }

  /** Returns the sum over all parts, if one after them wants it. */
  private up(part: Part): Value | undefined {
    const { rank, first, end, parts } = part;
    const isWanted = end < this.telling.ranks;
    if (parts.length === 0) return isWanted ? this.values.input(rank) : undefined;
    const each = parts.map((below) => {
      const sum = isOwn(below, rank) ? this.values.input(rank) : this.up(below);
      return sum && this.sent(sum, rank, this.telling.inLevels ? heightOf(part) : 0);
    });
    const prefixes: Value[] = [];
    for (const sum of isWanted || first === 0 ? each : []) {
      const last = prefixes.at(-1);
      if (sum !== undefined) prefixes.push(last === undefined ? sum : this.values.merged(last, sum));
    }
    this.sums.set(part, { each, prefixes });
    return isWanted ? prefixes.at(-1) : undefined;
  }

  private direct({ parts }: Part): void {
    const sums = parts.map((part) => this.up(part));
    parts.forEach((part, index) => {
      const come = sums.slice(0, index).flatMap((sum) => sum ?? []);
      const before = come.map((sum) => this.sent(sum, part.rank, this.telling.inLevels ? this.height : 0));
      this.down(
        part,
        before.length === 0 ? undefined : before.reduce((lower, upper) => this.values.merged(lower, upper)),
      );
    });
  }

  /** @param above what comes before the first rank of the part; undefined of the first of all */
  private down(part: Part, above: Value | undefined): void {
    const { ownResult } = this.telling;
    const { rank, parts } = part;
    const { each, prefixes } = this.sums.get(part) ?? { each: [this.values.input(rank)], prefixes: [] };
    const stage = this.stageBelow(part);
    const upTo: (Value | undefined)[] = [above];
    each.forEach((sum, index) => {
      // What is up to the last is for nobody but the rank itself, and can wait.
      const earliest = index < parts.length - 1 || parts.length === 0 ? stage - 1 : stage;
      const lower = upTo[index];
      if (above === undefined) upTo.push(prefixes.at(index) ?? sum);
      else if (index < prefixes.length) upTo.push(this.values.merged(above, prefixes[index], earliest));
      else upTo.push(lower === undefined || sum === undefined ? undefined : this.values.merged(lower, sum, earliest));
    });
    if (parts.length === 0) this.results[rank] = upTo[ownResult ? 1 : 0];
    parts.forEach((below, index) => {
      const before = upTo[index];
      if (isOwn(below, rank)) this.results[rank] = upTo[index + (ownResult ? 1 : 0)];
      else this.down(below, before && this.sent(before, below.rank, stage));
    });
  }

  /** In which messages go from whoever looks after a part to the ranks below. */
  private stageBelow(part: Part): number {
    return this.telling.inLevels ? 2 * this.height - heightOf(part) : 0;
  }

  private sent(value: Value, to: number, stage: number): Value {
    let at = value;
    if (value.rank === to) return value;
    for (const rank of this.telling.way(value.rank, to)) {
      at = this.values.sent(at, rank, stage);
      this.messages.push(at);
    }
    return at;
  }
}

function heightOf({ parts }: Part): number {
  return parts.reduce((most, part) => Math.max(most, 1 + heightOf(part)), 0);
}

/** Whether a part is the rank alone that looks after it and others. */
function isOwn({ rank, parts }: Part, owner: number): boolean {
  return parts.length === 0 && rank === owner;
}
