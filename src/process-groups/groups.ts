/**
 * Several process groups of one machine that run the same collective simultaneously. Every group is compiled by itself
 * as if it had the links to itself; the plans are put side by side, and proved and simulated together on the whole
 * machine. Where messages of one group pass chips of another, plans that avoid these chips are tried as well; and if
 * the result is far from the bound, plans on links that are partitioned among the groups (sharing-groups.ts).
 */

import { lowerBound } from '../bounds/index.ts';
import { type CollectiveKind, messageChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import { planName } from '../ir/plan-name.ts';
import { type Bound, optimality } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { verdictText } from '../ir/verification.ts';
import { leastCommonMultiple } from '../ir/whole-numbers.ts';
import { jointCollective, type PlacedPlan, sideBySide } from '../lower/index.ts';
import { simulate } from '../model/index.ts';
import { checkGroups, withGroupAmong } from '../read/index.ts';
import { type CompileRequest, type CompileResult, searchPlan } from '../search/compile.ts';
import { consistentBound } from '../search/consistent-bound.ts';
import { checkOperationLimit, nameOfPlan, reducesWithoutOverlap } from '../search/evaluate/index.ts';
import { provedBundle } from '../search/proved-bundle.ts';
import { type ProvedPlan, prove } from '../verify/index.ts';
import { type Joint, onSharedLinks } from './sharing-groups.ts';

/** The result for one group. */
export interface GroupShare {
  /** Ranks of the machine, rank 0 of the group first. */
  readonly ranks: readonly number[];
  /** Name of its schedule. */
  readonly name: string;
  /** Its time if it had the machine to itself, and the ratio of the bound to that. */
  readonly aloneSeconds: Seconds;
  readonly aloneOptimality: number;
}

export interface GroupsResult extends CompileResult {
  readonly groups: readonly GroupShare[];
}

const withoutGroups: readonly CollectiveKind[] = ['barrier', 'custom'];

/**
 * Compiles one plan in which all groups run the collective. `request.collective` and `request.size` apply to each
 * group; the collective has as many ranks as a group.
 * @throws CccError 'usage' for a collective that cannot run in several groups, and those of `withGroupAmong`,
 * `checkGroups` and `compile`
 */
export function compileGroups(request: CompileRequest, groups: readonly (readonly number[])[]): GroupsResult {
  const { topology, size, collective } = request;
  checkGroups(topology, groups);
  if (withoutGroups.includes(collective.kind)) {
    throw new CccError('usage', `a ${collective.kind} cannot be done in several groups at once`);
  }
  if (collective.counts !== undefined) throw new CccError('usage', 'several groups at once have shards of equal size');
  const machines = groups.map((group) => withGroupAmong(topology, group));
  // The bound does not depend on the number of chunks, and is found soonest with the fewest.
  const whole = jointCollective(
    groups.map((group) => ({ collective: { ...collective, ranks: group.length, chunks: 1 }, group })),
    ranksOf(topology),
  );
  const bound = lowerBound(whole, topology, size);
  let best: Joint | undefined;
  let usual: readonly Bound[] = [];
  for (const joint of jointPlans({ ...request, onBest: undefined }, groups, machines, bound)) {
    if (best === undefined) usual = joint.aligned.map(({ bundle }) => bundle.bound);
    else if (joint.cost.seconds >= best.cost.seconds) continue;
    best = joint;
    request.onBest?.(resultOf(best, request, groups, bound, usual, true));
  }
  if (best === undefined) throw new Error('groups have at least the plans that each has alone');
  return resultOf(best, request, groups, bound, usual, request.shouldStop?.() === true);
}

/**
 * Joint plans in the order in which they are tried: groups compiled as if alone, then avoiding each other, while there
 * is something to gain.
 */
function* jointPlans(
  request: CompileRequest,
  groups: readonly (readonly number[])[],
  machines: readonly Topology[],
  bound: Bound,
): Iterable<Joint> {
  const among = joined(request, groups, machines);
  yield among;
  const apart = isHindered(among, request) ? machinesApart(machines, groups, request.topology) : undefined;
  const around = apart === undefined ? undefined : joined(request, groups, apart);
  if (around !== undefined) yield { ...around, machines };
  let least = Math.min(among.cost.seconds, around?.cost.seconds ?? Number.POSITIVE_INFINITY);
  for (const engine of enginesOnShares(request)) {
    if (least <= bound.seconds * nearEnough || request.shouldStop?.() === true) return;
    const asked = { ...request, engine };
    const shared = whereThereIsOne(() => onSharedLinks(asked, groups, (shares) => joined(asked, groups, shares)));
    if (shared === undefined) return;
    least = Math.min(least, shared.cost.seconds);
    yield shared;
  }
}

/**
 * The result of `find`, or undefined where an engine that is tried in addition has no plan: for single chips, or where
 * rank order must be preserved.
 */
function whereThereIsOne<Found>(find: () => Found | undefined): Found | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof CccError && error.code === 'no-plan') return undefined;
    throw error;
  }
}

