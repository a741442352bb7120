/**
 * Rules for Open MPI's `tuned` component (releases 4.1 and 5.0 read them with `--mca coll_tuned_use_dynamic_rules 1 --mca
 * coll_tuned_dynamic_rules_filename FILE`): for each collective and number of ranks, from how many bytes on which algorithm. What it
 * calls the size of a message is M for all collectives but scans, which it chooses without regard to the size.
 */
import type { CollectiveKind } from '../ir/collective.ts';
import { namedRanges, namesOf } from './named.ts';
import type { TimedPlan } from './timed-plan.ts';
import type { TuneResult } from './tune.ts';

interface Algorithm {
  readonly id: number;
  /** Takes a segment size. */
  readonly segmented?: boolean;
}

interface CollectiveRules {
  readonly id: number;
  /** It looks rules up by a size that is the same for all messages: there can be one rule only. */
  readonly anySize?: boolean;
  /** By the names that schedules have: Open MPI's own and ours for the same algorithm. */
  readonly algorithms: Readonly<Record<string, Algorithm>>;
}

/** Numbers of collectives and algorithms, as `ompi_info --param coll tuned --level 9` lists them. */
const collectives: Partial<Readonly<Record<CollectiveKind, CollectiveRules>>> = {
  allgather: {
    id: 0,
    algorithms: {
      linear: { id: 1 },
      bruck: { id: 2 },
      recursive_doubling: { id: 3 },
      ring: { id: 4 },
      neighbor_exchange: { id: 5 },
    },
  },
  allreduce: {
    id: 2,
    algorithms: {
      basic_linear: { id: 1 },
      nonoverlapping: { id: 2 },
      recursive_doubling: { id: 3 },
      ring: { id: 4 },
      segmented_ring: { id: 5, segmented: true },
      rabenseifner: { id: 6 },
    },
  },
  alltoall: { id: 3, algorithms: { linear: { id: 1 }, pairwise: { id: 2 }, bruck: { id: 3 } } },
  broadcast: {
    id: 7,
    algorithms: {
      linear: { id: 1 },
      chain: { id: 2, segmented: true },
      pipelined_chain: { id: 3, segmented: true },
      binary_tree: { id: 5, segmented: true },
      binomial: { id: 6, segmented: true },
      scatter_recursive_doubling_allgather: { id: 8 },
      scatter_ring_allgather: { id: 9 },
    },
  },
  exscan: { id: 8, anySize: true, algorithms: { linear: { id: 1 }, recursive_doubling: { id: 2 } } },
  gather: { id: 9, algorithms: { linear: { id: 1 }, binomial: { id: 2 } } },
  reduce: {
    id: 11,
    algorithms: {
      linear: { id: 1 },
      chain: { id: 2, segmented: true },
      pipeline: { id: 3, segmented: true },
      binary_tree: { id: 4, segmented: true },
      binomial: { id: 5, segmented: true },
      rabenseifner: { id: 7 },
    },
  },
  reducescatter: {
    id: 12,
    algorithms: {
      nonoverlapping: { id: 1 },
      recursive_halving: { id: 2 },
      folded_recursive_halving: { id: 2 },
      ring: { id: 3 },
    },
  },
  scan: { id: 14, anySize: true, algorithms: { linear: { id: 1 }, recursive_doubling: { id: 2 } } },
  scatter: { id: 15, algorithms: { linear: { id: 1 }, binomial: { id: 2 } } },
};

/**
 * The rules file for one collective, tuned for one or more numbers of ranks; the best algorithms that Open MPI has, where the winner
 * has no name there.
 * @returns undefined where Open MPI has none of the algorithms
 */
export function openMpiRules(
  kind: CollectiveKind,
  tuned: readonly TuneResult[],
  tolerance: number,
): string | undefined {
  const rules = collectives[kind];
  if (rules === undefined) return undefined;
  const bySize = tuned.flatMap((result) => {
    const ranks = result.routes.topology.chips.length;
    // Beyond any tolerance one plan does for all sizes.
    const allowed = rules.anySize === true ? Number.POSITIVE_INFINITY : tolerance;
    const ranges = namedRanges(result, allowed, (plan) => algorithmOf(plan, rules));
    return ranges.length === 0 ? [] : [{ ranks, ranges }];
  });
  if (bySize.length === 0) return undefined;
  const lines = [line(1, 'number of collectives'), line(rules.id, kind), line(bySize.length, 'numbers of ranks')];
  for (const { ranks, ranges } of bySize) {
    lines.push(line(ranks, 'ranks'), line(ranges.length, 'ranges of sizes: from bytes, algorithm, fan out, segment'));
    ranges.forEach(({ from, plan, name }, index) => {
      // The first rule has to begin at 0, or Open MPI falls back to its own.
      const bytes = index === 0 ? 0 : from;
      const fanOut = name.segmented === true ? 1 : 0;
      lines.push(line(`${bytes} ${name.id} ${fanOut} ${segmentBytes(plan, name)}`, plan.algorithm));
    });
  }
  return `${lines.join('\n')}\n`;
}

/** What one message carries, for the size that the pipeline's depth was chosen for; 0 where messages are not cut. */
function segmentBytes({ priced, tunedFor }: TimedPlan, { segmented }: Algorithm): number {
  const { bulks, collective } = priced.checked.plan;
  const segments = bulks * collective.chunks;
  return segmented !== true || segments === 1 ? 0 : Math.max(1, Math.round(tunedFor / segments));
}

function line(value: number | string, remark: string): string {
  return `${value} # ${remark}`;
}

/** Pipelines are for algorithms that take segments. */
function algorithmOf(plan: TimedPlan, { algorithms }: CollectiveRules): Algorithm | undefined {
  const name = namesOf(plan).find((candidate) => Object.hasOwn(algorithms, candidate));
  if (name === undefined) return undefined;
  const algorithm = algorithms[name];
  return plan.bulks === 1 || algorithm.segmented === true ? algorithm : undefined;
}
