/**
 * Open MPI's fixed decisions of releases 4.1 and 5.0, averages of measurements on several clusters. They do not use
 * segments, so a segmented ring is modelled as a ring, a pipeline as a chain, and a split binary tree as one binary
 * tree; algorithms that differ only in the number of outstanding requests are the same here.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Bytes } from '../../ir/units.ts';
import { isPowerOfTwo, type Rule, type RuleBook, type RuleChoice, recursiveHalving } from './rule.ts';

/** An algorithm, and the message size below which it is used, unless an earlier choice applies. */
type Choice = readonly [below: Bytes, algorithm: string];
/** The choices for fewer ranks than the given number, unless an earlier row applies. */
type Row = readonly [ranksBelow: number, ...choices: readonly Choice[]];

const ever = Number.POSITIVE_INFINITY;

// biome-ignore format: a row is a range of ranks
const tables = {
  allreduce: [
    [4, [8, 'ring'], [4096, 'recursive-doubling'], [8192, 'ring'], [16384, 'recursive-doubling'], [262144, 'ring'], [ever, 'rabenseifner']],
    [8, [16, 'ring'], [8192, 'recursive-doubling'], [ever, 'rabenseifner']],
    [16, [8192, 'recursive-doubling'], [ever, 'rabenseifner']],
    [32, [64, 'ring'], [4096, 'recursive-doubling'], [ever, 'rabenseifner']],
    [64, [128, 'ring'], [ever, 'rabenseifner']],
    [128, [262144, 'recursive-doubling'], [ever, 'rabenseifner']],
    [256, [131072, 'reduce-broadcast'], [262144, 'recursive-doubling'], [ever, 'rabenseifner']],
    [512, [4096, 'reduce-broadcast'], [ever, 'rabenseifner']],
    [2048, [2048, 'reduce-broadcast'], [16384, 'recursive-doubling'], [ever, 'rabenseifner']],
    [4096, [2048, 'reduce-broadcast'], [4096, 'ring'], [16384, 'recursive-doubling'], [ever, 'rabenseifner']],
    [ever, [2048, 'reduce-broadcast'], [16384, 'ring'], [32768, 'recursive-doubling'], [ever, 'rabenseifner']],
  ],
  alltoall: [
    [3, [ever, 'pairwise']],
    [8, [524288, 'full-mesh'], [1048576, 'pairwise'], [ever, 'full-mesh']],
    [16, [ever, 'full-mesh']],
    [32, [4, 'full-mesh'], [512, 'bruck'], [ever, 'full-mesh']],
    [64, [512, 'bruck'], [ever, 'full-mesh']],
    [256, [1024, 'bruck'], [262144, 'full-mesh'], [ever, 'pairwise']],
    [512, [1024, 'bruck'], [32768, 'full-mesh'], [ever, 'pairwise']],
    [1024, [512, 'bruck'], [262144, 'full-mesh'], [ever, 'pairwise']],
    [2048, [512, 'bruck'], [ever, 'full-mesh']],
    [4096, [1024, 'bruck'], [ever, 'full-mesh']],
    [ever, [2048, 'bruck'], [ever, 'full-mesh']],
  ],
  broadcast: [
    [4, [32, 'chain'], [256, 'segmented-binary-tree'], [512, 'chain'], [1024, 'k-nomial'], [32768, 'linear'],
      [131072, 'segmented-binary-tree'], [262144, 'chain'], [524288, 'linear'], [1048576, 'binomial'],
      [ever, 'segmented-binary-tree']],
    [8, [64, 'segmented-binary-tree'], [128, 'binomial'], [2048, 'segmented-binary-tree'], [8192, 'binomial'], [1048576, 'linear'], [ever, 'chain']],
    [16, [8, 'k-nomial'], [64, 'segmented-binary-tree'], [4096, 'k-nomial'], [16384, 'segmented-binary-tree'], [32768, 'binomial'], [ever, 'linear']],
    [32, [4096, 'k-nomial'], [1048576, 'binomial'], [ever, 'scatter-recursive-doubling-allgather']],
    [64, [2048, 'binomial'], [ever, 'k-nomial']],
    [128, [ever, 'k-nomial']],
    [256, [2, 'binomial'], [16384, 'segmented-binary-tree'], [32768, 'linear'], [65536, 'segmented-binary-tree'], [ever, 'k-nomial']],
    [1024, [16384, 'k-nomial'], [32768, 'segmented-binary-tree'], [ever, 'k-nomial']],
    [2048, [524288, 'k-nomial'], [ever, 'scatter-recursive-doubling-allgather']],
    [4096, [262144, 'k-nomial'], [ever, 'scatter-recursive-doubling-allgather']],
    [ever, [8192, 'k-nomial'], [16384, 'segmented-binary-tree'], [262144, 'k-nomial'], [ever, 'scatter-recursive-doubling-allgather']],
  ],
  reduce: [
    [4, [8, 'rabenseifner'], [16, 'segmented-binary-tree'], [32, 'chain'], [262144, 'linear'], [524288, 'chain'],
      [1048576, 'two-chain'], [ever, 'chain']],
    [8, [4096, 'segmented-binary-tree'], [65536, 'two-chain'], [262144, 'binomial'], [524288, 'linear'], [1048576, 'binomial'], [ever, 'linear']],
    [16, [8192, 'segmented-binary-tree'], [ever, 'binomial']],
    [32, [4096, 'segmented-binary-tree'], [ever, 'binomial']],
    [256, [ever, 'binomial']],
    [512, [8192, 'binomial'], [16384, 'in-order-binary'], [ever, 'binomial']],
    [2048, [ever, 'binomial']],
    [4096, [512, 'binomial'], [1024, 'in-order-binary'], [8192, 'binomial'], [16384, 'in-order-binary'], [ever, 'binomial']],
    [ever, [16, 'binomial'], [32, 'in-order-binary'], [1024, 'binomial'], [2048, 'in-order-binary'], [8192, 'binomial'],
      [16384, 'in-order-binary'], [ever, 'binomial']],
  ],
  reducescatter: [
    [4, [65536, 'ring'], [131072, 'butterfly'], [ever, 'ring']],
    [8, [8, 'nonoverlapping'], [262144, 'recursive-halving'], [ever, 'ring']],
    [32, [262144, 'recursive-halving'], [ever, 'ring']],
    [64, [64, 'nonoverlapping'], [2048, 'recursive-halving'], [524288, 'butterfly'], [ever, 'ring']],
    [128, [256, 'nonoverlapping'], [512, 'recursive-halving'], [2048, 'butterfly'], [4096, 'recursive-halving'], [ever, 'butterfly']],
    [256, [256, 'nonoverlapping'], [512, 'recursive-halving'], [ever, 'butterfly']],
    [512, [256, 'nonoverlapping'], [1024, 'recursive-halving'], [ever, 'butterfly']],
    [1024, [512, 'nonoverlapping'], [2048, 'recursive-halving'], [8192, 'butterfly'], [16384, 'recursive-halving'], [ever, 'butterfly']],
    [2048, [512, 'nonoverlapping'], [4096, 'recursive-halving'], [16384, 'butterfly'], [32768, 'recursive-halving'], [ever, 'butterfly']],
    [4096, [512, 'nonoverlapping'], [4096, 'recursive-halving'], [ever, 'butterfly']],
    [ever, [1024, 'nonoverlapping'], [8192, 'recursive-halving'], [ever, 'butterfly']],
  ],
  allgather: [
    [32, [ever, 'recursive-doubling']],
    [64, [1024, 'recursive-doubling'], [65536, 'neighbour-exchange'], [ever, 'ring']],
    [128, [512, 'recursive-doubling'], [65536, 'neighbour-exchange'], [ever, 'ring']],
    [256, [512, 'recursive-doubling'], [131072, 'neighbour-exchange'], [524288, 'ring'], [1048576, 'neighbour-exchange'], [ever, 'ring']],
    [512, [32, 'recursive-doubling'], [128, 'bruck'], [1024, 'recursive-doubling'], [131072, 'neighbour-exchange'],
      [524288, 'ring'], [1048576, 'neighbour-exchange'], [ever, 'ring']],
    [1024, [64, 'recursive-doubling'], [256, 'bruck'], [2048, 'recursive-doubling'], [ever, 'neighbour-exchange']],
    [2048, [4, 'recursive-doubling'], [8, 'bruck'], [16, 'recursive-doubling'], [32, 'bruck'], [256, 'recursive-doubling'],
      [512, 'bruck'], [4096, 'recursive-doubling'], [ever, 'neighbour-exchange']],
    [4096, [32, 'bruck'], [128, 'recursive-doubling'], [512, 'bruck'], [4096, 'recursive-doubling'], [ever, 'neighbour-exchange']],
    [ever, [2, 'recursive-doubling'], [8, 'bruck'], [16, 'recursive-doubling'], [512, 'bruck'], [4096, 'recursive-doubling'],
      [ever, 'neighbour-exchange']],
  ],
  gather: [
    [4, [4, 'linear'], [32768, 'binomial'], [65536, 'linear'], [131072, 'binomial'], [ever, 'linear']],
    [8, [1024, 'binomial'], [8192, 'linear'], [32768, 'binomial'], [ever, 'linear']],
    [256, [ever, 'binomial']],
    [512, [2048, 'binomial'], [8192, 'linear'], [ever, 'binomial']],
    [ever, [ever, 'binomial']],
  ],
  scatter: [
    [4, [ever, 'linear']],
    [8, [2048, 'binomial'], [4096, 'linear'], [8192, 'binomial'], [ever, 'linear']],
    [32, [16384, 'binomial'], [ever, 'linear']],
    [64, [512, 'binomial'], [8192, 'linear'], [16384, 'binomial'], [ever, 'linear']],
    [ever, [512, 'binomial'], [ever, 'linear']],
  ],
} satisfies Partial<Readonly<Record<CollectiveKind, readonly Row[]>>>;

