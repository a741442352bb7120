/** From a machine to packed trees: the rate, capacities in trees, a graph of chips only, the trees. */
import type { Effort, ShouldStop } from '../../ir/effort.ts';
import type { Topology } from '../../ir/topology.ts';
import type { MovingKind } from '../derive.ts';
import { relativeTolerance } from '../limits.ts';
import { equalShares, type SpreadingRoot } from '../shares.ts';
import { capacitiesOf } from './capacities.ts';
import { packTrees, type Tree } from './pack.ts';
import { maxSpreadingRate, type Spreading, tightCut } from './rate.ts';
import { removeSwitches } from './remove-switches.ts';
import { maxTreesFor, scaleToTrees, type TreeProblem } from './scale.ts';

/** Trees, and the capacities of the connections that they use. */
export interface TreePacking {
  readonly trees: readonly Tree[];
  /** In trees, by from · N + to. */
  readonly capacity: Float64Array;
  /** Width of one tree, in units of the machine's network (`machineNetwork`). */
  readonly width: number;
}

/** A request for trees. */
export interface PackingRequest {
  readonly topology: Topology;
  readonly kind: MovingKind;
  /** The root of a broadcast; in an allgather every rank is a root. */
  readonly root: number;
  /** Amounts of the roots of an allgather, if shards differ. */
  readonly shares?: readonly SpreadingRoot[] | undefined;
  /** Trees per root (per unit of unequal shards); undefined for as many as the maximum rate needs. */
  readonly trees: number | undefined;
  /** How closely the maximum rate is approached; `full` if absent. */
  readonly effort?: Effort | undefined;
  readonly shouldStop?: ShouldStop | undefined;
}

/** The trees, or why there are none. */
export function packed(request: PackingRequest): TreePacking | string {
  const { topology, kind, root, shares, trees: wanted, effort = 'full', shouldStop } = request;
  const all = shares ?? equalShares([...topology.chips.keys()]);
  const roots = kind === 'broadcast' ? equalShares([root]) : all;
  const spreading = { graph: capacitiesOf(topology), roots, shouldStop };
  if (maxTreesFor(spreading, 'full') < (wanted ?? 1)) return 'packing so many trees of so many ranks takes too long';
  const problem = switchlessProblem(spreading, wanted, effort);
  const trees = problem === undefined ? undefined : packTrees(problem);
  if (problem !== undefined && trees !== undefined)
    return { trees, capacity: problem.graph.capacity, width: problem.width };
  const isLate = problem !== undefined || shouldStop?.() === true;
  return isLate ? 'there was no time to pack trees' : 'no tree reaches every chip';
}

/**
 * The packing problem among chips alone. A switch with less capacity in than out cannot serve all chips as fast as each
 * one alone; trees are then made narrower until they fit.
 */
function switchlessProblem(spreading: Spreading, trees: number | undefined, effort: Effort): TreeProblem | undefined {
  const rate = maxSpreadingRate(spreading);
  for (let most = rate; most > rate * relativeTolerance; most /= 2) {
    if (most < rate && spreading.shouldStop?.() === true) return undefined;
    const scaled = scaleToTrees(spreading, most, trees, effort);
    if (scaled === undefined) return undefined;
    const direct = removeSwitches(scaled);
    if (tightCut(direct, direct.trees) === undefined) return direct;
    const narrower = scaleToTrees(direct, direct.trees, trees, effort);
    if (narrower !== undefined) return { ...narrower, width: narrower.width * direct.width };
  }
  return undefined;
}
