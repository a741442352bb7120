/**
 * Open MPI's fixed decisions up to release 4.0: lines and thresholds fitted to measurements on one cluster. The two
 * halves of its split binary tree are modelled as one binary tree, which takes as long for half of the ranks; its
 * synchronising gather is modelled as a linear one.
 */
import type { Bytes } from '../../ir/units.ts';
import { isPowerOfTwo, KiB, type RuleBook, type RuleChoice, recursiveHalving } from './rule.ts';

function broadcast(ranks: number, size: Bytes): RuleChoice {
  if (size < 2 * KiB) return { schedule: 'binomial-broadcast' };
  if (size < 370_728) return { schedule: 'segmented-binary-tree-broadcast', segment: KiB };
  const chain = (segment: Bytes): RuleChoice => ({ schedule: 'pipelined-chain-broadcast', segment });
  if (ranks < 1.6134e-6 * size + 2.1102) return chain(128 * KiB);
  if (ranks < 13) return { schedule: 'segmented-binary-tree-broadcast', segment: 8 * KiB };
  if (ranks < 2.3679e-6 * size + 1.1787) return chain(64 * KiB);
  return chain(ranks < 3.2118e-6 * size + 8.7936 ? 16 * KiB : 8 * KiB);
}

function reduce(ranks: number, size: Bytes): RuleChoice {
  if (ranks < 8 && size < 512) return { schedule: 'linear-reduce' };
  if ((ranks < 8 && size < 20 * KiB) || size < 2 * KiB) return { schedule: 'binomial-reduce' };
  const beyond = (perKiB: number, least: number): boolean => ranks > (perKiB * size) / KiB + least;
  if (beyond(0.6016, 1.3496)) return { schedule: 'binomial-reduce', segment: KiB };
  if (beyond(0.041, 9.7128)) return { schedule: 'pipelined-chain-reduce', segment: KiB };
  if (beyond(0.0422, 1.1614)) return { schedule: 'segmented-binary-tree-reduce', segment: 32 * KiB };
  return { schedule: 'pipelined-chain-reduce', segment: beyond(0.0033, 1.6761) ? 32 * KiB : 64 * KiB };
}

export const openMpi4: RuleBook = {
  library: 'Open MPI up to 4.0',
  rules: {
    broadcast,
    reduce,
    allgather: (ranks, size) => {
      if (size < 50_000) return { schedule: isPowerOfTwo(ranks) ? 'recursive-doubling-allgather' : 'bruck-allgather' };
      return { schedule: ranks % 2 === 0 ? 'neighbour-exchange-allgather' : 'ring-allgather' };
    },
    allreduce: (ranks, size) => {
      if (size < 10_000) return { schedule: 'recursive-doubling-allreduce' };
      const segment = 1024 * KiB;
      return size <= ranks * segment
        ? { schedule: 'ring-allreduce' }
        : { schedule: 'segmented-ring-allreduce', segment };
    },
    alltoall: (ranks, size) => {
      const block = size / ranks;
      if (block < 200 && ranks > 12) return { schedule: 'bruck-alltoall' };
      return { schedule: block < 3000 ? 'full-mesh-alltoall' : 'pairwise-alltoall' };
    },
    gather: (ranks, size) => {
      const block = size / ranks;
      const isBinomial = block <= 6000 && (ranks > 60 || (ranks > 10 && block < KiB));
      return { schedule: isBinomial ? 'binomial-gather' : 'linear-gather' };
    },
    reducescatter: (ranks, size) => {
      const isShort = size <= 12 * KiB || (size <= 256 * KiB && isPowerOfTwo(ranks)) || ranks >= 0.0012 * size + 8;
      return isShort ? recursiveHalving(ranks) : { schedule: 'ring-reducescatter' };
    },
    scatter: (ranks, size) => ({
      schedule: ranks > 10 && size / ranks < 300 ? 'binomial-scatter' : 'linear-scatter',
    }),
  },
  inOrder: {
    allreduce: (_, size) => ({ schedule: `${size < 10_000 ? 'recursive-doubling' : 'reduce-broadcast'}-allreduce` }),
    reduce: (ranks, size) => ({ schedule: ranks < 12 && size < 2 * KiB ? 'linear-reduce' : 'in-order-binary-reduce' }),
    reducescatter: () => ({ schedule: 'nonoverlapping-reducescatter' }),
  },
};
