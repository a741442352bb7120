/**
 * The discrete-event simulation of a plan (docs/architecture.md, the model of time). Lanes issue operations, messages occupy links and ports,
 * reductions and copies occupy engines. All events of an instant are handled before any message starts at that instant, so that program order decides
 * between messages and not the order of events. Reductions start before messages.
 */

import { KeyedHeap } from '../../graph/keyed-heap.ts';
import { none } from '../../ir/none.ts';
import { computingTime, OperationCode, operationCount, type Plan, planBuffers } from '../../ir/plan.ts';
import type { PathStep } from '../../ir/report.ts';
import type { Topology } from '../../ir/topology.ts';
import { type Bytes, type Seconds, sumError } from '../../ir/units.ts';
import { ConnectionProgress } from './channels.ts';
import { messageDuration, type SimulatedConnections } from './connections.ts';
import { Engines } from './engines.ts';
import { LaneCursors } from './lanes.ts';
import { Network } from './network.ts';
import { Trace } from './trace.ts';
import { Turns } from './turns.ts';
import type { OperationWeights } from './weights.ts';

const scratch = planBuffers.indexOf('scratch');

/** Kinds of events; an event is `eventKinds · index + kind`. The last three are those of lanes. */
export const Event = { arrival: 0, linkFree: 1, engineDone: 2, laneDone: 3, received: 4, ready: 5 } as const;
const eventKinds = Object.keys(Event).length;

/**
 * Factor below which two times are the same instant: symmetric ranks add the same durations in different orders, and rounding must not break their
 * symmetry.
 */
export const sameInstant = 1 + sumError;

export class Simulation {
  /** When the last completed operation ended. */
  seconds: Seconds = 0;
  protected readonly trace: Trace;
  private lastInstance = none;
  protected now: Seconds = 0;

  protected readonly plan: Plan;
  protected readonly topology: Topology;
  protected readonly connections: SimulatedConnections;
  protected readonly weights: OperationWeights;
  protected readonly chunkBytes: Bytes;
  protected readonly channels: ConnectionProgress;
  protected readonly lanes: LaneCursors;
  private readonly network: Network;
  protected readonly engines: Engines;
  /** Present if the messages of the plan take turns (`Plan.inTurn`) and the machine has no model of lanes. */
  private readonly turns: Turns | undefined;
  private readonly events = new KeyedHeap(1024);

  /** By pipelined link: the instance whose message entered it last. */
  private readonly lastOnLink: Int32Array;
  private readonly operations: number;
  private readonly firstStep: number;
  private readonly stepSpan: number;
  /** By lane: the node of its rank's chip. */
  private readonly nodeOf: Int32Array;

  private readonly onStart = (connection: number, waitedFor: number): void => this.startMessage(connection, waitedFor);
  private readonly onWork = (lane: number, duration: Seconds, waitedFor: number): void =>
    this.startWork(lane, duration, waitedFor);

  /** @param chunkBytes bytes of an average chunk, the unit of the weights */
  constructor(
    plan: Plan,
    connections: SimulatedConnections,
    topology: Topology,
    weights: OperationWeights,
    chunkBytes: Bytes,
  ) {
    const lanes = plan.laneId.length;
    const operations = operationCount(plan);
    this.plan = plan;
    this.operations = operations;
    this.lanes = new LaneCursors(plan);
    this.topology = topology;
    this.connections = connections;
    this.weights = weights;
    this.chunkBytes = chunkBytes;
    this.channels = new ConnectionProgress(connections, topology.inflight ?? Number.POSITIVE_INFINITY);
    this.network = new Network(connections, topology);
    this.engines = new Engines(topology, lanes, this.network);
    this.turns = plan.inTurn === true && topology.lane === undefined ? new Turns(plan) : undefined;
    this.trace = new Trace(operations, plan.bulks);
    this.lastOnLink = new Int32Array(topology.links.length).fill(none);
    let [firstStep, lastStep] = [0, 0];
    for (let o = 0; o < operations; o++) {
      firstStep = Math.min(firstStep, plan.ops.step[o]);
      lastStep = Math.max(lastStep, plan.ops.step[o]);
    }
    this.firstStep = firstStep;
    this.stepSpan = lastStep - firstStep + 1;
    this.now = this.seconds = topology.launch ?? 0;
    this.nodeOf = new Int32Array(lanes);
    topology.chips.forEach((node, rank) => {
      this.nodeOf.fill(node, plan.firstLane[rank], plan.firstLane[rank + 1]);
    });
  }

