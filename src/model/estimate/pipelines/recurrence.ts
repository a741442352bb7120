/**
 * The dependencies between the bulks of a plan that hold however links and engines are shared: lanes run in order, `after` may refer to an earlier
 * bulk, and a connection buffers a limited number of messages. In modulo scheduling they give the recurrence-constrained initiation interval (Rau,
 * "Iterative Modulo Scheduling", 1994).
 */
import { OperationCode, operationCount, type Plan, rankOfLane } from '../../../ir/plan.ts';
import type { Routes } from '../../../ir/routes.ts';
import { chunkBytesOf } from '../../../ir/shards.ts';
import type { Topology } from '../../../ir/topology.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { findConnections, messageDuration, type SimulatedConnections } from '../../simulate/connections.ts';
import { type OperationWeights, weigh } from '../../simulate/weights.ts';
import { greatestCycleRatio, type Precedences } from './cycle-ratio.ts';
import { followed } from './limits.ts';

/**
 * The minimum time between consecutive bulks that the dependencies of a plan allow if every link, port and engine is always free.
 *
 * @param size bytes of the whole message (M), of which each bulk is an equal share
 * @param atLeast a lower bound that is known already, such as that of the resources
 * @returns seconds; `atLeast` if the dependencies allow less; undefined for plans of more than 20,000 operations
 */
export function minRecurrence(plan: Plan, routes: Routes, size: Bytes, atLeast: Seconds = 0): Seconds | undefined {
  if (operationCount(plan) > followed.operations) return undefined;
  return greatestCycleRatio(waitsBetween(plan, routes, size), atLeast);
}

/** The precedences between the events of a plan's operations, within a bulk and from earlier bulks. */
function waitsBetween(plan: Plan, routes: Routes, size: Bytes): Precedences {
  const connections = findConnections(plan, routes);
  const { topology } = routes;
  const chunkBytes = chunkBytesOf(plan, size, topology.messages?.alignment);
  return new Waits(plan, connections, topology, weigh(plan, size, topology.messages), chunkBytes).list();
}

/**
 * Builds the precedences. Each operation o has three events. Event 3·o: the operation begins, when its lane reaches it and its dependencies are
 * complete. Event 3·o + 1: a send's message starts, or a receive has taken its message. Event 3·o + 2: a send's message arrives, or the operation is
 * complete. A send on a buffered connection is complete at 3·o already.
 */
class Waits {
  private readonly plan: Plan;
  private readonly connections: SimulatedConnections;
  private readonly topology: Topology;
  private readonly weights: OperationWeights;
  private readonly chunkBytes: Bytes;
  private readonly inflight: number;
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly weight: number[] = [];
  private readonly bulks: number[] = [];

  constructor(
    plan: Plan,
    connections: SimulatedConnections,
    topology: Topology,
    weights: OperationWeights,
    chunkBytes: Bytes,
  ) {
    this.plan = plan;
    this.connections = connections;
    this.topology = topology;
    this.weights = weights;
    this.chunkBytes = chunkBytes;
    this.inflight = topology.inflight ?? Number.POSITIVE_INFINITY;
  }

  list(): Precedences {
    const { plan, connections } = this;
    for (let lane = 0; lane < plan.laneId.length; lane++) this.addLane(lane);
    for (let c = 0; c < connections.count; c++) {
      const sends = connections.sends.subarray(connections.firstSend[c], connections.firstSend[c + 1]);
      const receives = connections.receives.subarray(connections.firstReceive[c], connections.firstReceive[c + 1]);
      this.addMessages(c, sends, receives);
      if (this.inflight > 0) this.addBackPressure(sends, receives);
    }
    const { from, to, weight, bulks } = this;
    return { events: 3 * operationCount(plan), from, to, weight, bulks };
  }

  private add(from: number, to: number, weight: Seconds, bulks = 0): void {
    this.from.push(from);
    this.to.push(to);
    this.weight.push(weight);
    this.bulks.push(bulks);
  }

  private done(operation: number): number {
    const isSend = this.plan.ops.kind[operation] === OperationCode.send;
    return isSend && this.inflight > 0 ? 3 * operation : 3 * operation + 2;
  }

  /**
   * Adds the operations of a lane: they run in order, bulk after bulk, each after its dependencies. Local operations and reductions take the time of
   * their engine.
   */
  private addLane(lane: number): void {
    const { firstOp, ops } = this.plan;
    const [first, end] = [firstOp[lane], firstOp[lane + 1]];
    const node = this.topology.nodes[this.topology.chips[rankOfLane(this.plan, lane)]];
    for (let o = first; o < end; o++) {
      this.add(this.done(o === first ? end - 1 : o - 1), 3 * o, 0, o === first ? 1 : 0);
      for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
        this.add(this.done(ops.afterOp[a]), 3 * o, 0, ops.afterBulks[a]);
      }
      if (ops.kind[o] === OperationCode.send) continue;
      const engine = ops.kind[o] === OperationCode.copy ? node.copy : node.reduce;
      const works = ops.kind[o] !== OperationCode.recv && engine !== undefined;
      this.add(3 * o, 3 * o + 1, 0);
      this.add(3 * o + 1, 3 * o + 2, works ? (this.weights.written[o] * this.chunkBytes) / engine.throughput : 0);
    }
  }

  /**
   * Adds the messages of a connection: they start in order, each when the first link of the previous one is free again, and are received after their
   * arrival.
   */
  private addMessages(connection: number, sends: Int32Array, receives: Int32Array): void {
    sends.forEach((send, m) => {
      const bytes = this.weights.sent[send] * this.chunkBytes;
      const next = sends[(m + 1) % sends.length];
      this.add(3 * send, 3 * send + 1, 0);
      this.add(3 * send + 1, 3 * next + 1, this.held(connection, bytes), m + 1 === sends.length ? 1 : 0);
      this.add(3 * send + 1, 3 * send + 2, messageDuration(this.connections, connection, bytes));
      this.add(3 * send + 2, 3 * receives[m] + 1, 0);
      if (this.inflight === 0) this.add(3 * receives[m], 3 * send + 1, 0);
    });
  }

  /** Adds the limit on buffers: a send completes only when the message `inflight` positions earlier has been received. */
  private addBackPressure(sends: Int32Array, receives: Int32Array): void {
    if (this.inflight === Number.POSITIVE_INFINITY) return;
    sends.forEach((send, m) => {
      const taken = m - this.inflight;
      const bulks = Math.ceil(Math.max(0, -taken) / sends.length);
      this.add(3 * receives[taken + bulks * sends.length] + 1, 3 * send, 0, bulks);
    });
  }

  /** The time for which a message keeps the next message of its connection from starting. */
  private held(connection: number, bytes: Bytes): Seconds {
    const { firstRouteLink, routeLink } = this.connections;
    let longest = 0;
    for (let r = firstRouteLink[connection]; r < firstRouteLink[connection + 1]; r++) {
      const { occupancy, bandwidth } = this.topology.links[routeLink[r]];
      const held = occupancy === 'blocking' ? messageDuration(this.connections, connection, bytes) : bytes / bandwidth;
      longest = Math.max(longest, held);
    }
    return longest;
  }
}
