/** Names input chunks and sums of them: shards A, B, C …, elements of vectors a, b, c …, ranks as subscripts. */
import { type Collective, inputChunks, messageChunks, type ReductionOperator } from '../../../ir/collective.ts';
import type { Term } from './symbolic-run.ts';

const letters = 26;

/** Part number `part` (of C) of a named shard. */
export interface ShardPart {
  readonly shard: string;
  readonly part: number;
}

/**
 * Names an input chunk of a collective that only moves data, as a part of a shard. A shard is named after its owner (allgather, gather), its receiver
 * (scatter) or both (alltoall: `A3` goes from 0 to 3). The message of a broadcast is a row of shards of one chunk each.
 */
export function shardPart(collective: Collective, rank: number, chunk: number): ShardPart {
  const { kind, ranks, chunks } = collective;
  const shard = Math.floor(chunk / chunks);
  const part = chunk % chunks;
  switch (kind) {
    case 'allgather':
    case 'gather':
      return { shard: shardName(rank, ranks), part };
    case 'scatter':
      return { shard: shardName(shard, ranks), part };
    case 'alltoall':
      return { shard: ranks > letters ? `${rank}→${shard}` : `${shardName(rank, ranks)}${shard}`, part };
    default:
      return { shard: shardName(chunk, messageChunks(collective)), part: 0 };
  }
}

/** `A` … `Z`, or numbers when there are more than 26 of them. */
function shardName(shard: number, shards: number): string {
  return shards > letters ? `${shard}` : String.fromCodePoint(0x41 + shard);
}

/** Element of the input vectors of a collective that reduces: `a` … `z`, or `x0`, `x1`, … when there are more than 26. */
export function elementName(element: number, collective: Collective): string {
  return elementCount(collective) > letters ? `x${element}` : String.fromCodePoint(0x61 + element);
}

function elementCount(collective: Collective): number {
  return collective.custom === undefined
    ? inputChunks(collective, collective.root)
    : collective.custom.input.reduce((most, count) => Math.max(most, count), 0);
}

/** A number in subscript digits: `12` → `₁₂`. */
export function subscript(value: number): string {
  return [...`${value}`].map((digit) => String.fromCodePoint(0x2080 + Number(digit))).join('');
}

/**
 * Writes the ranks that have been added as a subscript: `₀`, `₀₊₂`, `₁…₃` for 1, 2, 3 and `₃…₀` for 3, 4, 0 of five, since partial sums of a ring
 * wrap around past the last rank. `members` must ascend.
 */
function rankSubscript(members: readonly number[], ranks: number): string {
  const runs: number[][] = [];
  for (const rank of members) {
    const last = runs[runs.length - 1];
    if (last !== undefined && last[last.length - 1] === rank - 1) last.push(rank);
    else runs.push([rank]);
  }
  const wraps = runs.length > 1 && runs[0][0] === 0 && members[members.length - 1] === ranks - 1;
  if (wraps) runs.push([...(runs.pop() ?? []), ...(runs.shift() ?? [])]);
  return runs.map(runSubscript).join('₊');
}

function runSubscript(run: readonly number[]): string {
  if (run.length > 2) return `${subscript(run[0])}…${subscript(run[run.length - 1])}`;
  return run.map(subscript).join('₊');
}

/** Prefix of the name of an element that is reduced over all ranks: `Σa`, `Πa`, `max a`. */
const wholeNames: Readonly<Record<ReductionOperator, string>> = {
  sum: 'Σ',
  prod: 'Π',
  max: 'max ',
  min: 'min ',
  and: 'and ',
  or: 'or ',
  xor: 'xor ',
  minloc: 'minloc ',
  maxloc: 'maxloc ',
};

/**
 * Writes a sum: `a₀`, `a₀₊₁`, or `Σa` if it contains every rank once. Terms with a multiplicity above 1 get it as a factor (`2·a₀`), different
 * elements are joined by ⊕.
 */
export function sumName(terms: readonly Term[], collective: Collective): string {
  const groups = new Map<string, Term[]>();
  for (const term of terms) {
    const key = `${term.chunk} ${term.times}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [term]);
    else group.push(term);
  }
  return [...groups.values()].map((group) => groupName(group, collective)).join('⊕');
}

/** Names the terms that are the same element of different ranks with the same multiplicity. */
function groupName(group: readonly Term[], collective: Collective): string {
  const { chunk, times } = group[0];
  const name = elementName(chunk, collective);
  if (times === 1 && group.length === collective.ranks && group.length > 1) return wholeNames[collective.op] + name;
  const members = group.map((term) => term.rank);
  return `${times === 1 ? '' : `${times}·`}${name}${rankSubscript(members, collective.ranks)}`;
}