/** Links are partitioned if groups connect their ranks by trees and take longer than this multiple of the bound. */
const nearEnough = 1.05;
const joinsByTrees: readonly CollectiveKind[] = ['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce'];

/**
 * Engines to query for plans on partitioned links. The best plan of a group alone need not be the best of all together,
 * so two are queried.
 */
function enginesOnShares(request: CompileRequest): readonly string[] {
  const { collective, engine, algorithm, chunks, bulks, objective, effort } = request;
  const isFree =
    effort !== 'quick' && algorithm === undefined && chunks === undefined && bulks === 'auto' && objective === 'time';
  // Chips that cannot send while they reduce would become unsynchronised, and the bound is weak for them.
  if (!isFree || !joinsByTrees.includes(collective.kind) || reducesWithoutOverlap(request)) return [];
  return engine === 'auto' ? ['auto', 'list'] : [engine];
}

/** @param usual bounds of the groups, each as if it had the machine to itself */
function resultOf(
  { aligned, machines, proved, cost, recipe }: Joint,
  request: CompileRequest,
  groups: readonly (readonly number[])[],
  bound: Bound,
  usual: readonly Bound[],
  stoppedEarly: boolean,
): GroupsResult {
  const { topology, size, seed, effort = 'full' } = request;
  const chosen = aligned.reduce((a, b) => (b.schedule.steps.stepCount > a.schedule.steps.stepCount ? b : a));
  const origin = {
    ...originTogether(aligned),
    recipe,
    groups: groups.map((group) => group.join(',')).join(' '),
    seed,
  };
  return {
    bundle: provedBundle(
      { checked: { plan: proved.plan, topology }, cost },
      request,
      consistentBound(bound, { plan: proved.plan, topology, size, seconds: cost.seconds }, request),
      origin,
    ),
    asked: size,
    schedule: chosen.schedule,
    explain: () => aligned.flatMap((result, index) => named(result.explain(), groups[index])),
    dismissed: aligned.flatMap(({ dismissed }) => dismissed),
    effort,
    candidates: aligned.flatMap((result, index) => named(result.candidates, groups[index])),
    stoppedEarly: stoppedEarly || aligned.some((result) => result.stoppedEarly),
    groups: aligned.map((result, index) => shareOf(result, groups[index], machines[index], usual[index], size)),
  };
}

