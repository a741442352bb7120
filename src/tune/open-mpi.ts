/**
 * Rules for Open MPI's `tuned` component (`--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename
 * FILE`): for each collective and number of ranks, the algorithm from a given message size on. Releases 4.1 and 5.0
 * read version 1 of the format, releases from 5.0.7 version 2, and from 6.0 version 3, which is JSON. Its message size
 * is M for all collectives but scans, which it selects regardless of size.
 */
import type { CollectiveKind } from '../ir/collective.ts';
import type { Bytes } from '../ir/units.ts';
import { type NamedRange, namedRanges, namesOf } from './named.ts';
import type { TunedPlan } from './timed-plan.ts';
import type { TuneResult } from './tune.ts';

interface Algorithm {
  readonly id: number;
  /** Whether it takes a segment size. */
  readonly segmented?: boolean;
}

export const rulesVersions = [1, 2, 3] as const;
export type RulesVersion = (typeof rulesVersions)[number];

interface CollectiveRules {
  readonly id: number;
  /** Its name in version 3 of the format. */
  readonly name: string;
  /** Open MPI looks rules up by a constant size for this collective: there can be one rule only. */
  readonly anySize?: boolean;
  /** By the names of schedules: Open MPI's own names, and ours for the same algorithms. */
  readonly algorithms: Readonly<Record<string, Algorithm>>;
}

/** Numbers of collectives and algorithms as listed by `ompi_info --param coll tuned --level 9`. */
const collectives: Partial<Readonly<Record<CollectiveKind, CollectiveRules>>> = {
  allgather: {
    id: 0,
    name: 'allgather',
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
    name: 'allreduce',
    algorithms: {
      basic_linear: { id: 1 },
      nonoverlapping: { id: 2 },
      recursive_doubling: { id: 3 },
      ring: { id: 4 },
      segmented_ring: { id: 5, segmented: true },
      rabenseifner: { id: 6 },
    },
  },
  alltoall: { id: 3, name: 'alltoall', algorithms: { linear: { id: 1 }, pairwise: { id: 2 }, bruck: { id: 3 } } },
  broadcast: {
    id: 7,
    name: 'bcast',
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
  exscan: { id: 8, name: 'exscan', anySize: true, algorithms: { linear: { id: 1 }, recursive_doubling: { id: 2 } } },
  gather: { id: 9, name: 'gather', algorithms: { linear: { id: 1 }, binomial: { id: 2 } } },
  reduce: {
    id: 11,
    name: 'reduce',
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
    name: 'reducescatter',
    algorithms: {
      nonoverlapping: { id: 1 },
      recursive_halving: { id: 2 },
      folded_recursive_halving: { id: 2 },
      ring: { id: 3 },
    },
  },
  scan: { id: 14, name: 'scan', anySize: true, algorithms: { linear: { id: 1 }, recursive_doubling: { id: 2 } } },
  scatter: { id: 15, name: 'scatter', algorithms: { linear: { id: 1 }, binomial: { id: 2 } } },
};

/** The rules for one number of ranks, by ascending size. */
interface RanksRules {
  readonly ranks: number;
  readonly rules: readonly SizeRule[];
}

interface SizeRule {
  /** Message size in bytes from which it applies. */
  readonly from: Bytes;
  readonly id: number;
  /** Fan-out of the tree; 0 if the algorithm has no such parameter. */
  readonly fanOut: number;
  readonly segment: Bytes;
  /** The name of the schedule in ccc. */
  readonly schedule: string;
}

/**
 * The rules file for one collective, tuned for one or more numbers of ranks; where the best plan has no name in Open
 * MPI, the best that has one.
 * @returns undefined if Open MPI has none of the algorithms
 */
export function openMpiRules(
  kind: CollectiveKind,
  tuned: readonly TuneResult[],
  tolerance: number,
  version: RulesVersion = 1,
): string | undefined {
  const known = collectives[kind];
  if (known === undefined) return undefined;
  // With infinite tolerance one plan covers all sizes.
  const allowed = known.anySize === true ? Number.POSITIVE_INFINITY : tolerance;
  const found = tuned.flatMap((result): readonly RanksRules[] => {
    const ranges = namedRanges(result, allowed, (plan) => algorithmOf(plan, known));
    if (ranges.length === 0) return [];
    return [{ ranks: result.routes.topology.chips.length, rules: ranges.map(sizeRule) }];
  });
  if (found.length === 0) return undefined;
  if (version === 3) return jsonText(known, found);
  const text = linesOf(known, found, kind);
  return version === 1 ? text : `rule-file-version-2\n${text}`;
}

/** The first rule must begin at 0, otherwise Open MPI ignores the file. */
function sizeRule({ from, plan, name }: NamedRange<Algorithm>, index: number): SizeRule {
  const { id, segmented } = name;
  const fanOut = segmented === true ? 1 : 0;
  return { from: index === 0 ? 0 : from, id, fanOut, segment: segmentBytes(plan, name), schedule: plan.algorithm };
}

/** Versions 1 and 2: numbers, followed by comments. */
function linesOf({ id }: CollectiveRules, found: readonly RanksRules[], kind: CollectiveKind): string {
  const lines = [line(1, 'number of collectives'), line(id, kind), line(found.length, 'numbers of ranks')];
  for (const { ranks, rules } of found) {
    lines.push(line(ranks, 'ranks'), line(rules.length, 'ranges of sizes: from bytes, algorithm, fan out, segment'));
    for (const { from, id: algorithm, fanOut, segment, schedule } of rules) {
      lines.push(line(`${from} ${algorithm} ${fanOut} ${segment}`, schedule));
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Version 3: JSON; the first matching rule applies, both ends included; absent values are 0. */
function jsonText({ name }: CollectiveRules, found: readonly RanksRules[]): string {
  const bySize = (rules: readonly SizeRule[]): readonly object[] =>
    rules.map(({ from, id, fanOut, segment }, index) => ({
      msg_size_min: from,
      msg_size_max: index + 1 < rules.length ? rules[index + 1].from - 1 : 'inf',
      alg: id,
      ...(fanOut === 0 ? {} : { faninout: fanOut }),
      ...(segment === 0 ? {} : { seg_size: segment }),
    }));
  const byRanks = found.map(({ ranks, rules }) => ({
    comm_size_min: ranks,
    comm_size_max: ranks,
    rules: bySize(rules),
  }));
  return `${JSON.stringify({ rule_file_version: 3, module: 'tuned', collectives: { [name]: byRanks } }, undefined, 2)}\n`;
}

/** Bytes per message at the size for which the pipeline's depth was chosen; 0 if messages are not cut. */
function segmentBytes({ evaluated, tunedFor }: TunedPlan, { segmented }: Algorithm): number {
  const { bulks, collective } = evaluated.checked.plan;
  const segments = bulks * collective.chunks;
  return segmented !== true || segments === 1 ? 0 : Math.max(1, Math.round(tunedFor / segments));
}

function line(value: number | string, remark: string): string {
  return `${value} # ${remark}`;
}

/** Pipelined plans only match algorithms that take segments. */
function algorithmOf(plan: TunedPlan, { algorithms }: CollectiveRules): Algorithm | undefined {
  const name = namesOf(plan).find((candidate) => Object.hasOwn(algorithms, candidate));
  if (name === undefined) return undefined;
  const algorithm = algorithms[name];
  return plan.bulks === 1 || algorithm.segmented === true ? algorithm : undefined;
}
