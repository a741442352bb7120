/**
 * The rules by which MPI libraries choose an algorithm from the number of ranks and the size alone, whatever the machine:
 * MPICH's as in Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH" (IJHPCA 2005), and Open
 * MPI's fixed decisions up to release 4.0, which were measured on one cluster.
 */
import type { CollectiveKind } from '../ir/collective.ts';
import type { Bytes } from '../ir/units.ts';

/** What a rule chooses. */
export interface RuleChoice {
  /** A schedule of `schedules/`. */
  readonly schedule: string;
  /** Segments that the message (of a ring with segments: one rank's part) is sent in; absent: whole. */
  readonly segment?: Bytes;
}

/** `size` is the project's M, the larger of a rank's two buffers; undefined where there is no rule. */
export type Rule = (ranks: number, size: Bytes) => RuleChoice;

export interface RuleBook {
  readonly library: string;
  readonly rules: Partial<Readonly<Record<CollectiveKind, Rule>>>;
}

const isPowerOfTwo = (ranks: number): boolean => Number.isInteger(Math.log2(ranks));
const KiB = 1024;

const mpich: RuleBook = {
  library: 'MPICH',
  rules: {
    allgather: (ranks, size) => {
      if (isPowerOfTwo(ranks) && size < 512 * KiB) return { schedule: 'recursive-doubling-allgather' };
      return { schedule: size < 80 * KiB ? 'bruck-allgather' : 'ring-allgather' };
    },
    broadcast: (ranks, size) => {
      if (size < 12 * KiB || ranks < 8) return { schedule: 'binomial-broadcast' };
      return size < 512 * KiB && isPowerOfTwo(ranks)
        ? { schedule: 'scatter-recursive-doubling-allgather-broadcast' }
        : { schedule: 'scatter-ring-allgather-broadcast' };
    },
    reducescatter: (ranks, size) => {
      if (size >= 256 * KiB) return { schedule: 'pairwise-reducescatter' };
      return { schedule: `${isPowerOfTwo(ranks) ? '' : 'folded-'}recursive-halving-reducescatter` };
    },
    reduce: (_, size) => ({ schedule: size < 2 * KiB ? 'binomial-reduce' : 'rabenseifner-reduce' }),
    allreduce: (_, size) => ({
      schedule: size <= 2 * KiB ? 'recursive-doubling-allreduce' : 'rabenseifner-allreduce',
    }),
    alltoall: (ranks, size) => {
      const block = size / ranks;
      if (block <= 256 && ranks >= 8) return { schedule: 'bruck-alltoall' };
      return { schedule: block <= 32 * KiB ? 'full-mesh-alltoall' : 'pairwise-alltoall' };
    },
    gather: () => ({ schedule: 'binomial-gather' }),
    scatter: () => ({ schedule: 'binomial-scatter' }),
  },
};

/** The two halves of its split binary tree are here one binary tree, which takes as long for half of the ranks. */
const openMpi: RuleBook = {
  library: 'Open MPI',
  rules: {
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
    broadcast: (ranks, size) => {
      if (size < 2 * KiB) return { schedule: 'binomial-broadcast' };
      if (size < 370_728) return { schedule: 'segmented-binary-tree-broadcast', segment: KiB };
      if (ranks < 1.6134e-6 * size + 2.1102) return { schedule: 'pipelined-chain-broadcast', segment: 128 * KiB };
      if (ranks < 13) return { schedule: 'segmented-binary-tree-broadcast', segment: 8 * KiB };
      if (ranks < 2.3679e-6 * size + 1.1787) return { schedule: 'pipelined-chain-broadcast', segment: 64 * KiB };
      const segment = ranks < 3.2118e-6 * size + 8.7936 ? 16 * KiB : 8 * KiB;
      return { schedule: 'pipelined-chain-broadcast', segment };
    },
    reducescatter: (ranks, size) => {
      const isShort = size <= 12 * KiB || (size <= 256 * KiB && isPowerOfTwo(ranks)) || ranks >= 0.0012 * size + 8;
      if (!isShort) return { schedule: 'ring-reducescatter' };
      return { schedule: `${isPowerOfTwo(ranks) ? '' : 'folded-'}recursive-halving-reducescatter` };
    },
  },
};

/** The libraries whose rules tuning compares with. */
export const ruleBooks: readonly RuleBook[] = [mpich, openMpi];
