/**
 * How much data the post-condition of a collective forces ranks to send, receive and reduce, derived output slot by output slot. Amounts are
 * fractions of the message size M.
 */

import type { Direction } from '../ir/certificate.ts';
import {
  collectiveFacts,
  expectation,
  listed,
  memoryLayout,
  messageChunks,
  outputChunks,
  shardOf,
} from '../ir/collective.ts';
import { itemAt } from '../ir/indexing.ts';
import { chunkWeights } from '../ir/shards.ts';
import { sumOf } from './machine.ts';
import { allBut, everyone, type Question } from './question.ts';
import { joinedBy, separateResults } from './results.ts';
import { trackedContributionBytes } from './work.ts';

/** One output slot, and whose input its result depends on. */
interface Wanted {
  readonly rank: number;
  readonly slot: number;
  readonly chunk: number;
  /** Ranks whose input the result depends on. */
  readonly contributors: readonly number[];
  /** True in named collectives that reduce: there a partial result of a chunk may serve several slots of this chunk number. */
  readonly merges: boolean;
  /** Size of the slot, as a fraction of M. */
  readonly weight: number;
}

function* wantedBy({ collective, work }: Question, ranks: readonly number[]): Iterable<Wanted> {
  const merges = collective.kind !== 'custom' && collectiveFacts[collective.kind].reduces;
  const byShard = chunkWeights(collective);
  const chunksInAll = messageChunks(collective);
  for (const rank of ranks) {
    for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
      work.spend(1);
      const wanted = expectation(collective, rank, slot);
      const weight = (byShard?.[shardOf(collective, 'output', rank, slot)] ?? 1) / chunksInAll;
      if (wanted.kind === 'list') {
        work.spend(wanted.parts.length);
        const contributors = wanted.parts.map((part) => part.rank);
        yield { rank, slot, chunk: listed(wanted)[0]?.chunk ?? 0, contributors, merges: false, weight };
      }
      if (wanted.kind !== 'ranks') continue;
      work.spend(wanted.last - wanted.first + 1);
      const contributors = Array.from({ length: wanted.last - wanted.first + 1 }, (_, i) => wanted.first + i);
      yield { rank, slot, chunk: wanted.chunk, contributors, merges, weight };
    }
  }
}

/** The ranks whose input a rank's output depends on. */
export function inputsNeededBy(question: Question, rank: number): ReadonlySet<number> {
  if (question.collective.kind === 'barrier') return new Set(everyone(question));
  const needed = new Set<number>();
  for (const { contributors } of wantedBy(question, [rank])) for (const other of contributors) needed.add(other);
  return needed;
}

/**
 * The total size of the distinct values that target ranks need from source ranks, as a fraction of M. Without reduction, each chunk of each source is
 * one value. In a reduction, targets are visited in rank order, and a target adds a value of a chunk if its result depends on a source on which no
 * result before depends: a partial result with the contribution of that source can serve none of those before.
 */
export function valuesBetween(question: Question, sources: ReadonlySet<number>, targets: readonly number[]): number {
  if (question.collective.kind === 'custom') return customValuesBetween(question, sources, targets);
  const values = new Map<string, number>();
  const covered = new Map<number, Set<number>>();
  let merged = 0;
  const inOrder = [...targets].sort((a, b) => a - b);
  for (const { chunk, contributors, merges, weight } of wantedBy(question, inOrder)) {
    const wanted = contributors.filter((rank) => sources.has(rank));
    if (wanted.length === 0) continue;
    if (!merges) {
      values.set(`${itemAt(wanted, 0)} ${chunk}`, weight);
      continue;
    }
    const before = covered.get(chunk) ?? new Set();
    covered.set(chunk, before);
    if (wanted.some((rank) => !before.has(rank))) merged += weight;
    for (const rank of wanted) before.add(rank);
  }
  return merged + sumOf([...values.values()]);
}

