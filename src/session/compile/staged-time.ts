/** Estimates the time of a plan if the same chips keep their buffers in slower memory (`staged` in a topology file). */
import { defaultLimits } from '../../ir/limits.ts';
import { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { refine } from '../../passes/index.ts';
import { resolveTopology } from '../../read/index.ts';
import { type EvaluationRequest, evaluateCandidate, tune } from '../../search/evaluate/index.ts';
import type { ProvedBundle } from '../../search/proved-bundle.ts';
import { searching } from '../limits.ts';

export interface StagedTime {
  /** The name of the machine with the slower memory. */
  readonly topology: string;
  readonly bulks: number;
  readonly seconds: Seconds;
  readonly oneBulkSeconds: Seconds;
  /** `oneBulkSeconds` over `seconds`. */
  readonly gain: number;
}

/**
 * Simulates a schedule with all its messages staged, in the number of bulks that a quick search chooses.
 * @returns undefined if the topology names no machine with slower memory, if its links have been changed, and for large schedules
 */
export function stagedTime(
  schedule: Schedule,
  { topology, dtype, proved }: ProvedBundle,
  size: Bytes,
): StagedTime | undefined {
  if (topology?.staged === undefined || dtype === undefined) return undefined;
  if (schedule.steps.transferCount > searching.transfersExamined || proved.plan.collective.kind === 'barrier')
    return undefined;
  const machine = resolveTopology(topology.staged);
  if (!hasSameLinks(machine, topology)) return undefined;
  const request: EvaluationRequest = {
    ...{ collective: proved.plan.collective, topology: machine, size, limits: defaultLimits },
    effort: 'quick',
    bulks: 'auto',
  };
  const candidate = {
    name: schedule.name,
    origin: { engine: 'library', schedule: schedule.name },
    build: (multiple: number) => refine(schedule, multiple),
  };
  const routes = Routes.of(machine);
  const single = evaluateCandidate(candidate, request, routes, Number.POSITIVE_INFINITY);
  if (single.kind !== 'priced') return undefined;
  const best = tune(single, request, routes);
  const { seconds } = best.cost;
  return {
    ...{ topology: machine.name, bulks: best.checked.plan.bulks, seconds },
    ...{ oneBulkSeconds: single.cost.seconds, gain: seconds === 0 ? 1 : single.cost.seconds / seconds },
  };
}

function hasSameLinks(a: Topology, b: Topology): boolean {
  return linksText(a) === linksText(b);
}

function linksText({ links, chips }: Topology): string {
  return JSON.stringify([chips, links.map((l) => [l.from, l.to, l.latency, l.bandwidth, l.occupancy])]);
}
