/** From a machine to trees: the rate, capacities in trees, a graph of chips only, the trees. */
import type { Topology } from '../../ir/topology.ts';
import type { MovingKind } from '../derive.ts';
import { type CapacityGraph, capacitiesOf } from './capacities.ts';
import { packTrees, type Tree } from './pack.ts';
import { canSpread, type Rate, rateOfAll, rateOfOne } from './rate.ts';
import { removeSwitches } from './remove-switches.ts';
import { scaleToTrees, type TreeProblem } from './scale.ts';

/** How often the rate is halved where switches stand in the way of a greater one. */
const mostHalvings = 8;

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
  /** Trees per root; undefined for as many as the greatest rate needs. */
  readonly trees: number | undefined;
  readonly shouldStop?: (() => boolean) | undefined;
}

/** Packings of one machine and its transpose: where both have the same capacities one serves both. */
export class Packings {
  private readonly known: { readonly graph: CapacityGraph; readonly root: number; readonly packing: Packing }[] = [];

  /** Undefined where some chip cannot be reached, or when the time was up. */
  of(request: PackingRequest): Packing | undefined {
    const { topology, kind, trees, shouldStop } = request;
    const graph = capacitiesOf(topology);
    const root = kind === 'broadcast' ? request.root : -1;
    const same = this.known.find((before) => before.root === root && haveSameCapacities(before.graph, graph));
    if (same !== undefined) return same.packing;
    const rate = root === -1 ? rateOfAll(topology, shouldStop) : rateOfOne(graph, root);
    const roots = root === -1 ? [...topology.chips.keys()] : [root];
    const problem = switchlessProblem(graph, roots, rate, trees);
    const packed = problem === undefined ? undefined : packTrees(problem, shouldStop);
    if (problem === undefined || packed === undefined) return undefined;
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
  graph: CapacityGraph,
  roots: readonly number[],
  rate: Rate,
  trees: number | undefined,
): TreeProblem | undefined {
  for (let halving = 0; halving <= mostHalvings && rate.amount > 0; halving++) {
    const scaled = scaleToTrees(graph, roots, { ...rate, roots: rate.roots * 2 ** halving }, trees);
    if (scaled === undefined) return undefined;
    const { problem } = removeSwitches(scaled);
    if (canSpread(problem.graph, roots, problem.trees)) return problem;
    const narrower = scaleToTrees(problem.graph, roots, { amount: problem.trees, roots: 1 }, trees);
    if (narrower !== undefined) return { ...narrower, width: narrower.width * problem.width };
  }
  return undefined;
}

function haveSameCapacities(a: CapacityGraph, b: CapacityGraph): boolean {
  return a.nodes === b.nodes && a.capacity.every((amount, edge) => amount === b.capacity[edge]);
}
