/**
 * Alltoall, scatter and gather, in which each chunk has a single destination. Routing comes first: paths for all parcels that share the
 * machine evenly (paths.ts). Then the parcels are scheduled as store-and-forward messages in continuous time (flow.ts). A gather is a
 * reversed scatter.
 */
import { partOfWork } from '../../../ir/effort.ts';
import { Random } from '../../../ir/random.ts';
import { type Bytes, rounding, type Seconds } from '../../../ir/units.ts';
import { type ArcNetwork, joinsMorePairs } from '../../arcs.ts';
import { assembleSchedule, derivationsOf } from '../../derive.ts';
import { distancesFrom } from '../../distances.ts';
import { dismissed, type Problem, type Proposal } from '../../engine.ts';
import { maxRanksFor } from '../../limits.ts';
import { listLimits } from '../limits.ts';
import { type RouteTable, routeTableOf } from '../route-table.ts';
import { treeOverRow } from '../rows.ts';
import { anyMessages, fastestFlow, shortMessagePolicies } from './flow.ts';
import { balancedRoutes, closeEnough, type PathSearch, type RoutedDemand, type Routing } from './paths.ts';
import { alltoallSchedule, type Parcel, type RoutedParcels, scatterSchedule } from './schedule.ts';

/**
 * Numbers of parcels tried, besides 1, for the data of one pair of ranks. More parcels balance the loads of links better, above all if
 * there is a single root.
 */
const parcelCounts = { alltoall: [2, 3, 4], scatter: [2, 3, 4, 6, 8] };
/**
 * Maximum arcs and ranks visited by the search for paths with one number of parcels, and a third of the maximum for all numbers together. A
 * million take about 0.1 s.
 */
const mostLooks = 2.4e6;

/** The demands and the machine. */
interface Sending {
  /** Of the transposed machine if the schedule is reversed afterwards (gather). */
  readonly routes: RouteTable;
  /** The data of each pair of ranks; weights count units of `unitBytes` bytes. */
  readonly demands: readonly RoutedDemand[];
  readonly unitBytes: Bytes;
  /** Whether all demands have the same size, which is then one unit. */
  readonly isEven: boolean;
  /** Sum of the hop counts of all shortest paths from the sources; Infinity if some rank is out of reach. */
  readonly hops: number;
}

/** Parcels with their paths. */
interface RoutedPairs {
  /** Number of parcels per unit. */
  readonly count: number;
  readonly parcels: readonly Parcel[];
  readonly routing: Routing;
}

/** Proposals for alltoall, scatter and gather; nothing for other collectives. */
export function* proposeRouted(problem: Problem): Iterable<Proposal> {
  const { collective, algorithm } = problem;
  const { ranks, kind } = collective;
  if (algorithm !== undefined || ranks < 2) return;
  if (kind !== 'alltoall' && kind !== 'scatter' && kind !== 'gather') return;
  const name = `routed-${kind}`;
  const [derivation] = derivationsOf(kind);
  const sending = sendingOf(problem, derivation.parts[0].reversed);
  if (sending === undefined) {
    yield dismissed(name, `to search paths for ${ranks} ranks would take too long`);
    return;
  }
  const { routes, hops } = sending;
  if (hops > listLimits.hops) {
    const reason = `${hops} hops of parcels are more than a plan should have`;
    yield dismissed(name, Number.isFinite(hops) ? reason : 'some rank cannot be reached from some other');
    return;
  }
  const scheduleOf = kind === 'alltoall' ? alltoallSchedule : scatterSchedule;
  for (const [about, routed] of choices(sending, problem)) {
    const chunks = problem.chunks ?? routed.parcels.reduce((most, { parts }) => Math.max(most, parts), 1);
    const build = (multiple: number) =>
      assembleSchedule({ ...collective, chunks: chunks * multiple }, derivation, (move) =>
        scheduleOf(name, move, routes, routed),
      );
    const origin = { engine: 'list', schedule: name };
    yield { kind: 'candidate', candidate: { name: `${name} (${about})`, origin, build } };
  }
}

/** Derives the demands; undefined if a single pass over all paths would take too long. */
function sendingOf({ collective, routes, size }: Problem, reversed: boolean): Sending | undefined {
  const { ranks, kind, root, counts } = collective;
  if (joinsMorePairs(routes.topology, listLimits.pairs)) return undefined;
  const ways = routeTableOf(routes, reversed, listLimits.channels);
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const amountsFrom = (source: number): RoutedDemand[] =>
    all
      .filter((rank) => rank !== source)
      .map((destination) => {
        const shard = counts?.[kind === 'alltoall' ? source * ranks + destination : destination];
        return { source, destination, weight: shard ?? size / ranks };
      });
  const roots = kind === 'alltoall' ? all : [root];
  const isEven = counts === undefined || new Set(roots.flatMap(amountsFrom).map(({ weight }) => weight)).size === 1;
  if (roots.length * (ranks + ways.arcs.length) > listLimits.effort) return undefined;
  const amounts = roots.flatMap(amountsFrom).filter(({ weight }) => isEven || weight > 0);
  const bytes = amounts.map(({ weight }) => weight);
  const average = bytes.reduce((sum, each) => sum + each, 0) / bytes.length;
  // A single source sends its parcels one after the other, so they should have about the same size.
  const unitBytes =
    kind === 'alltoall' ? average : Math.max(Math.min(...bytes), Math.max(...bytes) / listLimits.partsOfPair);
  const next = (at: number) => ways.to.subarray(ways.firstOut[at], ways.firstOut[at + 1]);
  const hops = roots.flatMap((source) => [...distancesFrom(source, ranks, next)]);
  return {
    routes: ways,
    demands: amounts.map((amount) => ({ ...amount, weight: isEven ? 1 : amount.weight / unitBytes })),
    unitBytes,
    isEven,
    hops: hops.reduce((sum, distance) => sum + distance, 0),
  };
}