  /**
   * Runs to the end.
   * @throws Error if the plan deadlocks: it should have been proved first
   */
  run(): void {
    for (;;) {
      this.settle();
      this.network.dispatch(this.onStart);
      if (this.events.length > 0) continue;
      const held = this.turns?.anyHeld();
      if (held === undefined) break;
      this.network.offer(held.connection, this.order(held.operation, held.bulk));
    }
    const { unfinished } = this.lanes;
    if (unfinished > 0) throw new Error(`plan ${this.plan.name} deadlocks: ${unfinished} lanes never finish`);
  }

  /** The operations of the critical path from start to end: each is the one for which the next one waited. */
  criticalPath(): PathStep[] {
    return this.trace.pathTo(this.lastInstance);
  }

  /** The critical path, followed by the chains of causes of the last operations of all other lanes that end at `from` or later. */
  chains(from: Seconds): PathStep[][] {
    const { firstOp, laneId, bulks } = this.plan;
    const ends = new Set([this.lastInstance]);
    laneId.forEach((_, lane) => {
      const last = this.trace.instance(firstOp[lane + 1] - 1, bulks - 1);
      if (firstOp[lane + 1] > firstOp[lane] && this.trace.end(last) >= from) ends.add(last);
    });
    return [...ends].filter((end) => end !== none).map((end) => this.trace.pathTo(end));
  }

  /** Start and end of each operation of each bulk; empty for runs that are too long to record. */
  times(): ReturnType<Trace['times']> {
    return this.trace.times();
  }

  /** Handles everything that happens at the next instant, up to the point where messages may start. */
  private settle(): void {
    const end = this.events.length === 0 ? this.now : this.events.minKey * sameInstant;
    for (;;) {
      for (let lane = this.lanes.nextRunnable(); lane !== undefined; lane = this.lanes.nextRunnable()) {
        this.advance(lane);
      }
      if (this.events.minKey <= end) this.handleEvent();
      else if (!this.engines.startReady(this.onWork)) return;
    }
  }

  private handleEvent(): void {
    this.now = this.events.minKey;
    const event = this.events.pop();
    this.handle(event % eventKinds, Math.floor(event / eventKinds));
  }

  protected handle(kind: number, index: number): void {
    if (kind === Event.arrival) this.arrive(index);
    else if (kind === Event.linkFree) this.network.release(index, this.lastOnLink[index]);
    else this.finishWork(index);
  }

  protected schedule(at: Seconds, kind: number, index: number): void {
    this.events.push(at, eventKinds * index + kind);
  }

  /** Position in program order: by bulk, then by operation number, which follows step, rank, lane and index. */
  private order(operation: number, bulk: number): number {
    const step = this.plan.ops.step[operation] - this.firstStep;
    return (bulk * this.stepSpan + step) * this.operations + operation;
  }

  // --- lanes ---

  /** Runs a lane until it has to wait. */
  private advance(lane: number): void {
    const { kind, peer } = this.plan.ops;
    for (;;) {
      const operation = this.lanes.reach(lane);
      if (operation === none) return;
      const complete =
        kind[operation] === OperationCode.send
          ? this.send(lane, operation)
          : peer[operation] >= 0
            ? this.receive(lane, operation)
            : this.work(lane, operation);
      if (!complete) return;
      this.complete(lane);
    }
  }

  private complete(lane: number): void {
    if (this.now > this.seconds || this.lastInstance === none) this.lastInstance = this.lanes.heldBy[lane];
    this.seconds = Math.max(this.seconds, this.now);
    const operation = this.lanes.cursor[lane];
    if (this.plan.ops.kind[operation] !== OperationCode.send)
      this.finishTurn(operation, this.lanes.bulk[lane], this.lanes.heldBy[lane]);
    this.lanes.complete(lane);
  }