/**
 * `valuesBetween` for a custom collective: visits slots by ascending number of wanted contributions, and counts one value for each slot that wants an
 * input chunk of a source which no slot before wants.
 */
function customValuesBetween(
  { collective, work }: Question,
  sources: ReadonlySet<number>,
  targets: readonly number[],
): number {
  const wishes = targets.flatMap((rank) =>
    Array.from({ length: outputChunks(collective, rank) }, (_, slot) => {
      const wanted = expectation(collective, rank, slot);
      work.spend(wanted.kind === 'list' ? trackedContributionBytes * wanted.parts.length : 1);
      const contributions = wanted.kind === 'list' ? listed(wanted) : [];
      return new Set(
        contributions.filter((from) => sources.has(from.rank)).map((from) => `${from.rank} ${from.chunk}`),
      );
    }),
  );
  const wantedBefore = new Set<string>();
  let values = 0;
  for (const wish of wishes.filter(({ size }) => size > 0).sort((a, b) => a.size - b.size)) {
    if ([...wish].every((contribution) => wantedBefore.has(contribution))) continue;
    values++;
    for (const contribution of wish) wantedBefore.add(contribution);
  }
  return values / messageChunks(collective);
}

/** By source rank, how much a rank needs from it, as a fraction of M; for collectives that do not reduce. */
export function valuesBySource(question: Question, rank: number): ReadonlyMap<number, number> {
  const values = new Map<number, number>();
  for (const { contributors, weight } of wantedBy(question, [rank])) {
    for (const source of contributors) {
      if (source !== rank) values.set(source, (values.get(source) ?? 0) + weight);
    }
  }
  return values;
}

/**
 * How much a rank receives and reduces, as fractions of M, if each rank of `alone` sends its contribution to it uncombined. Undefined unless the
 * collective is a named reduction, the rank is not in `alone`, and all of `alone` contribute to each of its results.
 */
export function combinedAlone(
  question: Question,
  rank: number,
  alone: ReadonlySet<number>,
): { readonly received: number; readonly reduced: number } | undefined {
  const { kind } = question.collective;
  if (kind === 'custom' || !collectiveFacts[kind].reduces || alone.has(rank)) return undefined;
  let received = 0;
  let reduced = 0;
  let slots = 0;
  for (const { contributors, weight } of wantedBy(question, [rank])) {
    const straight = contributors.filter((other) => alone.has(other)).length;
    if (straight < alone.size) return undefined;
    received += straight * weight;
    reduced += (straight < contributors.length ? straight : straight - 1) * weight;
    slots++;
  }
  return slots === 0 ? undefined : { received, reduced };
}

/**
 * By rank, how much it must send (`out`) and receive (`in`) in any plan, as fractions of M. It sends at least one value for each chunk of its input
 * on which a result of another rank depends, and receives at least one for each of its results that depends on other ranks.
 */
export function minVolumes(question: Question): Readonly<Record<'out' | 'in', readonly number[]>> {
  const all = everyone(question);
  if (question.collective.kind === 'custom') {
    return {
      out: all.map((rank) => customValuesBetween(question, new Set([rank]), allBut(rank, question))),
      in: all.map((rank) => customValuesBetween(question, new Set(allBut(rank, question)), [rank])),
    };
  }
  const sent = all.map(() => 0);
  const received = all.map(() => 0);
  const counted = all.map(() => new Set<number>());
  for (const { rank, chunk, contributors, weight } of wantedBy(question, all)) {
    if (contributors.some((other) => other !== rank)) received[rank] = itemAt(received, rank) + weight;
    for (const other of contributors) {
      if (other === rank || itemAt(counted, other).has(chunk)) continue;
      itemAt(counted, other).add(chunk);
      sent[other] = itemAt(sent, other) + weight;
    }
  }
  return { out: sent, in: received };
}

