/**
 * Baselines: the plans that NCCL's algorithms give on the machine, evaluated like any candidate. The value of a plan is how much faster it
 * is than these.
 */
import type { CollectiveKind } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { optimality } from '../ir/report.ts';
import type { Seconds } from '../ir/units.ts';
import { type Dismissal, ncclAlgorithms, ncclEngine, ncclScheduleFor } from '../synth/index.ts';
import { type CompileRequest, searchPlan } from './compile.ts';

/** A baseline plan: an NCCL algorithm evaluated on the machine. Times are in seconds. */
export interface Baseline {
  /** The name as `--algorithm` accepts it. */
  readonly name: string;
  readonly seconds: Seconds;
  /** Lower bound divided by its time; at most 1. */
  readonly optimality: number;
  readonly channels: number;
  readonly bulks: number;
}

/** The evaluated baselines, fastest first, and the reasons why others could not be evaluated. */
export interface Baselines {
  readonly priced: readonly Baseline[];
  readonly missing: readonly Dismissal[];
}

/** Whether NCCL has rings or trees for a collective; it sends others pairwise. */
export function hasBaseline(kind: CollectiveKind): boolean {
  return ncclAlgorithms.some((name) => ncclScheduleFor(name, kind) !== undefined);
}

/**
 * Evaluates NCCL's rings and trees for the request (those of its NCCL graph file, if it has one), each with the best number of bulks for
 * the size. The engine and algorithm that the request names are ignored.
 */
export function baselinesFor(request: BaselineRequest): Baselines {
  const priced: Baseline[] = [];
  const missing: Dismissal[] = [];
  for (const name of ncclAlgorithms) {
    if (ncclScheduleFor(name, request.collective.kind) === undefined) continue;
    const found = evaluatedAs(name, request);
    if ('reason' in found) missing.push(found);
    else priced.push(found);
  }
  return { priced: priced.sort((a, b) => a.seconds - b.seconds), missing };
}

/** A compile request without the options of the search. */
export type BaselineRequest = Pick<
  CompileRequest,
  'collective' | 'topology' | 'size' | 'dtype' | 'limits' | 'ncclGraphs' | 'shouldStop'
>;

function evaluatedAs(
  name: string,
  { collective, topology, size, dtype, limits, ncclGraphs, shouldStop }: BaselineRequest,
): Baseline | Dismissal {
  const asked = { collective, topology, size, dtype, limits, ncclGraphs, shouldStop };
  try {
    const { bundle } = searchPlan({
      ...asked,
      engine: ncclEngine.name,
      algorithm: name,
      bulks: 'auto',
      parameters: {},
      objective: 'time',
      seed: 0,
    });
    const { origin, cost, bound, proved } = bundle;
    const channels = typeof origin?.channels === 'number' ? origin.channels : 1;
    const { seconds } = cost;
    return { name, seconds, optimality: optimality(bound.seconds, seconds), channels, bulks: proved.plan.bulks };
  } catch (error) {
    if (!(error instanceof CccError) || (error.code !== 'no-plan' && error.code !== 'limit')) throw error;
    return { name, reason: error.message };
  }
}
