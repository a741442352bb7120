/**
 * Several groups of ranks on links that they share. Alone, each group would take the shortest ways over everything there is; together
 * they are better off with ways of their own, some over chips of others. So links are shared out, every group is compiled for the links
 * that it was given, and what goes over a chip of another group is stored and sent on by that one.
 */

import type { CostReport } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { sideBySide } from '../lower/index.ts';
import { forwardHops, scheduleOfPlan } from '../passes/index.ts';
import type { CompileRequest, CompileResult } from '../search/compile.ts';
import { type EvaluatedCandidate, evaluateWithinLimits, tune } from '../search/evaluate/index.ts';
import { candidateOf } from '../synth/index.ts';
import { type ProvedPlan, proveChecked } from '../verify/index.ts';
import { type GroupMachine, groupMachine, routesForGroups } from './link-shares.ts';

/** Plans of all groups, and what they are together. */
export interface Joint {
  /** Of each group, for the machine that it was compiled for. */
  readonly aligned: readonly CompileResult[];
  readonly machines: readonly Topology[];
  readonly proved: ProvedPlan;
  readonly cost: CostReport;
}

/**
 * The groups on shares of the links; undefined where switches are in between or no ways for all are found. Where chips would have to
 * send on what is another's, and the plan made of that is not correct, exceeds a limit or takes longer, messages pass these chips
 * instead, on the routes of the machine.
 *
 * @param request `engine` makes the plans of all groups
 * @param joined compiles each group for its machine, in as many bulks, and puts the plans side by side
 */
export function onSharedLinks(
  request: CompileRequest,
  groups: readonly (readonly number[])[],
  joined: (machines: readonly Topology[]) => Joint,
): Joint | undefined {
  const { topology } = request;
  if (topology.nodes.length !== topology.chips.length) return undefined;
  const ways = routesForGroups(topology, groups);
  const shares = groups.map((group, index) => groupMachine(topology, group, ways?.[index] ?? []));
  if (!shares.every((share) => share !== undefined)) return undefined;
  const machines = shares.map((share) => share.topology);
  const joint = joined(machines);
  if (ways?.flat().every(({ links }) => links.length === 1) === true) return joint;
  const schedule = forwarded(joint.aligned, groups, shares, topology);
  const priced = schedule === undefined ? undefined : evaluatedOf(schedule, request);
  if (priced === undefined || priced.cost.seconds >= joint.cost.seconds) return joint;
  return { ...joint, proved: proveChecked(priced.checked, { slots: request.limits.slots }), cost: priced.cost };
}

/** All groups in one schedule, in one bulk, each message sent from chip to chip along one of the ways between its ends. */
function forwarded(
  aligned: readonly CompileResult[],
  groups: readonly (readonly number[])[],
  shares: readonly GroupMachine[],
  topology: Topology,
): Schedule | undefined {
  const parts = aligned.map(({ bundle }, index) => {
    return { plan: { ...bundle.proved.plan, bulks: 1, scratchPerBulk: 1 }, group: groups[index] };
  });
  const schedule = scheduleOfPlan(sideBySide(parts, ranksOf(topology), nameOf(aligned)));
  return schedule === undefined ? undefined : forwardHops(schedule, viaOf(groups, shares, topology));
}

/** Of several ways between two ranks, messages take the one that has had fewest of them for what it carries. */
function viaOf(groups: readonly (readonly number[])[], shares: readonly GroupMachine[], { chips, links }: Topology) {
  const rankOf = new Map([...chips.entries()].map(([rank, chip]) => [chip, rank]));
  const member = new Map(
    groups.flatMap((group, g) => group.map((rank, index) => [rank, { group: g, index }] as const)),
  );
  const next = new Map<string, { readonly via: readonly number[]; readonly bandwidth: number; messages: number }[]>();
  return (source: number, destination: number): readonly number[] => {
    const [from, to] = [member.get(source), member.get(destination)];
    if (from === undefined || to === undefined) return [];
    const ends = `${source} ${destination}`;
    const ways =
      next.get(ends) ??
      shares[from.group].waysBetween(from.index, to.index).map((way) => {
        const via = way.links.slice(0, -1).flatMap((link) => rankOf.get(links[link].to) ?? []);
        return { via, bandwidth: way.bandwidth, messages: 0 };
      });
    next.set(ends, ways);
    if (ways.length === 0) return [];
    const chosen = ways.reduce((a, b) => ((b.messages + 1) / b.bandwidth < (a.messages + 1) / a.bandwidth ? b : a));
    chosen.messages++;
    return chosen.via;
  };
}

/** In as many bulks, and chunks cut as finely, as suit the size. */
function evaluatedOf(schedule: Schedule, request: CompileRequest): EvaluatedCandidate | undefined {
  const routes = new Routes(request.topology);
  const candidate = candidateOf(schedule, { engine: 'trees', schedule: schedule.name });
  const asked = { ...request, collective: schedule.collective };
  const outcome = evaluateWithinLimits(candidate, asked, routes, Number.POSITIVE_INFINITY);
  return outcome.kind === 'priced' ? tune(outcome, asked, routes, outcome.cost.seconds) : undefined;
}

function nameOf(aligned: readonly CompileResult[]): string {
  const schedules = new Set(aligned.map(({ bundle }) => bundle.origin?.schedule ?? bundle.proved.plan.name));
  return `${[...schedules].join('+')} in ${aligned.length} groups on shared links`;
}
