/** What a library would do on the machine, priced like any candidate: a plan is worth what it is faster than that. */
import type { CollectiveKind } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { optimality } from '../ir/report.ts';
import type { Seconds } from '../ir/units.ts';
import { type Dismissal, ncclAlgorithms, ncclEngine, ncclScheduleFor } from '../synth/index.ts';
import { type CompileRequest, searchPlan } from './compile.ts';

export interface Baseline {
  /** As `--algorithm` takes it. */
  readonly name: string;
  readonly seconds: Seconds;
  /** The bound over its time. */
  readonly optimality: number;
  readonly channels: number;
  readonly bulks: number;
}

/** The baselines that there are, the fastest first, and why others are not. */
export interface Baselines {
  readonly priced: readonly Baseline[];
  readonly missing: readonly Dismissal[];
}

/** Whether NCCL has rings or trees for a collective; others it sends pair by pair. */
export function hasBaseline(kind: CollectiveKind): boolean {
  return ncclAlgorithms.some((name) => ncclScheduleFor(name, kind) !== undefined);
}

/** NCCL's rings and trees for the request, those of its file if it has one, whatever engine and algorithm it names, in the bulks that suit the size. */
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

/** The request as `compile` takes it, without what says how to search. */
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