  /** Completes the operation that blocks a lane, and resumes the lane. */
  protected completeAndResume(lane: number, instance: number): void {
    this.lanes.heldBy[lane] = instance;
    this.complete(lane);
    this.lanes.resume(lane, instance);
  }

  // --- messages ---

  /** Handles a send that a lane has reached. Returns true if the channel buffers its data at once. */
  protected send(lane: number, operation: number): boolean {
    const { channels } = this;
    const connection = this.connections.of[operation];
    const accepted = channels.accept(connection);
    if (accepted) {
      this.trace.setCause(this.trace.instance(operation, this.lanes.bulk[lane]), this.lanes.heldBy[lane]);
      this.offerNext(connection, none);
      if (!channels.rendezvous) return true;
    }
    channels.awaitRoom(connection, lane);
    return false;
  }

  /** Handles a receive that a lane has reached. Returns true if it is complete at once, because its message has arrived and is not reduced. */
  protected receive(lane: number, operation: number): boolean {
    const connection = this.connections.of[operation];
    if (this.channels.take(connection)) return this.deliver(lane, operation, this.lanes.heldBy[lane]);
    this.channels.awaitMessage(connection, lane);
    if (this.channels.rendezvous) this.offerNext(connection, this.lanes.heldBy[lane]);
    return false;
  }

  /** Handles the message that a lane's receive has taken. Returns true if the receive is complete, that is, if it does not reduce. */
  private deliver(lane: number, operation: number, heldBy: number): boolean {
    const connection = this.connections.of[operation];
    if (!this.channels.rendezvous) {
      const sender = this.channels.releaseSender(connection);
      if (sender !== none) this.lanes.resume(sender, heldBy);
    }
    this.lanes.heldBy[lane] = heldBy;
    if (this.plan.ops.kind[operation] === OperationCode.recvReduce) return this.work(lane, operation);
    this.note(lane, operation);
    return true;
  }

  /** Offers the next message of a connection to the network, if there is one. `waitedFor` is the instance for which it waited, or `none`. */
  protected offerNext(connection: number, waitedFor: number): void {
    const number = this.channels.offer(connection);
    if (number < 0) return;
    const operation = this.channels.sendOf(connection, number);
    const bulk = this.channels.bulkOf(connection, number);
    if (waitedFor !== none) this.trace.setCause(this.trace.instance(operation, bulk), waitedFor);
    if (this.turns?.admits(connection, operation, bulk) === false) return;
    this.network.offer(connection, this.order(operation, bulk));
  }

  /** Records that an operation is complete (a send: that its message has arrived), which may give other messages their turn. */
  private finishTurn(operation: number, bulk: number, instance: number): void {
    for (const held of this.turns?.done(operation, bulk) ?? []) {
      if (this.turns?.admits(held.connection, held.operation, held.bulk) === false) continue;
      if (instance !== none) this.trace.setCause(this.trace.instance(held.operation, held.bulk), instance);
      this.network.offer(held.connection, this.order(held.operation, held.bulk));
    }
  }

  /** Starts a message whose links and ports the network has occupied. */
  protected startMessage(connection: number, waitedFor: number): void {
    const number = this.channels.start(connection);
    const operation = this.channels.sendOf(connection, number);
    const instance = this.trace.instance(operation, this.channels.bulkOf(connection, number));
    const bytes = this.weights.sent[operation] * this.chunkBytes;
    const end = this.now + messageDuration(this.connections, connection, bytes);
    if (waitedFor !== none) this.trace.setCause(instance, waitedFor);
    this.trace.setTimes(instance, this.now, end);
    this.schedule(end, Event.arrival, connection);
    this.enterLinks(connection, instance, bytes);
    this.offerNext(connection, this.trace.cause(instance));
  }