/** @param machines the machine for which each group is compiled */
function joined(request: CompileRequest, groups: readonly (readonly number[])[], machines: readonly Topology[]): Joint {
  const { topology, size } = request;
  const equally = { ...request, inEqualBulks: true } as const;
  const alone = compileEach(equally, machines);
  const bulks = Math.max(...alone.map(({ bundle }) => bundle.proved.plan.bulks));
  const differ = alone.some(({ bundle }) => bundle.proved.plan.bulks !== bulks);
  const inBulks = differ ? compileEach({ ...equally, bulks }, machines) : alone;
  const aligned = cutAlike(inBulks, { ...equally, bulks }, machines);
  const routes = new Routes(topology);
  const parts = aligned.map(({ bundle }, index) => placed(bundle.proved.plan, groups[index], routes));
  const { recipe, ...origin } = originTogether(aligned);
  const inGroups = `in ${groups.length} groups`;
  const name = planName(nameOfPlan(origin, request.collective.kind, topology.name), inGroups);
  const proved = provedJointly(sideBySide(parts, ranksOf(topology), name), request);
  return { aligned, machines, proved, cost: simulate(proved.plan, routes, size), recipe: `${recipe} ${inGroups}` };
}

/** Chunks per shard up to which all groups are cut alike. */
const mostAlike = 1024;

/**
 * If the numbers of chunks of groups have no small common multiple, cuts all groups alike, because one joint plan would
 * have hundreds of thousands of chunks. Leaves them as they are if some group cannot be cut like that.
 */
function cutAlike(
  results: readonly CompileResult[],
  request: CompileRequest,
  machines: readonly Topology[],
): readonly CompileResult[] {
  const plans = results.map(({ bundle }) => bundle.proved.plan.collective);
  const counts = plans.map(messageChunks);
  if (counts.reduce(leastCommonMultiple, 1) <= Math.max(mostAlike, ...counts)) return results;
  const chunks = Math.min(mostAlike, ...plans.map((collective) => collective.chunks));
  return whereThereIsOne(() => compileEach({ ...request, chunks }, machines)) ?? results;
}

/** Whether the groups take longer together than the slowest of them alone, and there is time to search on. */
function isHindered({ aligned, cost }: Joint, { shouldStop }: CompileRequest): boolean {
  const slowest = Math.max(...aligned.map(({ bundle }) => bundle.cost.seconds));
  return cost.seconds > slowest * (1 + 1e-6) && shouldStop?.() !== true;
}

/**
 * For each group the machine without the links of other groups' chips; undefined if no message uses these anyway, or
 * some group cannot do without them.
 */
function machinesApart(
  machines: readonly Topology[],
  groups: readonly (readonly number[])[],
  { chips }: Topology,
): readonly Topology[] | undefined {
  const apart = machines.map((machine, index) => {
    const others = new Set(groups.flatMap((group, g) => (g === index ? [] : group.map((rank) => chips[rank]))));
    return { ...machine, links: machine.links.filter(({ from, to }) => !others.has(from) && !others.has(to)) };
  });
  const pairsOf = ({ chips: { length } }: Topology) =>
    Array.from({ length: length ** 2 }, (_, pair) => [Math.floor(pair / length), pair % length] as const);
  const [usual, own] = [machines.map((machine) => new Routes(machine)), apart.map((machine) => new Routes(machine))];
  const differs = machines.some((machine, g) =>
    pairsOf(machine).some(
      ([a, b]) => usual[g].hops(a, b) !== own[g].hops(a, b) || usual[g].choices(a, b) !== own[g].choices(a, b),
    ),
  );
  const reachesAll = machines.every((machine, g) =>
    pairsOf(machine).every(([a, b]) => a === b || own[g].between(a, b) !== undefined),
  );
  return differs && reachesAll ? apart : undefined;
}

/** Compiles every group; a group whose chips are linked like those of an earlier group reuses its plan. */
function compileEach(request: CompileRequest, machines: readonly Topology[]): readonly CompileResult[] {
  const results: CompileResult[] = [];
  for (const topology of machines) {
    const known = new Map(results.map((result) => [result.bundle.proved.plan, result]));
    const again = [...known.values()]
      .map((result) => elsewhere(result, topology, request))
      .find((r) => r !== undefined);
    results.push(again ?? compileGroup(request, topology));
  }
  return results;
}

