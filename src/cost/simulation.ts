/**
 * The discrete-event run of a plan (design.md §5, §6): lanes issue operations, messages take links and ports, reductions and
 * copies take engines. Everything that happens at one instant is settled before any message starts at that instant, so that
 * program order decides and not the order of events; reductions go before messages.
 */
import { OperationCode, operationCount, type Plan, rankOfLane } from '../ir/plan.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { type Connections, messageDuration } from './connections.ts';
import { Engines } from './engines.ts';
import { KeyedHeap } from './keyed-heap.ts';
import { Network } from './network.ts';
import { nothing, Trace } from './trace.ts';

/** Kinds of events; an event is `3 · index + kind`. */
const arrival = 0;
const linkFree = 1;
const engineDone = 2;

/**
 * Times that differ by rounding only are one instant: symmetric ranks add the same durations in different orders, and must
 * stay in lock step all the same.
 */
const sameInstant = 1 + 1e-12;

export class Simulation {
  /** When the last operation ended so far. */
  seconds: Seconds = 0;
  readonly trace: Trace;
  private lastInstance = nothing;
  private now: Seconds = 0;

  private readonly plan: Plan;
  private readonly topology: Topology;
  private readonly connections: Connections;
  private readonly chunkBytes: Bytes;
  private readonly inflight: number;
  private readonly network: Network;
  private readonly engines: Engines;
  private readonly events = new KeyedHeap(1024);

  // Lanes: the operation and bulk they are at, the instance they were held up by last, and who can go on.
  private readonly rankOf: Int32Array;
  private readonly cursor: Int32Array;
  private readonly bulk: Int32Array;
  private readonly heldBy: Int32Array;
  private readonly runnable: number[] = [];
  private running = 0;
  // Operations: in how many bulks each is complete, and the lanes that wait for it as a linked list.
  private readonly completed: Int32Array;
  private readonly firstWaiter: Int32Array;
  private readonly nextWaiter: Int32Array;
  // Connections: messages accepted, offered to the network, started, arrived and taken so far, and the lanes that wait at either end.
  private readonly accepted: Int32Array;
  private readonly offered: Int32Array;
  private readonly started: Int32Array;
  private readonly arrived: Int32Array;
  private readonly taken: Int32Array;
  private readonly waitingSender: Int32Array;
  private readonly waitingReceiver: Int32Array;
  /** Of pipelined links: the instance that entered them last. */
  private readonly lastOnLink: Int32Array;
  private readonly firstStep: number;
  private readonly stepSpan: number;

  constructor(plan: Plan, connections: Connections, topology: Topology, chunkBytes: Bytes) {
    const lanes = plan.laneId.length;
    const operations = operationCount(plan);
    this.plan = plan;
    this.topology = topology;
    this.connections = connections;
    this.chunkBytes = chunkBytes;
    this.inflight = topology.inflight ?? Number.POSITIVE_INFINITY;
    this.network = new Network(connections, topology);
    this.engines = new Engines(topology, lanes, this.network);
    this.trace = new Trace(operations, plan.bulks);
    this.rankOf = Int32Array.from({ length: lanes }, (_, lane) => rankOfLane(plan, lane));
    this.cursor = plan.firstOp.slice(0, lanes);
    this.bulk = new Int32Array(lanes);
    this.heldBy = new Int32Array(lanes).fill(nothing);
    this.completed = new Int32Array(operations);
    this.firstWaiter = new Int32Array(operations).fill(nothing);
    this.nextWaiter = new Int32Array(lanes).fill(nothing);
    this.accepted = new Int32Array(connections.count);
    this.offered = new Int32Array(connections.count);
    this.started = new Int32Array(connections.count);
    this.arrived = new Int32Array(connections.count);
    this.taken = new Int32Array(connections.count);
    this.waitingSender = new Int32Array(connections.count).fill(nothing);
    this.waitingReceiver = new Int32Array(connections.count).fill(nothing);
    this.lastOnLink = new Int32Array(topology.links.length).fill(nothing);
    const { step } = plan.ops;
    this.firstStep = step.reduce((least, s) => Math.min(least, s), 0);
    this.stepSpan = step.reduce((greatest, s) => Math.max(greatest, s), 0) - this.firstStep + 1;
    for (let lane = 0; lane < lanes; lane++) {
      if (plan.firstOp[lane] < plan.firstOp[lane + 1]) this.runnable.push(lane);
    }
    this.running = this.runnable.length;
  }

  /**
   * Runs to the end.
   * @throws Error if the plan deadlocks: it should have been proved first
   */
  run(): void {
    const start = (connection: number, waitedFor: number) => this.startMessage(connection, waitedFor);
    for (;;) {
      this.settle();
      this.network.dispatch(start);
      if (this.events.length === 0) break;
    }
    if (this.running > 0) throw new Error(`plan ${this.plan.name} deadlocks: ${this.running} lanes never finish`);
  }

  /** The operations from the start to the end, each the one that the next waited for. */
  criticalPath() {
    return this.trace.pathTo(this.lastInstance);
  }

