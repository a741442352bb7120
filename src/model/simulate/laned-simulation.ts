/**
 * The simulation of a plan on a machine whose lanes move their bytes themselves (docs/time-model.md). An operation on n bytes costs its lane o + n/B
 * seconds (overhead o, bandwidth B), and a receiver already processes a fraction c of a message while that arrives. Links, ports, engines and
 * channels behave as in the base class.
 */

import { type LaneModel, paceOf } from '../../ir/lanes.ts';
import { none } from '../../ir/none.ts';
import { OperationCode, type Plan } from '../../ir/plan.ts';
import { checkBufferedLinks, type Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { SimulatedConnections } from './connections.ts';
import { MessageQueues } from './message-queues.ts';
import { Proxies } from './proxies.ts';
import { Event, Simulation } from './simulation.ts';
import type { OperationWeights } from './weights.ts';

export class LanedSimulation extends Simulation {
  private readonly model: LaneModel;
  private readonly proxies: Proxies;
  /** By lane: when it reached its receive, and when the recorded part of its operation began. */
  private readonly reached: Float64Array;
  private readonly began: Float64Array;
  /** By lane: when the lane itself finishes a reduction or copy, apart from the chip's engine. */
  private readonly workEnd: Float64Array;
  /** By lane: 1 if it had to wait for the message that it receives. */
  private readonly waited: Uint8Array;
  /**
   * By connection: the sending lane, the time at which its message was offered to the links, and the time at which its proxy may send the next
   * message.
   */
  private readonly senderLane: Int32Array;
  private readonly offered: Float64Array;
  private readonly proxyFree: Float64Array;
  /** Messages that a lane has handed to a proxy: when the lane finishes writing each of them, and when the proxy may start to send it. */
  private readonly left: MessageQueues;
  /** Messages in flight: the arrival of each, and the earliest time at which its receive may begin to take it. */
  private readonly underWay: MessageQueues;

  /** @throws CccError 'topology' as `checkBuffers` */
  constructor(
    model: LaneModel,
    plan: Plan,
    connections: SimulatedConnections,
    topology: Topology,
    weights: OperationWeights,
    chunkBytes: Bytes,
  ) {
    super(plan, connections, topology, weights, chunkBytes);
    checkBufferedLinks(topology);
    const lanes = plan.laneId.length;
    this.model = model;
    this.proxies = new Proxies(connections, topology);
    this.reached = new Float64Array(lanes);
    this.began = new Float64Array(lanes);
    this.workEnd = new Float64Array(lanes);
    this.waited = new Uint8Array(lanes);
    this.senderLane = new Int32Array(connections.count);
    this.offered = new Float64Array(connections.count);
    this.proxyFree = new Float64Array(connections.count);
    this.left = new MessageQueues(connections.count);
    this.underWay = new MessageQueues(connections.count);
  }

  protected override handle(kind: number, index: number): void {
    if (kind === Event.laneDone) this.finishOnLane(index);
    else if (kind === Event.received) this.finishReceive(index);
    else if (kind === Event.ready) this.offerNext(index, none);
    else super.handle(kind, index);
  }

  private finishOnLane(lane: number): void {
    const operation = this.lanes.cursor[lane];
    const isSend = this.plan.ops.kind[operation] === OperationCode.send;
    // If the proxy has not sent the message yet, the next operation has not waited for that; the message may even depend on the next operation. So
    // this send must not become its cause.
    const isHeld = isSend && !this.left.isEmpty(this.connections.of[operation]);
    this.completeAndResume(lane, isHeld ? this.lanes.heldBy[lane] : this.current(lane));
  }

  /** The instance that a lane executes. */
  private current(lane: number): number {
    return this.trace.instance(this.lanes.cursor[lane], this.lanes.bulk[lane]);
  }

  // --- sends ---

  /** The lane is busy with its send until it has moved all bytes, or longer if a link takes them more slowly. */
  protected override send(lane: number, operation: number): boolean {
    const { channels } = this;
    const connection = this.connections.of[operation];
    const accepted = channels.accept(connection);
    this.senderLane[connection] = lane;
    if (accepted) {
      this.trace.setCause(this.current(lane), this.lanes.heldBy[lane]);
      if (this.proxies.isBuffered(connection)) this.leaveWithProxy(lane, operation, connection);
      else this.offerNext(connection, none);
    }
    if (!accepted || channels.rendezvous) channels.awaitRoom(connection, lane);
    return false;
  }

  private leaveWithProxy(lane: number, operation: number, connection: number): void {
    const bytes = this.bytesOf(operation);
    const { visible } = this.model;
    const { overhead, bandwidth } = paceOf(this.model, bytes);
    const moving = bytes / bandwidth;
    const done = this.now + overhead + moving;
    const ready = Math.max(this.now + overhead, done - visible * moving);
    const isNext = this.left.isEmpty(connection);
    this.left.push(connection, done, ready);
    this.schedule(done, Event.laneDone, lane);
    if (isNext) this.schedule(Math.max(ready, this.proxyFree[connection]), Event.ready, connection);
  }

  protected override offerNext(connection: number, waitedFor: number): void {
    this.offered[connection] = this.now;
    super.offerNext(connection, waitedFor);
  }

  private bytesOf(send: number): Bytes {
    return this.weights.sent[send] * this.chunkBytes;
  }

  protected override startMessage(connection: number, waitedFor: number): void {
    const number = this.channels.start(connection);
    const operation = this.channels.sendOf(connection, number);
    const instance = this.trace.instance(operation, this.channels.bulkOf(connection, number));
    const bytes = this.bytesOf(operation);
    if (waitedFor !== none) this.trace.setCause(instance, waitedFor);
    const end = this.proxies.isBuffered(connection)
      ? this.sendFromProxy(connection, bytes)
      : this.sendFromLane(connection, bytes);
    this.trace.setTimes(instance, this.now, end);
    this.schedule(end, Event.arrival, connection);
    this.enterLinks(connection, instance, bytes);
    if (this.channels.isAwaited(connection)) this.take(connection, this.channels.releaseReceiver(connection));
  }

  /** Puts a message on the links without a proxy. Returns the time of its arrival. */
  private sendFromLane(connection: number, bytes: Bytes): Seconds {
    const { visible } = this.model;
    const { overhead, bandwidth } = paceOf(this.model, bytes);
    const { latency, bandwidth: least } = this.connections;
    const done = Math.max(
      this.offered[connection] + overhead + bytes / bandwidth,
      this.now + bytes / least[connection],
    );
    const end = done + latency[connection];
    if (!this.channels.rendezvous) this.schedule(done, Event.laneDone, this.senderLane[connection]);
    this.underWay.push(connection, end, end - (visible * bytes) / bandwidth);
    return end;
  }

  /** Lets a proxy send a message, and schedules the next message of the connection. Returns the time of arrival. */
  private sendFromProxy(connection: number, bytes: Bytes): Seconds {
    const { visible } = this.model;
    const { bandwidth } = paceOf(this.model, bytes);
    const latency = this.connections.latency[connection];
    const through = Math.max(this.left.firstOne(connection), this.now + this.proxies.duration(connection, bytes));
    const seen = Math.max(this.now, through - (visible * bytes) / bandwidth);
    this.underWay.push(connection, through + latency, seen + latency);
    this.left.shift(connection);
    const free = this.now + this.proxies.hold(connection, bytes);
    this.proxyFree[connection] = free;
    if (!this.left.isEmpty(connection)) {
      this.schedule(Math.max(this.left.firstOther(connection), free), Event.ready, connection);
    }
    return through + latency;
  }

  // --- receives ---

  protected override receive(lane: number, operation: number): boolean {
    const connection = this.connections.of[operation];
    this.reached[lane] = this.now;
    if (!this.underWay.isEmpty(connection)) {
      this.take(connection, lane);
      return false;
    }
    this.channels.awaitMessage(connection, lane);
    if (this.channels.rendezvous) this.offerNext(connection, this.lanes.heldBy[lane]);
    return false;
  }

  /** Schedules the end of a receive, which is known as soon as its lane has reached it and its message has started. */
  private take(connection: number, lane: number): void {
    const bytes = this.weights.written[this.lanes.cursor[lane]] * this.chunkBytes;
    const { overhead, bandwidth } = paceOf(this.model, bytes);
    const arrival = this.underWay.firstOne(connection);
    const begin = Math.max(this.reached[lane], this.underWay.firstOther(connection));
    this.underWay.shift(connection);
    const moving = bytes / bandwidth;
    this.began[lane] = begin;
    this.waited[lane] = arrival > this.reached[lane] + moving ? 1 : 0;
    this.schedule(Math.max(arrival, begin + moving) + overhead, Event.received, lane);
  }

  private finishReceive(lane: number): void {
    const { channels } = this;
    const operation = this.lanes.cursor[lane];
    const connection = this.connections.of[operation];
    const instance = this.current(lane);
    const number = channels.deliver(connection);
    if (this.waited[lane] === 1) {
      const sent = this.trace.instance(channels.sendOf(connection, number), channels.bulkOf(connection, number));
      this.lanes.heldBy[lane] = sent;
      this.began[lane] = Math.max(this.began[lane], this.trace.start(sent));
    }
    this.trace.setCause(instance, this.lanes.heldBy[lane]);
    this.trace.setTimes(instance, this.began[lane], this.now);
    const reduces = this.plan.ops.kind[operation] === OperationCode.recvReduce;
    // The instance ends with its reduction, which may wait for what the sender does next. So the sender's cause is what this lane waited for, not
    // this instance.
    const heldBy = reduces ? this.lanes.heldBy[lane] : instance;
    const sender = channels.releaseSender(connection);
    if (channels.rendezvous) this.completeAndResume(sender, heldBy);
    else if (sender !== none) this.lanes.resume(sender, heldBy);
    if (reduces) this.work(lane, operation);
    else this.completeAndResume(lane, instance);
  }

  /** Frees the links of a message. Its receive needs no event: its end has been scheduled when the message started. */
  protected override arrive(connection: number): void {
    this.endMessage(connection);
  }

  // --- reductions and copies ---

  /** The lane is busy for its own time and, if the chip declares an engine, for the engine's time, which may begin later. */
  protected override work(lane: number, operation: number): boolean {
    const { overhead, bandwidth } = this.model.local;
    const bytes = this.weights.written[operation] * this.chunkBytes;
    if (this.plan.ops.kind[operation] !== OperationCode.recvReduce) this.began[lane] = this.now;
    const computes = (this.plan.ops.nanoseconds?.[operation] ?? -1) >= 0;
    this.workEnd[lane] = this.now + (computes ? 0 : overhead + bytes / bandwidth);
    if (super.work(lane, operation)) {
      this.trace.setTimes(this.current(lane), this.began[lane], this.workEnd[lane]);
      this.schedule(this.workEnd[lane], Event.laneDone, lane);
    }
    return false;
  }

  protected override finishWork(lane: number): void {
    const instance = this.current(lane);
    this.engines.finish(lane, instance);
    if (this.workEnd[lane] > this.now) {
      this.trace.prolong(instance, this.workEnd[lane]);
      this.schedule(this.workEnd[lane], Event.laneDone, lane);
    } else this.completeAndResume(lane, instance);
  }
}
