/**
 * Compiles several groups of ranks on partitioned links. Alone, each group would use the shortest routes of the whole
 * machine; together they do better with disjoint shares of the links, some over chips of other groups. Every group is
 * compiled for its share (link-shares.ts), and chips of other groups store and forward its messages.
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

/** The plans of all groups, and the joint plan. */
export interface Joint {
  /** Per group, the result on the machine for which it was compiled. */
  readonly aligned: readonly CompileResult[];
  readonly machines: readonly Topology[];
  readonly proved: ProvedPlan;
  readonly cost: CostReport;
  /** The recipes of the groups' schedules, and how the groups share the machine. */
  readonly recipe: string;
}

/**
 * The joint plan on partitioned links; undefined if there are switches, or no routes for all groups are found. If the
 * plan with forwarding is not correct, exceeds a limit or is slower, messages pass the chips of other groups without
 * being stored, on the machine's own routes.
 * @param request `engine` makes the plans of all groups
 * @param joined compiles each group for its machine in the same number of bulks, and puts the plans side by side
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
  const proved = proveChecked(priced.checked, { slots: request.limits.slots });
  return { ...joint, proved, cost: priced.cost, recipe: priced.candidate.name };
}

/**
 * All groups in one schedule, in one bulk, each message forwarded from chip to chip along one of the routes between its
 * ends.
 */
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

/** Among several routes between two ranks, each message takes the one with the fewest messages per bandwidth so far. */
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

/** Evaluates the schedule in the numbers of bulks and chunks that suit the size. */
function evaluatedOf(schedule: Schedule, request: CompileRequest): EvaluatedCandidate | undefined {
  const routes = new Routes(request.topology);
  const candidate = candidateOf(schedule, { engine: 'trees', schedule: schedule.name });
  const asked = { ...request, collective: schedule.collective };
  const outcome = evaluateWithinLimits(candidate, asked, routes, Number.POSITIVE_INFINITY);
  return outcome.kind === 'priced' ? tune(outcome, asked, routes, outcome.cost.seconds) : undefined;
}

function nameOf(aligned: readonly CompileResult[]): string {
  const recipes = new Set(aligned.map(({ bundle }) => bundle.origin?.recipe ?? bundle.proved.plan.name));
  return `${[...recipes].join('+')} in ${aligned.length} groups on shared links`;
}