// biome-ignore format: a row is a range of ranks
const inOrderTables = {
  allreduce: [
    [4, [131072, 'recursive-doubling'], [ever, 'single-node']],
    [8, [ever, 'recursive-doubling']],
    [16, [1048576, 'recursive-doubling'], [ever, 'reduce-broadcast']],
    [128, [ever, 'recursive-doubling']],
    [256, [131072, 'reduce-broadcast'], [524288, 'recursive-doubling'], [ever, 'reduce-broadcast']],
    [512, [4096, 'reduce-broadcast'], [524288, 'recursive-doubling'], [ever, 'reduce-broadcast']],
    [ever, [2048, 'reduce-broadcast'], [ever, 'recursive-doubling']],
  ],
  reduce: [
    [4, [8, 'in-order-binary'], [ever, 'linear']],
    [8, [ever, 'linear']],
    [16, [1024, 'in-order-binary'], [8192, 'linear'], [16384, 'in-order-binary'], [262144, 'linear'], [ever, 'in-order-binary']],
    [128, [ever, 'in-order-binary']],
    [256, [512, 'in-order-binary'], [1024, 'linear'], [ever, 'in-order-binary']],
    [ever, [ever, 'in-order-binary']],
  ],
  reducescatter: [[ever, [ever, 'nonoverlapping']]],
} satisfies Partial<Readonly<Record<CollectiveKind, readonly Row[]>>>;