/**
 * Yields the routed alternatives. First, paths of minimum latency, if paths with detours balance loads better; if arcs share links or
 * ports, a scatter yields a tree with few messages instead. Then the paths with balanced loads. If chips copy what they send, which the
 * continuous-time model ignores, those paths are tried with many short messages as well.
 */
function* choices(sending: Sending, problem: Problem): Iterable<readonly [about: string, routed: RoutedParcels]> {
  const random = new Random(problem.seed);
  const soonest = fewestParcels(sending, problem, { random, soonest: true });
  const even = fewestParcels(sending, problem, { random });
  const base = loadOf(soonest) <= loadOf(even) * closeEnough ? soonest : even;
  const { effort = 'full', shouldStop = () => false } = problem;
  const control = { effort, shouldStop };
  const flowing = ({ parcels, count, routing }: RoutedPairs, policies = anyMessages): RoutedParcels => {
    const how = { random, soonest: routing === soonest.routing, effort: mostLooks * partOfWork[effort], shouldStop };
    const reroute = (): Routing => balancedRoutes(sending.routes, parcels, how);
    const flow = fastestFlow(sending.routes, routing, sending.unitBytes / count, reroute, control, policies);
    return { parcels, ...flow };
  };
  const tree = sharesResources(sending.routes) ? treeOf(sending, problem) : undefined;
  if (tree !== undefined) yield ['tree over a row', tree];
  else if (base === even) yield ['shortest ways', flowing(soonest)];
  yield ['even ways', flowing(base)];
  const copies = problem.routes.topology.nodes.some(({ copy }) => copy !== undefined);
  if (copies) yield ['even ways, many messages', flowing(base, shortMessagePolicies)];
}

/** Routes with the smallest number of parcels that (almost) minimises the load of the busiest resource. */
function fewestParcels(
  sending: Sending,
  { collective, chunks, effort = 'full', shouldStop }: Problem,
  how: Pick<PathSearch, 'random' | 'soonest'>,
): RoutedPairs {
  const looks = mostLooks * partOfWork[effort];
  const routed = (count: number): RoutedPairs => {
    const parcels = parcelsOf(sending, count);
    return { count, parcels, routing: balancedRoutes(sending.routes, parcels, { ...how, effort: looks, shouldStop }) };
  };
  // Unequal demands are divided by repeated halving, so that the parts are whole chunks whatever C is.
  const fits = (count: number) =>
    sending.isEven ? chunks === undefined || chunks % count === 0 : Number.isInteger(Math.log2(count));
  let best = routed(1);
  let last = best;
  let looked = best.routing.effort;
  for (const count of parcelCounts[collective.kind === 'alltoall' ? 'alltoall' : 'scatter']) {
    const { busiest, bound } = last.routing;
    if (busiest <= bound * closeEnough || looked > 3 * looks || count * sending.hops > listLimits.hops) break;
    if (shouldStop?.() === true) break;
    if (!fits(count)) continue;
    last = routed(count);
    looked += last.routing.effort;
    if (loadOf(last) * closeEnough < loadOf(best)) best = last;
  }
  return best;
}

/** Load of the busiest resource, in seconds per byte of a unit. */
function loadOf({ routing, count }: RoutedPairs): Seconds {
  return routing.busiest / count;
}

/**
 * Divides demands into equal parcels: `count` per unit. Unequal demands are divided into a power of two of parcels each, so that the
 * parcels of every demand are whole chunks of the finest division.
 */
function parcelsOf({ demands, isEven }: Sending, count: number): readonly Parcel[] {
  return demands.flatMap(({ source, destination, weight }) => {
    const halvings = Math.ceil(Math.log2(Math.max(1, weight * count)) - rounding);
    const parts = isEven ? count : Math.min(listLimits.partsOfPair * count, 2 ** halvings);
    const each = { source, destination, weight: (weight * count) / parts, parts };
    return Array.from({ length: parts }, (_, part) => ({ ...each, part }));
  });
}

/** Whether some link or port is used by several arcs. */
function sharesResources({ arcs }: ArcNetwork): boolean {
  const used = arcs.flatMap(({ resources }) => resources);
  return new Set(used).size < used.length;
}

/**
 * A scatter along a tree over a row of ranks (row-tree.ts), with one parcel per rank: a message carries the data of a whole subtree.
 * Undefined if not applicable.
 */
function treeOf({ routes, isEven, demands, unitBytes }: Sending, { collective }: Problem): RoutedParcels | undefined {
  const { arcs, ranks } = routes;
  if (collective.kind === 'alltoall' || !isEven || ranks > maxRanksFor.cubes) return undefined;
  const wayOf = new Map(
    arcs.flatMap(({ from, to, channel }, way) => (channel === 0 ? [[from * ranks + to, way] as const] : [])),
  );
  if (wayOf.size < ranks * (ranks - 1)) return undefined;
  const parcels = demands.map((demand) => ({ ...demand, part: 0, parts: 1 }));
  const parcelOf = new Map(parcels.map(({ destination }, parcel) => [destination, parcel]));
  const paths: number[][] = parcels.map(() => []);
  const steps = treeOverRow(routes, collective.root, { fixed: 0, each: unitBytes }).map((round) =>
    round.map(({ from, to, ranks: given }) => {
      const way = wayOf.get(from * ranks + to) ?? 0;
      const items = given.flatMap((rank) => parcelOf.get(rank) ?? []);
      for (const parcel of items) paths[parcel].push(way);
      return { route: way, items };
    }),
  );
  return { parcels, paths, steps };
}
