/**
 * What the output slots of a custom collective must hold, run-length encoded: consecutive slots form a run if they combine consecutive chunks of the
 * same ranks. So the size of a joint collective of several groups does not depend on the number of chunks per shard. Plain data without methods, so
 * that it can be sent between worker threads.
 */

import { IntColumn } from './column.ts';
import { intAt, itemAt } from './indexing.ts';

/** One rank's input chunk, as a part of what an output slot must hold. */
export interface Contribution {
  readonly rank: number;
  readonly chunk: number;
}

export interface CustomResults {
  /** The runs of rank r are `firstRun[r] … firstRun[r + 1] − 1`; one entry more than ranks. */
  readonly firstRun: Int32Array;
  /** First output slot of each run. The runs of a rank follow each other from slot 0 without gaps. */
  readonly slot: Int32Array;
  /** Slots of each run. */
  readonly count: Int32Array;
  /** Index in `lists` of the contributions that a run combines; −1 if its slots may hold anything. */
  readonly list: Int32Array;
  /** Slot `slot + i` of a run combines chunk `at + i` where its list says 0. */
  readonly at: Int32Array;
  /** Distinct lists of contributions, in the order of reduction; chunk numbers are relative to that of the first contribution. */
  readonly lists: readonly (readonly Contribution[])[];
}

/** A run of slots, decoded. */
export interface WantedRun {
  readonly rank: number;
  readonly slot: number;
  readonly count: number;
  /** Slot `slot + i` combines chunk `at + i + chunk` of these ranks; `null` where it may hold anything. */
  readonly parts: readonly Contribution[] | null;
  readonly at: number;
}

/** Builds the results from the wanted contributions, rank after rank and slot after slot. */
export class CustomResultsBuilder {
  private readonly firstRun = new IntColumn();
  private readonly slot = new IntColumn();
  private readonly count = new IntColumn();
  private readonly list = new IntColumn();
  private readonly at = new IntColumn();
  private readonly lists: (readonly Contribution[])[] = [];
  private readonly known = new Map<string, number>();
  /** Slots of the current rank so far, and its last run, which may still grow. */
  private slots = 0;
  private last = { list: -2, at: 0, count: 0 };

  /** Begins the next rank. */
  openRank(): void {
    this.close();
    this.firstRun.push(this.slot.length);
    this.slots = 0;
  }

  /**
   * Appends `count` slots to the current rank: the first combines `contributions`, and each later one the chunks that follow those of the slot
   * before. `null` if they may hold anything.
   */
  add(contributions: readonly Contribution[] | null, count = 1): void {
    if (count === 0) return;
    const { last } = this;
    if (this.continues(contributions)) last.count += count;
    else {
      this.close();
      const list = contributions === null ? -1 : this.listOf(contributions);
      this.last = { list, at: contributions?.[0]?.chunk ?? 0, count };
      this.slot.push(this.slots);
      this.list.push(list);
      this.at.push(this.last.at);
    }
    this.slots += count;
  }

  build(): CustomResults {
    this.close();
    this.firstRun.push(this.slot.length);
    const [firstRun, slot, count] = [this.firstRun.view().slice(), this.slot.view().slice(), this.count.view().slice()];
    return { firstRun, slot, count, list: this.list.view().slice(), at: this.at.view().slice(), lists: this.lists };
  }

  /** Whether the contributions follow those of the last slot, so that its run can be extended. */
  private continues(contributions: readonly Contribution[] | null): boolean {
    const { list, at, count } = this.last;
    if (list < 0 || contributions === null) return list === -1 && contributions === null;
    const parts = itemAt(this.lists, list);
    if (parts.length !== contributions.length) return false;
    const behind = at + count;
    return contributions.every(
      ({ rank, chunk }, i) => itemAt(parts, i).rank === rank && itemAt(parts, i).chunk + behind === chunk,
    );
  }

  private listOf(contributions: readonly Contribution[]): number {
    const at = contributions[0]?.chunk ?? 0;
    const parts = contributions.map(({ rank, chunk }) => ({ rank, chunk: chunk - at }));
    const name = parts.map(({ rank, chunk }) => `${rank}:${chunk}`).join(' ');
    const known = this.known.get(name);
    if (known !== undefined) return known;
    this.known.set(name, this.lists.length);
    return this.lists.push(parts) - 1;
  }

  private close(): void {
    if (this.last.list > -2) this.count.push(this.last.count);
    this.last = { list: -2, at: 0, count: 0 };
  }
}

/** From `lists[rank][slot]`: what the slot must hold, in the order of reduction; `null` leaves it undefined. */
export function customResults(lists: readonly (readonly (readonly Contribution[] | null)[])[]): CustomResults {
  const builder = new CustomResultsBuilder();
  for (const slots of lists) {
    builder.openRank();
    for (const slot of slots) builder.add(slot);
  }
  return builder.build();
}

/** The run in which a slot of a rank lies; −1 for slots that no run has, and for ranks that the results do not know. */
export function runOfSlot({ firstRun, slot, count }: CustomResults, rank: number, wanted: number): number {
  if (!(rank + 1 < firstRun.length)) return -1;
  let low = intAt(firstRun, rank);
  let high = intAt(firstRun, rank + 1);
  if (!(low < high && wanted >= 0)) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (intAt(slot, middle) <= wanted) low = middle;
    else high = middle;
  }
  return wanted < intAt(slot, low) + intAt(count, low) ? low : -1;
}

/** The runs of a rank, first slots first; none for a rank that the results do not know. */
export function* runsOfRank(
  { firstRun, slot, count, list, at, lists }: CustomResults,
  rank: number,
): Iterable<WantedRun> {
  if (!(rank + 1 < firstRun.length)) return;
  for (let run = intAt(firstRun, rank); run < intAt(firstRun, rank + 1); run++) {
    const parts = intAt(list, run) < 0 ? null : itemAt(lists, intAt(list, run));
    yield { rank, slot: intAt(slot, run), count: intAt(count, run), parts, at: intAt(at, run) };
  }
}

/** Number of ranks that the results describe. */
export function ranksWithResults({ firstRun }: CustomResults): number {
  return firstRun.length - 1;
}

/** The contributions that slot `slot + i` of a run combines; `null` if it may hold anything. */
export function contributionsIn({ parts, at }: WantedRun, i: number): readonly Contribution[] | null {
  return parts?.map(({ rank, chunk }) => ({ rank, chunk: chunk + at + i })) ?? null;
}

/** The results with every chunk number, slot and count c replaced by `change(c)`, for collectives that are cut into more or fewer chunks. */
export function withChunks(results: CustomResults, change: (chunks: number) => number): CustomResults {
  const { firstRun, list } = results;
  const lists = results.lists.map((parts) => parts.map(({ rank, chunk }) => ({ rank, chunk: change(chunk) })));
  const [slot, count, at] = [results.slot.map(change), results.count.map(change), results.at.map(change)];
  return { firstRun, slot, count, list, at, lists };
}
