/** How input chunks and sums of them are called: shards A, B, C …, elements of vectors a, b, c …, ranks as subscripts. */
import { type Collective, inputChunks, messageChunks, type ReductionOperator } from '../../../ir/collective.ts';
import type { Term } from './symbolic-run.ts';

const letters = 26;

/** Part `part` (of C) of the shard that goes by a name. */
export interface ShardPart {
  readonly shard: string;
  readonly part: number;
}

/**
 * An input chunk of a collective that only moves data, as part of a shard named after whose it is (allgather, gather), whom it
 * is for (scatter) or both (alltoall: `A3` goes from 0 to 3). What is broadcast is a row of shards of one chunk.
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
 * Which ranks have been added, as a subscript: `₀`, `₀₊₂`, `₁…₃` for 1, 2, 3 and `₃…₀` for 3, 4, 0 of five (sums that
 * went round a ring past the last rank). `members` must ascend.
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

/** What a sum over all ranks of one element is called, before its name: `Σa`, `Πa`, `max a`. */
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
 * A sum as text: `a₀`, `a₀₊₁`, `Σa` when every rank is in it once. Terms that are in it more than once get their number in
 * front (`2·a₀`), different elements are joined by ⊕.
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

/** The name of terms that are the same element of different ranks, equally often. */
function groupName(group: readonly Term[], collective: Collective): string {
  const { chunk, times } = group[0];
  const name = elementName(chunk, collective);
  if (times === 1 && group.length === collective.ranks && group.length > 1) return wholeNames[collective.op] + name;
  const members = group.map((term) => term.rank);
  return `${times === 1 ? '' : `${times}·`}${name}${rankSubscript(members, collective.ranks)}`;
}
