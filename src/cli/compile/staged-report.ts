/** What a plan takes where the same chips keep their buffers in slower memory (`staged` in a topology file), and what bulks bring there. */

import { defaultLimits } from '../../ir/limits.ts';
import { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';
import { counted, formatSeconds, type Seconds } from '../../ir/units.ts';
import { refine } from '../../passes/index.ts';
import { resolveTopology } from '../../read/index.ts';
import type { CompileResult } from '../../search/compile.ts';
import { type EvaluationRequest, evaluateCandidate, tune } from '../../search/evaluate/index.ts';
import { searching } from './limits.ts';

export interface StagedTime {
  readonly topology: string;
  readonly bulks: number;
  readonly seconds: Seconds;
  readonly oneBulkSeconds: Seconds;
  readonly gain: number;
}

/**
 * The chosen schedule with everything staged, in the bulks that suit it as a quick search finds them; undefined where the machine names no other,
 * has been changed, or the plan is large or was cut short.
 */
export function stagedTimeOf({ bundle, schedule, asked, stoppedEarly }: CompileResult): StagedTime | undefined {
  const { topology, dtype, proved } = bundle;
  if (topology?.staged === undefined || dtype === undefined || stoppedEarly) return undefined;
  if (schedule.steps.transferCount > searching.transfersLookedAt || proved.plan.collective.kind === 'barrier')
    return undefined;
  const machine = resolveTopology(topology.staged);
  if (!hasSameLinks(machine, topology)) return undefined;
  const request: EvaluationRequest = {
    ...{ collective: proved.plan.collective, topology: machine, size: asked, limits: defaultLimits },
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

export function stagedEntries(
  result: CompileResult,
): readonly (readonly [label: string, ...texts: readonly string[]])[] {
  const time = stagedTimeOf(result);
  if (time === undefined) return [];
  const { topology, bulks, seconds, oneBulkSeconds, gain } = time;
  const inBulks = bulks === 1 ? 'in one bulk, since more gain nothing' : `in ${counted(bulks, 'bulk')}`;
  const gained = bulks === 1 ? '' : `; one would take ${formatSeconds(oneBulkSeconds)}: gain ${gain.toFixed(3)}`;
  return [['staged', `on ${topology} it takes ${formatSeconds(seconds)} ${inBulks}${gained}`]];
}
