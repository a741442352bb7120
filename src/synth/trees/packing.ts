/** From a machine to trees: the rate, capacities in trees, a graph of chips only, the trees. */
import type { Effort, ShouldStop } from '../../ir/effort.ts';
import type { Topology } from '../../ir/topology.ts';
import type { MovingKind } from '../derive.ts';
import { tolerance } from '../limits.ts';
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
  /** How closely the rate is met; `full` if left out. */
  readonly effort?: Effort | undefined;
  readonly shouldStop?: ShouldStop | undefined;
}

/** Packings of one message on one machine and its transpose: where both have the same capacities one serves both. */
export class Packings {
  private readonly known: { readonly graph: MachineGraph; readonly kind: MovingKind; readonly packing: Packing }[] = [];

  /** The trees, or why there are none. */
  of(request: PackingRequest): Packing | string {
    const { topology, kind, trees, effort = 'full', shouldStop } = request;
    const graph = capacitiesOf(topology);
    const same = this.known.find((before) => before.kind === kind && haveSameCapacities(before.graph, graph));
    if (same !== undefined) return same.packing;
    const all = kind === 'broadcast' ? [request.root] : [...topology.chips.keys()];
    const roots = (kind === 'broadcast' ? undefined : request.shares) ?? equalShares(all);
    if (mostTreesFor(graph, roots, 'full') < (trees ?? 1))
      return 'packing so many trees of so many ranks takes too long';
    const problem = switchlessProblem(graph, roots, trees, effort, shouldStop);
    const packed = problem === undefined ? undefined : packTrees(problem, shouldStop);
    if (packed === undefined && (problem !== undefined || shouldStop?.() === true))
      return 'there was no time to pack trees';
    if (problem === undefined || packed === undefined) return 'no tree reaches every chip';
    const packing = { trees: packed, capacity: problem.graph.capacity, width: problem.width };
    this.known.push({ graph, kind, packing });
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
  trees: number | undefined,
  effort: Effort,
  shouldStop: ShouldStop | undefined,
): TreeProblem | undefined {
  const rate = rateOf(graph, roots, shouldStop);
  for (let most = rate; most > rate * tolerance; most /= 2) {
    if (most < rate && shouldStop?.() === true) return undefined;
    const scaled = scaleToTrees(graph, roots, most, trees, effort, shouldStop);
    if (scaled === undefined) return undefined;
    const careless = removeSwitches(scaled, graph.distance, false, shouldStop);
    if (canSpread(careless, shouldStop)) return careless;
    const careful = removeSwitches(scaled, graph.distance, true, shouldStop);
    if (canSpread(careful, shouldStop)) return careful;
    const narrower = scaleToTrees(careful.graph, roots, careful.trees, trees, effort, shouldStop);
    if (narrower !== undefined) return { ...narrower, width: narrower.width * careful.width };
  }
  return undefined;
}

function canSpread({ graph, roots, trees }: TreeProblem, shouldStop?: ShouldStop): boolean {
  return tightCut(graph, roots, trees, shouldStop) === undefined;
}

function haveSameCapacities(a: MachineGraph, b: MachineGraph): boolean {
  return a.nodes === b.nodes && a.capacity.every((amount, edge) => amount === b.capacity[edge]);
}
