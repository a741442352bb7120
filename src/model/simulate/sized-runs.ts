/** Simulates one plan repeatedly with different chunk sizes, and reports how its time depends on them. */
import { laneOf, OperationCode, operationCount, type Plan, rankOfLane } from '../../ir/plan.ts';
import type { PathStep } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';
import { rounding, type Seconds } from '../../ir/units.ts';
import { carry } from './carrying.ts';
import { findConnections, type SimulatedConnections } from './connections.ts';
import { Simulation } from './simulation.ts';

/**
 * A chain of operations, each of which waited for the previous one. It takes `constant` seconds without bytes, and `perByte[class]` seconds more for
 * each byte of the chunks of a class. As long as events keep their order, no run is faster than the chain.
 */
export interface CriticalChain {
  readonly constant: Seconds;
  readonly perByte: Float64Array;
}

export interface SizedRun {
  readonly seconds: Seconds;
  /** The critical path, whose duration is that of the run, and the chains that lead to the ends of lanes that finish almost as late. */
  chains(): readonly CriticalChain[];
}

/** Chains to lanes that finish before this fraction of the total time are ignored: moderately different sizes would not make them critical. */
const nearEnd = 0.9;

export class SizedRuns {
  private readonly plan: Plan;
  private readonly topology: Topology;
  private readonly connections: SimulatedConnections;
  private readonly classes: number;
  /** Classes of the chunks that operation o moves: `carried[firstCarried[o] … firstCarried[o + 1] − 1]`. */
  private readonly firstCarried: Int32Array;
  private readonly carried: Int32Array;

  /**
   * @param plan a proved plan in one bulk
   * @param classAt the class of a slot of a rank's input, below `classes`
   */
  constructor(plan: Plan, routes: Routes, classes: number, classAt: (rank: number, slot: number) => number) {
    this.plan = plan;
    this.topology = routes.topology;
    this.connections = findConnections(plan, routes);
    this.classes = classes;
    const lists: Int32Array[] = new Array(operationCount(plan));
    carry(plan, classAt, (operation, carried) => {
      lists[operation] = Int32Array.from(carried);
    });
    this.firstCarried = new Int32Array(lists.length + 1);
    lists.forEach((list, o) => {
      this.firstCarried[o + 1] = this.firstCarried[o] + list.length;
    });
    this.carried = new Int32Array(this.firstCarried[lists.length]);
    lists.forEach((list, o) => {
      this.carried.set(list, this.firstCarried[o]);
    });
  }

  /** Simulates the plan. @param sizes bytes of the chunks of each class */
  run(sizes: Float64Array): SizedRun {
    const { plan, topology, connections } = this;
    const bytes = this.bytesMoved(sizes);
    const simulation = new Simulation(plan, connections, topology, { sent: bytes, written: bytes }, 1);
    simulation.run();
    return { seconds: simulation.seconds, chains: () => this.chainsOf(simulation, sizes) };
  }

  private chainsOf(simulation: Simulation, sizes: Float64Array): readonly CriticalChain[] {
    const chains: CriticalChain[] = [];
    for (const path of simulation.chains(simulation.seconds * nearEnd)) {
      const chain = this.chainOf(path);
      const end = path[path.length - 1].end;
      if (Math.abs(chainTime(chain, sizes) - end) <= rounding * end) chains.push(chain);
    }
    return chains;
  }

  private bytesMoved(sizes: Float64Array): Float64Array {
    const { firstCarried, carried } = this;
    const bytes = new Float64Array(firstCarried.length - 1);
    for (let o = 0; o < bytes.length; o++) {
      for (let at = firstCarried[o]; at < firstCarried[o + 1]; at++) bytes[o] += sizes[carried[at]];
    }
    return bytes;
  }

  /** Adds up, for each step of a path, the time until the next step starts. */
  private chainOf(path: readonly PathStep[]): CriticalChain {
    const { plan, connections, firstCarried, carried } = this;
    const perByte = new Float64Array(this.classes);
    let constant = 0;
    path.forEach(({ operation, end }, index) => {
      const next = path[index + 1];
      const over = next === undefined || next.start * (1 + rounding) >= end;
      const rate = over ? this.secondsPerByte(operation) : this.handover(operation, next.operation);
      if (over && plan.ops.kind[operation] === OperationCode.send)
        constant += connections.latency[connections.of[operation]];
      if (rate === 0) return;
      for (let at = firstCarried[operation]; at < firstCarried[operation + 1]; at++) perByte[carried[at]] += rate;
    });
    return { constant, perByte };
  }

  /** The seconds that each byte adds to an operation: on the narrowest link of its message, or on the engine that it needs. */
  private secondsPerByte(operation: number): number {
    const { plan, topology, connections } = this;
    const kind = plan.ops.kind[operation];
    if (kind === OperationCode.send) return 1 / connections.bandwidth[connections.of[operation]];
    if (kind === OperationCode.recv) return 0;
    const { copy, reduce } = topology.nodes[topology.chips[rankOfLane(plan, laneOf(plan, operation).lane)]];
    const engine = kind === OperationCode.copy ? copy : reduce;
    return engine === undefined ? 0 : 1 / engine.throughput;
  }

  /** Seconds per byte until the next message can follow this one: its last byte must have entered the pipelined links that both use. */
  private handover(operation: number, next: number): number {
    const { topology, connections } = this;
    const { of, firstRouteLink, routeLink } = connections;
    const linksOf = (o: number) => routeLink.subarray(firstRouteLink[of[o]], firstRouteLink[of[o] + 1]);
    const others = linksOf(next);
    const shared = [...linksOf(operation)].filter(
      (link) => topology.links[link].occupancy === 'pipelined' && others.includes(link),
    );
    return shared.reduce((slowest, link) => Math.max(slowest, 1 / topology.links[link].bandwidth), 0);
  }
}

/** The duration of a chain in seconds, for these sizes in bytes by class. */
export function chainTime({ constant, perByte }: CriticalChain, sizes: Float64Array): Seconds {
  return perByte.reduce((sum, rate, index) => sum + rate * sizes[index], constant);
}
