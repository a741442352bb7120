/** Shows level 1 of a collective: input and required output of each node, as textbooks draw them. */

import {
  type Collective,
  type Contribution,
  collectiveFacts,
  combinesInRankOrder,
  expectation,
  inputChunks,
  listed,
  outputChunks,
} from '../../../ir/collective.ts';
import { counted } from '../../../ir/units.ts';
import { displayLimits } from '../../shown.ts';
import { elide, elidedRows, formatTable } from '../table.ts';
import { shardPart, sumName } from './names.ts';

/**
 * Makes a table of each node's input and output. Chunks are not shown: a shard is one box (`A` is node 0's in an allgather), and vectors that are
 * reduced as a whole have up to four boxes.
 */
export function showDefinition(collective: Collective): string {
  const drawn = drawnCollective(collective);
  const nodes = Array.from({ length: drawn.ranks }, (_, rank) => rank);
  const rows = elidedRows(nodes, displayLimits.nodesDefined, 'node', (rank) => [
    `${rank}`,
    box(inputChunks(drawn, rank), (chunk) => contributionName(drawn, { rank, chunk })),
    drawn.kind === 'barrier'
      ? 'after everyone is in'
      : box(outputChunks(drawn, rank), (slot) => expectedName(drawn, rank, slot)),
  ]);
  return `${headline(collective)}\n\n${formatTable({ header: ['Node', 'In', 'Out'], rows })}\n`;
}

function headline(collective: Collective): string {
  const { kind, ranks, root, op } = collective;
  const facts = collectiveFacts[kind];
  const details = [counted(ranks, 'node')];
  if (facts.rooted) details.push(`root ${root}`);
  if (facts.reduces) details.push(`${op}${combinesInRankOrder(collective) ? ' in rank order' : ''}`);
  return `${kind} (${details.join(', ')}): ${facts.about}`;
}

function drawnCollective(collective: Collective): Collective {
  const { kind, ranks } = collective;
  if (kind === 'custom') return collective;
  const facts = collectiveFacts[kind];
  return { ...collective, chunks: facts.reduces && !facts.sharded ? Math.min(ranks, displayLimits.elements) : 1 };
}

function contributionName(c: Collective, { rank, chunk }: Contribution): string {
  if (c.kind === 'barrier') return 'in';
  return collectiveFacts[c.kind].reduces ? sumName([{ rank, chunk, times: 1 }], c) : shardPart(c, rank, chunk).shard;
}

function expectedName(c: Collective, rank: number, slot: number): string {
  const expected = expectation(c, rank, slot);
  switch (expected.kind) {
    case 'undefined':
      return 'any';
    case 'list':
      return listed(expected)
        .map((contribution) => contributionName(c, contribution))
        .join('⊕');
    case 'ranks': {
      const { first, last, chunk } = expected;
      if (first === last) return contributionName(c, { rank: first, chunk });
      const terms = Array.from({ length: last - first + 1 }, (_, index) => ({ rank: first + index, chunk, times: 1 }));
      return sumName(terms, c);
    }
  }
}

/** Writes a buffer: `[A, B, C]`, or a dash for a buffer without chunks. */
function box(count: number, name: (index: number) => string): string {
  if (count === 0) return '–';
  const indices = elide(
    Array.from({ length: count }, (_, index) => index),
    displayLimits.boxes,
    () => -1,
  );
  return `[${indices.map((index) => (index < 0 ? '…' : name(index))).join(', ')}]`;
}
