/**
 * The table of NCCL's example tuner plugin (`NCCL_TUNER_CONFIG_FILE`; ten columns since NCCL 2.27): the algorithm for
 * each range of sizes, both ends included; the first matching row applies. Protocol and channels are those of the plan;
 * on machines without protocols rows say `simple` and leave the channels to NCCL (−1), as they always do for nodes,
 * pipe operations and registered buffers.
 */
import type { CollectiveKind } from '../ir/collective.ts';
import { namedRanges, namesOf } from './named.ts';
import type { TuneResult } from './tune.ts';

/** NCCL's names of the algorithms that it shares with `schedules/`. */
const algorithms: Partial<Readonly<Record<CollectiveKind, Readonly<Record<string, 'ring' | 'tree'>>>>> = {
  allreduce: { ring: 'ring', binary_tree: 'tree' },
  allgather: { ring: 'ring' },
  reducescatter: { ring: 'ring' },
  broadcast: { pipelined_chain: 'ring' },
  reduce: { pipelined_chain: 'ring' },
};

const header = 'collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff';
/** The plugin's documented value for all sizes; it accepts larger numbers too. */
const allSizes = 2 ** 32 - 1;

/** One row per range of sizes and number of ranks; undefined if NCCL has none of the algorithms. */
export function ncclTable(kind: CollectiveKind, tuned: readonly TuneResult[], tolerance: number): string | undefined {
  const names = algorithms[kind];
  if (names === undefined) return undefined;
  const rows = tuned.flatMap((result) => {
    const ranks = result.routes.topology.chips.length;
    const greatest = result.sizes[result.sizes.length - 1].size;
    const ranges = namedRanges(result, tolerance, (plan) => {
      const name = namesOf(plan).find((candidate) => Object.hasOwn(names, candidate));
      if (name === undefined) return undefined;
      const { protocol = 'simple', instances = -1 } = plan;
      return `${names[name]},${protocol.toLowerCase()},${instances}`;
    });
    // Consecutive plans that are one algorithm in NCCL share a row.
    const starts = ranges.filter(({ name }, index) => index === 0 || name !== ranges[index - 1].name);
    return starts.map(({ from, name }, index) => {
      const first = index === 0 ? 0 : from;
      const last = index === starts.length - 1 ? Math.max(allSizes, greatest) : starts[index + 1].from - 1;
      return `${kind},${first},${last},${name},-1,${ranks},-1,-1`;
    });
  });
  return rows.length === 0 ? undefined : `# ${header}\n${rows.join('\n')}\n`;
}