  /**
   * Lets a message enter the links of its route. A pipelined link is free again when the last byte has entered it, a blocking one when the message
   * arrives.
   */
  protected enterLinks(connection: number, instance: number, bytes: Bytes): void {
    const { firstRouteLink, routeLink } = this.connections;
    for (let r = firstRouteLink[connection]; r < firstRouteLink[connection + 1]; r++) {
      const link = this.topology.links[routeLink[r]];
      if (link.occupancy === 'blocking') continue;
      this.lastOnLink[routeLink[r]] = instance;
      if (bytes === 0) this.network.release(routeLink[r], instance);
      else this.schedule(this.now + bytes / link.bandwidth, Event.linkFree, routeLink[r]);
    }
  }

  /** Records the arrival of a message, and frees its links and ports. Returns the instance of its send. */
  protected endMessage(connection: number): number {
    const { channels, connections, topology } = this;
    const number = channels.arrive(connection);
    const [operation, bulk] = [channels.sendOf(connection, number), channels.bulkOf(connection, number)];
    const instance = this.trace.instance(operation, bulk);
    this.finishTurn(operation, bulk, instance);
    this.network.arrive(connection, instance);
    this.engines.messageEnded(topology.chips[connections.sender[connection]], instance);
    this.engines.messageEnded(topology.chips[connections.receiver[connection]], instance);
    return instance;
  }

  protected arrive(connection: number): void {
    const { channels } = this;
    const instance = this.endMessage(connection);
    const receiver = channels.releaseReceiver(connection);
    if (receiver !== none) {
      channels.take(connection);
      if (this.deliver(receiver, this.lanes.cursor[receiver], instance)) {
        this.completeAndResume(receiver, this.lanes.heldBy[receiver]);
      }
    }
    if (channels.rendezvous) this.completeAndResume(channels.releaseSender(connection), instance);
  }

  // --- engines ---

  /** Starts the local part of an operation. Returns true if it is complete at once, because the chip declares no engine for it. */
  protected work(lane: number, operation: number): boolean {
    const { ops } = this.plan;
    const node = this.nodeOf[lane];
    const { copy, reduce } = this.topology.nodes[node];
    const copies = ops.kind[operation] === OperationCode.copy;
    const computing = computingTime(this.plan, operation);
    if (computing !== undefined) {
      const order = this.order(operation, this.lanes.bulk[lane]);
      this.trace.setCause(this.trace.instance(operation, this.lanes.bulk[lane]), this.lanes.heldBy[lane]);
      this.engines.request(lane, node, 'compute', computing, order);
      return false;
    }
    if ((copies ? copy : reduce) === undefined) {
      this.note(lane, operation);
      return true;
    }
    this.trace.setCause(this.trace.instance(operation, this.lanes.bulk[lane]), this.lanes.heldBy[lane]);
    const bytes = this.weights.written[operation] * this.chunkBytes;
    const comesIn = copy?.duplex === true && ops.dstBuffer[operation] === scratch;
    const kind = !copies ? 'reduce' : comesIn ? 'copy in' : 'copy';
    this.engines.request(lane, node, kind, bytes, this.order(operation, this.lanes.bulk[lane]));
    return false;
  }

  /** Records an operation that takes no time. */
  private note(lane: number, operation: number): void {
    const instance = this.trace.instance(operation, this.lanes.bulk[lane]);
    this.trace.setCause(instance, this.lanes.heldBy[lane]);
    this.trace.setTimes(instance, this.now, this.now);
    this.lanes.heldBy[lane] = instance;
  }

  /** Records that an engine has started a lane's operation. */
  protected startWork(lane: number, duration: Seconds, waitedFor: number): void {
    const instance = this.trace.instance(this.lanes.cursor[lane], this.lanes.bulk[lane]);
    const end = this.now + duration;
    if (waitedFor !== none) this.trace.setCause(instance, waitedFor);
    this.trace.setTimes(instance, this.now, end);
    this.schedule(end, Event.engineDone, lane);
  }

  protected finishWork(lane: number): void {
    const instance = this.trace.instance(this.lanes.cursor[lane], this.lanes.bulk[lane]);
    this.engines.finish(lane, instance);
    this.completeAndResume(lane, instance);
  }
}