/**
 * How much a chip must copy on a machine with staging, as fractions of M. `into`: the input that is sent or combined with other data, which must be
 * copied into the fast memory. `outOf`: the output that is not in place from the start. Both are 0 for custom collectives, of which nothing is
 * claimed.
 */
export function stagedBy(question: Question, rank: number): { readonly into: number; readonly outOf: number } {
  const { collective } = question;
  if (collective.kind === 'custom') return { into: 0, outOf: 0 };
  const { input, output } = memoryLayout(collective, rank);
  const needed = new Map<number, number>();
  let outOf = 0;
  for (const wanted of wantedBy(question, everyone(question))) {
    const { slot, chunk, contributors, weight } = wanted;
    const isOwn = wanted.rank === rank && contributors.length === 1 && contributors[0] === rank;
    if (contributors.includes(rank) && !isOwn) needed.set(chunk, weight);
    const isThere = isOwn && collective.inPlace && input + chunk === output + slot;
    if (wanted.rank === rank && !isThere) outOf += weight;
  }
  return { into: sumOf([...needed.values()]), outOf };
}

/**
 * Lower bound on the size of all messages together, as a multiple of M. A rank must receive what its results need from others. A result of n
 * contributions takes at least n − 1 messages to collect; an allreduce, in which all ranks need the contributions of all, takes at least 2(N − 1).
 */
export function messagesInAll(question: Question): number {
  const { kind, ranks } = question.collective;
  if (kind === 'custom') {
    return sumOf(joinedBy(question).map((joined) => joined.weight * (joined.ranks.size - 1)));
  }
  if (kind === 'barrier') return 0;
  if (kind === 'allreduce') return 2 * (ranks - 1);
  const received = new Map<string, number>();
  const together = new Map<string, number>();
  for (const { rank, chunk, contributors, merges, weight } of wantedBy(question, everyone(question))) {
    const key = merges ? `${chunk}` : `${itemAt(contributors, 0)} ${chunk}`;
    if (contributors.some((other) => other !== rank)) received.set(key, (received.get(key) ?? 0) + weight);
    together.set(key, Math.max(together.get(key) ?? 0, (contributors.length - 1) * weight));
  }
  return sumOf([...together].map(([key, gathered]) => Math.max(gathered, received.get(key) ?? 0)));
}

/**
 * Lower bound on the size of all reductions together, as a multiple of M: a result of n contributions takes n − 1 reductions, and results of
 * different chunks share none.
 */
export function reductionsInAll(question: Question): number {
  const { collective } = question;
  if (collective.kind === 'custom') {
    return sumOf(separateResults(question).map(({ from }) => from.size - 1)) / messageChunks(collective);
  }
  if (!collectiveFacts[collective.kind].reduces) return 0;
  const reduced = new Map<number, number>();
  for (const { chunk, contributors, weight } of wantedBy(question, everyone(question))) {
    reduced.set(chunk, Math.max(reduced.get(chunk) ?? 0, weight * (contributors.length - 1)));
  }
  return sumOf([...reduced.values()]);
}

/** Whether every other rank needs M bytes from the root (`out`), or the root M bytes from every other rank (`in`). */
export function isForAll(root: number, direction: Direction, question: Question): boolean {
  return allBut(root, question).every((rank) => {
    const [from, to] = direction === 'out' ? [root, rank] : [rank, root];
    return valuesBetween(question, new Set([from]), [to]) >= 1 - 1e-12;
  });
}

/**
 * Candidates for the rank at which a partial result may end: one of them may keep what it has reduced, all other ranks must send on what they
 * reduce. Undefined for collectives in which no rank must send on a reduced value.
 */
export function keepers({ collective, machine }: Question): readonly number[] | undefined {
  const { kind, root, ranks } = collective;
  if (kind === 'reduce') return [root];
  if (kind === 'scan' || kind === 'exscan') return [ranks - 1];
  return kind === 'allreduce' ? [...machine.chips.keys()] : undefined;
}
