/**
 * MPICH's selection rules in two versions: as published in Thakur, Rabenseifner, Gropp, "Optimization of Collective
 * Communication Operations in MPICH" (IJHPCA 2005), and as compiled into releases 4.0 to 5.0 (the generic selection
 * tables, for ranks on different nodes). Sizes are those of one rank's vector, of the gathered whole, or of an
 * alltoall's block.
 */
import type { Bytes } from '../../ir/units.ts';
import { isPowerOfTwo, KiB, type RuleBook, type RuleChoice, recursiveHalving } from './rule.ts';

function allgather(ranks: number, size: Bytes): RuleChoice {
  if (isPowerOfTwo(ranks)) return { schedule: `${size < 512 * KiB ? 'recursive-doubling' : 'ring'}-allgather` };
  return { schedule: `${size < 80 * KiB ? 'bruck' : 'ring'}-allgather` };
}

function broadcastBeyond(ranks: number, isMedium: boolean): RuleChoice {
  const allgathering = isMedium && isPowerOfTwo(ranks) ? 'recursive-doubling' : 'ring';
  return { schedule: `scatter-${allgathering}-allgather-broadcast` };
}

function alltoall(ranks: number, size: Bytes): RuleChoice {
  const block = size / ranks;
  if (block <= 256 && ranks >= 8) return { schedule: 'bruck-alltoall' };
  return { schedule: block <= 32 * KiB ? 'full-mesh-alltoall' : 'pairwise-alltoall' };
}

function reduce(_: number, size: Bytes): RuleChoice {
  return { schedule: size <= 2 * KiB ? 'binomial-reduce' : 'rabenseifner-reduce' };
}

const ofBoth = {
  allgather,
  alltoall,
  reduce,
  gather: () => ({ schedule: 'binomial-gather' }),
  scatter: () => ({ schedule: 'binomial-scatter' }),
} as const;

const doubling = (): RuleChoice => ({ schedule: 'recursive-doubling-reducescatter' });

/** Their reductions preserve rank order in trees and recursive doubling, but not in Rabenseifner's algorithm. */
const inOrderOfBoth = {
  allreduce: () => ({ schedule: 'recursive-doubling-allreduce' }),
  reduce: () => ({ schedule: 'in-order-binomial-reduce' }),
} as const;

export const mpich2005: RuleBook = {
  library: 'MPICH (2005)',
  rules: {
    ...ofBoth,
    allreduce: (_, size) => ({
      schedule: size <= 2 * KiB ? 'recursive-doubling-allreduce' : 'rabenseifner-allreduce',
    }),
    broadcast: (ranks, size) => {
      if (size < 12 * KiB || ranks < 8) return { schedule: 'binomial-broadcast' };
      return broadcastBeyond(ranks, size < 512 * KiB);
    },
    reducescatter: (ranks, size) =>
      size < 256 * KiB ? recursiveHalving(ranks) : { schedule: 'pairwise-reducescatter' },
  },
  inOrder: {
    ...inOrderOfBoth,
    reducescatter: (_, size) => (size < 256 ? doubling() : { schedule: 'in-order-pairwise-reducescatter' }),
  },
};

export const mpich4: RuleBook = {
  library: 'MPICH 4.0 to 5.0',
  rules: {
    ...ofBoth,
    allreduce: (_, size) => ({ schedule: size <= 8 ? 'recursive-doubling-allreduce' : 'rabenseifner-allreduce' }),
    broadcast: (ranks, size) => {
      if (size <= 12 * KiB || ranks < 8) return { schedule: 'binomial-broadcast' };
      return broadcastBeyond(ranks, size <= 512 * KiB);
    },
    reducescatter: (ranks, size) =>
      size < 512 * KiB ? recursiveHalving(ranks) : { schedule: 'pairwise-reducescatter' },
  },
  inOrder: {
    ...inOrderOfBoth,
    reducescatter: (ranks) =>
      isPowerOfTwo(ranks) ? { schedule: 'in-order-recursive-halving-reducescatter' } : doubling(),
  },
};