  /** Handles everything that happens at the next instant, up to the point where messages may start. */
  private settle(): void {
    const work = (lane: number, duration: Seconds, waitedFor: number) => this.startWork(lane, duration, waitedFor);
    const end = this.events.length === 0 ? 0 : this.events.leastKey * sameInstant;
    for (;;) {
      for (let lane = this.runnable.pop(); lane !== undefined; lane = this.runnable.pop()) this.advance(lane);
      if (this.events.leastKey <= end) this.handleEvent();
      else if (!this.engines.startReady(work)) return;
    }
  }

  private handleEvent(): void {
    this.now = this.events.leastKey;
    const event = this.events.pop();
    const index = Math.floor(event / 3);
    switch (event % 3) {
      case arrival:
        this.arrive(index);
        break;
      case linkFree:
        this.network.release(index, this.lastOnLink[index]);
        break;
      case engineDone:
        this.finishWork(index);
        break;
    }
  }

  /** Position in program order: bulk, step, then rank, lane and index, which is how operations are numbered. */
  private order(operation: number, bulk: number): number {
    const step = this.plan.ops.step[operation] - this.firstStep;
    return (bulk * this.stepSpan + step) * this.completed.length + operation;
  }

  // --- lanes ---

  /** Runs a lane until it has to wait. */
  private advance(lane: number): void {
    const { firstOp, bulks, ops } = this.plan;
    for (;;) {
      if (this.cursor[lane] === firstOp[lane + 1]) {
        if (++this.bulk[lane] === bulks) {
          this.running--;
          return;
        }
        this.cursor[lane] = firstOp[lane];
      }
      const operation = this.cursor[lane];
      if (this.mustWait(lane, operation)) return;
      const complete =
        ops.kind[operation] === OperationCode.send
          ? this.send(lane, operation)
          : ops.peer[operation] >= 0
            ? this.receive(lane, operation)
            : this.work(lane, operation);
      if (!complete) return;
      this.complete(lane);
    }
  }

  /** True if something in `after` is not complete yet; the lane is then called again when it is. */
  private mustWait(lane: number, operation: number): boolean {
    const { firstAfter, afterOp, afterBulks } = this.plan.ops;
    for (let a = firstAfter[operation]; a < firstAfter[operation + 1]; a++) {
      const needed = afterOp[a];
      if (this.completed[needed] > this.bulk[lane] - afterBulks[a]) continue;
      this.nextWaiter[lane] = this.firstWaiter[needed];
      this.firstWaiter[needed] = lane;
      return true;
    }
    return false;
  }

  /** The operation a lane is at is complete: the lane moves on, and so may those that waited for it. */
  private complete(lane: number): void {
    const operation = this.cursor[lane]++;
    const instance = this.heldBy[lane];
    this.completed[operation]++;
    let waiter = this.firstWaiter[operation];
    this.firstWaiter[operation] = nothing;
    while (waiter !== nothing) {
      const next = this.nextWaiter[waiter];
      this.resume(waiter, instance);
      waiter = next;
    }
    if (this.now > this.seconds || this.lastInstance === nothing) this.lastInstance = instance;
    this.seconds = Math.max(this.seconds, this.now);
  }

  private resume(lane: number, heldBy: number): void {
    this.heldBy[lane] = heldBy;
    this.runnable.push(lane);
  }

  /** Completes what a lane waits in, and lets it go on. */
  private completeAndResume(lane: number, instance: number): void {
    this.heldBy[lane] = instance;
    this.complete(lane);
    this.runnable.push(lane);
  }

  // --- messages ---

  /** A lane has reached a send: true if the channel takes its data at once. */
  private send(lane: number, operation: number): boolean {
    const connection = this.connections.of[operation];
    if (this.accepted[connection] - this.taken[connection] >= Math.max(1, this.inflight)) {
      this.waitingSender[connection] = lane;
      return false;
    }
    this.accepted[connection]++;
    this.trace.setCause(this.trace.instance(operation, this.bulk[lane]), this.heldBy[lane]);
    this.offerNext(connection, nothing);
    if (this.inflight > 0) return true;
    this.waitingSender[connection] = lane;
    return false;
  }

  /** A lane has reached a receive: true if it is complete at once, since its message is there and is not reduced. */
  private receive(lane: number, operation: number): boolean {
    const connection = this.connections.of[operation];
    if (this.taken[connection] < this.arrived[connection]) return this.take(lane, operation, this.heldBy[lane]);
    this.waitingReceiver[connection] = lane;
    if (this.inflight === 0) this.offerNext(connection, this.heldBy[lane]);
    return false;
  }

  /** Delivers the next message of a connection to the receive a lane is at. */
  private take(lane: number, operation: number, heldBy: number): boolean {
    const connection = this.connections.of[operation];
    this.taken[connection]++;
    this.waitingReceiver[connection] = nothing;
    const sender = this.waitingSender[connection];
    if (sender !== nothing && this.inflight > 0) {
      this.waitingSender[connection] = nothing;
      this.resume(sender, heldBy);
    }
    this.heldBy[lane] = heldBy;
    if (this.plan.ops.kind[operation] === OperationCode.recvReduce) return this.work(lane, operation);
    this.note(lane, operation);
    return true;
  }

