/** Lower bounds on the time of any plan, with the times of NCCL's algorithms for comparison. */
import { lowerBound } from '../bounds/index.ts';
import { defaultLimits, type Limits } from '../ir/limits.ts';
import type { Baselines } from '../search/baselines.ts';
import type { CollectiveRequest } from './collectives.ts';
import { type PlanBound, planBound } from './compile/plan-bound.ts';
import { searching } from './limits.ts';

export interface BoundOptions {
  /** Whether NCCL's rings and trees are evaluated, too; default: on up to 32 ranks. */
  readonly baselines?: boolean | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

export interface BoundReport extends PlanBound {
  /** Times of NCCL's rings and trees; undefined if NCCL has none for the collective, or if they were not requested. */
  readonly baselines: Baselines | undefined;
}

/**
 * The best lower bound that is known for a collective on a machine: no plan takes less time. Every certificate can be checked from the topology
 * alone.
 *
 * ```ts
 * const { seconds, certificate } = await bound(alltoall(await Machine.load('torus:4x4'), { size: '1MiB' }));
 * console.log(seconds, certificate?.reason);
 * ```
 */
export async function bound(
  { machine, collective, size, dtype }: CollectiveRequest,
  options: BoundOptions = {},
): Promise<BoundReport> {
  const topology = machine.single;
  const limits = { ...defaultLimits, ...options.limits };
  const { baselines: wanted = collective.ranks <= searching.ranksOfBaselines } = options;
  const found = planBound(lowerBound(collective, topology, size));
  if (!wanted || collective.counts !== undefined) return { ...found, baselines: undefined };
  const { baselinesFor, hasBaseline } = await import('../search/baselines.ts');
  const request = { collective, topology, size, dtype, limits };
  return { ...found, baselines: hasBaseline(collective.kind) ? baselinesFor(request) : undefined };
}
