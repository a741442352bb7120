/** From a machine to trees: the rate, capacities in trees, a graph of chips only, the trees. */
import type { Topology } from '../../ir/topology.ts';
import type { MovingKind } from '../derive.ts';
import { type CapacityGraph, capacitiesOf } from './capacities.ts';
import { packTrees, type Tree } from './pack.ts';
import { rateOfAll, rateOfOne } from './rate.ts';
import { removeSwitches } from './remove-switches.ts';
import { scaleToTrees } from './scale.ts';

/** Trees, and how wide the connections are that they use. */
export interface Packing {
  readonly trees: readonly Tree[];
  /** In trees, by from · N + to. */
  readonly capacity: Float64Array;
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
    const scaled = scaleToTrees(graph, roots, rate, trees);
    if (scaled === undefined) return undefined;
    const { problem } = removeSwitches(scaled);
    const packed = packTrees(problem, shouldStop);
    if (packed === undefined) return undefined;
    const packing = { trees: packed, capacity: problem.graph.capacity };
    this.known.push({ graph, root, packing });
    return packing;
  }
}

function haveSameCapacities(a: CapacityGraph, b: CapacityGraph): boolean {
  return a.nodes === b.nodes && a.capacity.every((amount, edge) => amount === b.capacity[edge]);
}