  /** Offers the network the next message of a connection, if it is there and none is on offer. */
  private offerNext(connection: number, waitedFor: number): void {
    const number = this.started[connection];
    if (this.offered[connection] > number || this.accepted[connection] === number) return;
    if (this.inflight === 0 && this.waitingReceiver[connection] === nothing) return;
    this.offered[connection]++;
    const operation = this.sendOf(connection, number);
    const bulk = this.bulkOf(connection, number);
    if (waitedFor !== nothing) this.trace.setCause(this.trace.instance(operation, bulk), waitedFor);
    this.network.offer(connection, this.order(operation, bulk));
  }

  /** The network has given a message its links and ports. */
  private startMessage(connection: number, waitedFor: number): void {
    const { firstRouteLink, routeLink } = this.connections;
    const number = this.started[connection]++;
    const operation = this.sendOf(connection, number);
    const instance = this.trace.instance(operation, this.bulkOf(connection, number));
    const bytes = this.plan.ops.srcCount[operation] * this.chunkBytes;
    const end = this.now + messageDuration(this.connections, connection, bytes);
    if (waitedFor !== nothing) this.trace.setCause(instance, waitedFor);
    this.trace.setTimes(instance, this.now, end);
    this.events.push(end, 3 * connection + arrival);
    for (let r = firstRouteLink[connection]; r < firstRouteLink[connection + 1]; r++) {
      const link = this.topology.links[routeLink[r]];
      if (link.occupancy === 'blocking') continue;
      this.lastOnLink[routeLink[r]] = instance;
      if (bytes === 0) this.network.release(routeLink[r], instance);
      else this.events.push(this.now + bytes / link.bandwidth, 3 * routeLink[r] + linkFree);
    }
    this.offerNext(connection, this.trace.cause(instance));
  }

  private arrive(connection: number): void {
    const number = this.arrived[connection]++;
    const instance = this.trace.instance(this.sendOf(connection, number), this.bulkOf(connection, number));
    const { sender, receiver } = this.connections;
    this.network.arrive(connection, instance);
    this.engines.messageEnded(this.topology.chips[sender[connection]], instance);
    this.engines.messageEnded(this.topology.chips[receiver[connection]], instance);
    const receiving = this.waitingReceiver[connection];
    if (receiving !== nothing && this.take(receiving, this.cursor[receiving], instance)) {
      this.completeAndResume(receiving, this.heldBy[receiving]);
    }
    if (this.inflight > 0) return;
    const sending = this.waitingSender[connection];
    this.waitingSender[connection] = nothing;
    this.completeAndResume(sending, instance);
  }

  /** The operation that sends the message of this number. */
  private sendOf(connection: number, number: number): number {
    const { firstSend, sends } = this.connections;
    const first = firstSend[connection];
    return sends[first + (number % (firstSend[connection + 1] - first))];
  }

  private bulkOf(connection: number, number: number): number {
    const { firstSend } = this.connections;
    return Math.floor(number / (firstSend[connection + 1] - firstSend[connection]));
  }

  // --- engines ---

  /** The local part of an operation: true if it is complete at once, because the chip has no engine that it would need. */
  private work(lane: number, operation: number): boolean {
    const { ops } = this.plan;
    const kind = ops.kind[operation] === OperationCode.copy ? 'copy' : 'reduce';
    const node = this.topology.chips[this.rankOf[lane]];
    if (this.topology.nodes[node][kind] === undefined) {
      this.note(lane, operation);
      return true;
    }
    this.trace.setCause(this.trace.instance(operation, this.bulk[lane]), this.heldBy[lane]);
    const bytes = ops.dstCount[operation] * this.chunkBytes;
    this.engines.request(lane, node, kind, bytes, this.order(operation, this.bulk[lane]));
    return false;
  }

  /** Notes an operation that takes no time. */
  private note(lane: number, operation: number): void {
    const instance = this.trace.instance(operation, this.bulk[lane]);
    this.trace.setCause(instance, this.heldBy[lane]);
    this.trace.setTimes(instance, this.now, this.now);
    this.heldBy[lane] = instance;
  }

  /** An engine has taken up what a lane is at. */
  private startWork(lane: number, duration: Seconds, waitedFor: number): void {
    const instance = this.trace.instance(this.cursor[lane], this.bulk[lane]);
    const end = this.now + duration;
    if (waitedFor !== nothing) this.trace.setCause(instance, waitedFor);
    this.trace.setTimes(instance, this.now, end);
    this.events.push(end, 3 * lane + engineDone);
  }

  private finishWork(lane: number): void {
    const instance = this.trace.instance(this.cursor[lane], this.bulk[lane]);
    this.engines.finish(lane, instance);
    this.completeAndResume(lane, instance);
  }
}
