/** The times of a plan's operations, by simulation if there is a machine, else by its steps. */

import { CccError } from '../ir/diagnostic.ts';
import { OperationCode, operationCount, type Plan } from '../ir/plan.ts';
import type { LinkUse, PathStep, Timeline } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import type { Verdict } from '../ir/verification.ts';
import { sentBytes, simulate, timeline } from '../model/index.ts';
import { timelineBySteps } from './by-steps.ts';
import { viewLimits } from './limits.ts';
import type { ClockReason } from './page-document.ts';
import { standInFor } from './stand-in.ts';

/** The run that the page draws. */
export interface TimedRun {
  /** The machine, or the stand-in for it (`stand-in.ts`). */
  readonly topology: Topology;
  readonly isReal: boolean;
  /** Undefined if the plan has too many operations for a timeline. */
  readonly timeline: Timeline | undefined;
  readonly clock: 'seconds' | 'steps';
  readonly clockReason: ClockReason | undefined;
  /** In units of the clock. */
  readonly duration: Seconds;
  readonly criticalPath: readonly PathStep[];
  /** By operation: the bytes that it sends in one bulk; chunks if the clock counts steps. */
  readonly sent: Float64Array;
  readonly links: readonly LinkUse[] | undefined;
}

/** Verdicts of wrong plans that still run to their end, so that they can be simulated. */
const runs: readonly Verdict[] = ['correct', 'race', 'wrong-result', 'not-bitwise', 'over-capacity'];

/** @param size M in bytes; if it or the machine is undefined, the clock counts steps */
export function timedRun(
  plan: Plan,
  verdict: Verdict,
  machine: Topology | undefined,
  size: Bytes | undefined,
): TimedRun {
  const isReal = machine !== undefined && ranksOf(machine) === plan.collective.ranks;
  const topology = isReal ? machine : standInFor(plan);
  const routes = isReal ? Routes.of(topology) : new Routes(topology);
  const drawn = { topology, isReal } as const;
  const instances = operationCount(plan) * plan.bulks;
  const isLong = instances > viewLimits.instances;
  if (isReal && size !== undefined && runs.includes(verdict) && instances <= viewLimits.simulated) {
    const { seconds, criticalPath, links } = simulate(plan, routes, size);
    const times = isLong ? undefined : timelineIfItFits(plan, routes, size);
    const clockReason = times === undefined ? 'too long' : undefined;
    const sent = sentBytes(plan, size);
    return { ...drawn, timeline: times, clock: 'seconds', clockReason, duration: seconds, criticalPath, sent, links };
  }
  const clockReason = isLong ? 'too long' : isReal && size !== undefined ? 'cannot run' : 'no machine';
  const times = isLong ? undefined : timelineBySteps(plan, routes);
  const duration = times === undefined ? 0 : lastEnd(times);
  const { kind, srcCount } = plan.ops;
  const sent = Float64Array.from(kind, (code, operation) => (code === OperationCode.send ? srcCount[operation] : 0));
  return {
    ...{ ...drawn, timeline: times, clock: 'steps', clockReason, duration, sent },
    ...{ criticalPath: [], links: undefined },
  };
}

function timelineIfItFits(plan: Plan, routes: Routes, size: Bytes): Timeline | undefined {
  try {
    return timeline(plan, routes, size);
  } catch (error) {
    if (error instanceof CccError && error.code === 'limit') return undefined;
    throw error;
  }
}

function lastEnd({ end }: Timeline): number {
  let last = 0;
  for (let instance = 0; instance < end.length; instance++) last = Math.max(last, end[instance]);
  return last;
}