function compileGroup(request: CompileRequest, topology: Topology): CompileResult {
  const { root } = request.collective;
  const ranks = ranksOf(topology);
  if (root >= ranks) throw new CccError('range', `rank ${root} is no rank of ${topology.name}, which has ${ranks}`);
  return searchPlan({ ...request, topology, collective: { ...request.collective, ranks } });
}

/** The same plan on other chips; undefined unless time and bound are the same there. */
function elsewhere(
  result: CompileResult,
  topology: Topology,
  { size, limits }: CompileRequest,
): CompileResult | undefined {
  const { bundle } = result;
  const { plan } = bundle.proved;
  if (plan.collective.ranks !== ranksOf(topology)) return undefined;
  const isSame = (a: Seconds, b: Seconds): boolean => Math.abs(a - b) <= 1e-12 * Math.max(a, b);
  const bound = lowerBound({ ...plan.collective, chunks: 1 }, topology, size);
  if (!isSame(bound.seconds, bundle.bound.seconds)) return undefined;
  const cost = simulate(plan, new Routes(topology), size);
  if (!isSame(cost.seconds, bundle.cost.seconds)) return undefined;
  const { proved } = prove(plan, { topology, slots: limits.slots });
  if (proved === undefined) return undefined;
  const candidates = result.candidates.slice(0, 1);
  const explain = () => result.explain().slice(0, 1);
  return { ...result, bundle: { ...bundle, proved, topology, cost, bound }, candidates, explain, dismissed: [] };
}

/**
 * Relocates a plan to the ranks of a group. Where there are several equivalent routes, ranks and channel select one
 * (`Routes`); channels are shifted so that every message takes the route for which the group was compiled.
 */
function placed(plan: Plan, group: readonly number[], routes: Routes): PlacedPlan {
  const channelShift = (from: number, to: number): number => {
    const choices = routes.choices(group[from], group[to]);
    const difference = Math.max(from, to) - Math.max(group[from], group[to]);
    return ((difference % choices) + choices) % choices;
  };
  return { plan, group, channelShift };
}

/** @throws CccError 'limit' for too many operations, 'no-plan' if the plan is not correct on the whole machine */
function provedJointly(plan: Plan, { topology, limits }: CompileRequest): ProvedPlan {
  checkOperationLimit(plan, limits);
  const { proved, verification } = prove(plan, { topology, slots: limits.slots });
  if (proved !== undefined) return proved;
  throw new CccError('no-plan', `the groups together are not correct: ${verdictText(verification)}`);
}

/** Engines, schedules and recipes of the groups, each named once. */
function originTogether(aligned: readonly CompileResult[]) {
  const origins = aligned.map(({ bundle: { origin, proved } }) => {
    const { name } = proved.plan;
    return { engine: 'library', schedule: name, recipe: name, ...origin };
  });
  return {
    engine: together(origins.map(({ engine }) => engine)),
    schedule: together(origins.map(({ schedule }) => schedule)),
    recipe: together(origins.map(({ recipe }) => recipe)),
  };
}

/** The distinct names, joined. */
function together(names: readonly string[]): string {
  return [...new Set(names)].join('+');
}

function named<Named extends { readonly name: string }>(
  candidates: readonly Named[],
  group: readonly number[],
): Named[] {
  return candidates.map((candidate) => ({ ...candidate, name: `${candidate.name} (group ${group.join(',')})` }));
}

/**
 * @param machine the machine of the group as if the other groups were idle and only forwarded messages
 * @param bound the bound for that machine
 */
function shareOf(
  { bundle }: CompileResult,
  ranks: readonly number[],
  machine: Topology,
  { seconds: bound }: Bound,
  size: Bytes,
): GroupShare {
  const { proved, origin } = bundle;
  const { seconds } = simulate(proved.plan, new Routes(machine), size);
  return {
    ranks,
    name: origin?.schedule ?? proved.plan.name,
    aloneSeconds: seconds,
    aloneOptimality: optimality(bound, seconds),
  };
}
