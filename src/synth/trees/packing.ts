/** From a machine to trees: the rate, capacities in trees, a graph of chips only, the trees. */
import type { Effort, ShouldStop } from '../../ir/effort.ts';
import type { Topology } from '../../ir/topology.ts';
import type { MovingKind } from '../derive.ts';
import { equalShares, type Root } from '../shares.ts';
import { capacitiesOf, type MachineGraph } from './capacities.ts';
import { packTrees, type Tree } from './pack.ts';
import { rateOf, tightCut } from './rate.ts';
import { removeSwitches } from './remove-switches.ts';
import { mostTreesFor, scaleToTrees, type TreeProblem } from './scale.ts';

/** Trees, and how wide the connections are that they use. */
export interface Packing {
  readonly trees: readonly Tree[];
  /** In trees, by from · N + to. */
  readonly capacity: Float64Array;
  /** What one tree takes everywhere, in units of the machine's network (`machineNetwork`). */
  readonly width: number;
}

const noTime = 'there was no time to pack trees';

/** What is to be packed. */
export interface PackingRequest {
  readonly topology: Topology;
  readonly kind: MovingKind;
  /** The one root of a broadcast; every rank is a root of an allgather. */
  readonly root: number;
  /** What the roots of an allgather have, where their shards differ. */
  readonly shares?: readonly Root[] | undefined;
  /** Trees per root, or for the unit of shards that differ; undefined for as many as the greatest rate needs. */
  readonly trees: number | undefined;
  /** Chunks that a root has to spread, where these are given: as many trees share them, so they must be a multiple. */
  readonly chunks: number | undefined;
  /** How closely the rate is met; `full` if left out. */
  readonly effort?: Effort | undefined;
  readonly shouldStop?: ShouldStop | undefined;
}

interface Known {
  readonly graph: MachineGraph;
  readonly root: number;
  readonly packing: Packing;
}

/** Packings of one message on one machine and its transpose: where both have the same capacities one serves both. */
export class Packings {
  private readonly known: Known[] = [];

  /** The trees, or why there are none. */
  of(request: PackingRequest): Packing | string {
    const { topology, kind, trees, chunks, effort = 'full', shouldStop } = request;
    const graph = capacitiesOf(topology);
    const root = kind === 'broadcast' ? request.root : -1;
    const same = this.known.find((before) => before.root === root && haveSameCapacities(before.graph, graph));
    if (same !== undefined) return same.packing;
    const shares = root === -1 ? request.shares : undefined;
    const roots = shares ?? equalShares(root === -1 ? [...topology.chips.keys()] : [root]);
    if (mostTreesFor(graph, roots, 'full') < (trees ?? 1))
      return 'packing so many trees of so many ranks takes too long';
    const rate = rateOf(graph, roots, shouldStop);
    const problem = switchlessProblem(graph, roots, rate, trees, effort, shouldStop);
    if (problem === undefined) return shouldStop?.() === true ? noTime : 'no tree reaches every chip';
    if (chunks !== undefined && shares === undefined && chunks % problem.trees !== 0) {
      return `needs a multiple of ${problem.trees} chunks for each root, not ${chunks}`;
    }
    const packed = packTrees(problem, shouldStop);
    if (packed === undefined) return noTime;
    const packing = { trees: packed, capacity: problem.graph.capacity, width: problem.width };
    this.known.push({ graph, root, packing });
    return packing;
  }
}

/**
 * Trees to pack among chips alone. A switch with less capacity in than out cannot serve every chip as fast as each alone;
 * then trees get narrower until they fit.
 */
function switchlessProblem(
  graph: MachineGraph,
  roots: readonly Root[],
  rate: number,
  trees: number | undefined,
  effort: Effort,
  shouldStop: ShouldStop | undefined,
): TreeProblem | undefined {
  const canSpread = ({ graph: between, trees: wanted }: TreeProblem): boolean =>
    tightCut(between, roots, wanted, shouldStop) === undefined;
  for (let most = rate; most > 0; most /= 2) {
    const scaled = scaleToTrees(graph, roots, most, trees, effort, shouldStop);
    if (scaled === undefined || (most < rate && shouldStop?.() === true)) return undefined;
    const careless = removeSwitches(scaled, graph.distance, false, shouldStop);
    if (canSpread(careless)) return careless;
    const problem = removeSwitches(scaled, graph.distance, true, shouldStop);
    if (canSpread(problem)) return problem;
    const narrower = scaleToTrees(problem.graph, roots, problem.trees, trees, effort, shouldStop);
    if (narrower !== undefined) return { ...narrower, width: narrower.width * problem.width };
  }
  return undefined;
}

function haveSameCapacities(a: MachineGraph, b: MachineGraph): boolean {
  return a.nodes === b.nodes && a.capacity.every((amount, edge) => amount === b.capacity[edge]);
}