/** @param bytesFor the size by which the library looks up a message of M bytes */
function ruleFor(
  kind: keyof typeof tables,
  bytesFor: (ranks: number, size: Bytes) => Bytes,
  table: readonly Row[] = tables[kind],
): Rule {
  return (ranks, size) => {
    const bytes = bytesFor(ranks, size);
    const [, ...choices] = table.find(([ranksBelow]) => ranks < ranksBelow) ?? table[table.length - 1];
    const [, algorithm] = choices.find(([below]) => bytes < below) ?? choices[choices.length - 1];
    return scheduleFor(kind, algorithm, ranks);
  };
}

/** An algorithm that does not support so many ranks falls back on another. */
function scheduleFor(kind: CollectiveKind, algorithm: string, ranks: number): RuleChoice {
  if (kind === 'allgather' && algorithm === 'recursive-doubling' && !isPowerOfTwo(ranks)) {
    return { schedule: 'bruck-allgather' };
  }
  if (algorithm === 'neighbour-exchange' && ranks % 2 === 1) return { schedule: 'ring-allgather' };
  if (algorithm === 'recursive-halving') return recursiveHalving(ranks);
  return { schedule: `${algorithm}-${kind}` };
}

const inAll = (_: number, size: Bytes): Bytes => size;
/** One rank's share, or what one rank sends another. */
const perBlock = (ranks: number, size: Bytes): Bytes => size / ranks;

export const openMpi5: RuleBook = {
  library: 'Open MPI 4.1 and 5.0',
  rules: {
    allgather: ruleFor('allgather', perBlock),
    allreduce: ruleFor('allreduce', inAll),
    alltoall: ruleFor('alltoall', perBlock),
    broadcast: ruleFor('broadcast', inAll),
    gather: ruleFor('gather', perBlock),
    reduce: ruleFor('reduce', inAll),
    reducescatter: ruleFor('reducescatter', inAll),
    scatter: ruleFor('scatter', perBlock),
  },
  inOrder: {
    allreduce: ruleFor('allreduce', inAll, inOrderTables.allreduce),
    reduce: ruleFor('reduce', inAll, inOrderTables.reduce),
    reducescatter: ruleFor('reducescatter', inAll, inOrderTables.reducescatter),
  },
};
