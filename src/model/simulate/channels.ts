/** How far the messages of each connection have come, and which lanes wait for them at either end. */
import { none } from '../../ir/none.ts';
import type { SimulatedConnections } from './connections.ts';

/**
 * The progress of the messages of each connection. They are numbered over all bulks in the order in which sends and receives match. Counters record
 * how many messages have been accepted from their sends, offered to the network, started, arrived, and been taken by their receives.
 */
export class ConnectionProgress {
  private readonly connections: SimulatedConnections;
  /**
   * Number of messages that a connection buffers. 0 is a rendezvous: a message starts when its receive is reached, and its send completes on arrival.
   */
  private readonly inflight: number;
  private readonly accepted: Int32Array;
  private readonly offered: Int32Array;
  private readonly started: Int32Array;
  private readonly arrived: Int32Array;
  private readonly taken: Int32Array;
  private readonly sender: Int32Array;
  private readonly receiver: Int32Array;

  constructor(connections: SimulatedConnections, inflight: number) {
    const { count } = connections;
    this.connections = connections;
    this.inflight = inflight;
    this.accepted = new Int32Array(count);
    this.offered = new Int32Array(count);
    this.started = new Int32Array(count);
    this.arrived = new Int32Array(count);
    this.taken = new Int32Array(count);
    this.sender = new Int32Array(count).fill(none);
    this.receiver = new Int32Array(count).fill(none);
  }

  get rendezvous(): boolean {
    return this.inflight === 0;
  }

  /** Accepts the next message if the channel has room for it. */
  accept(connection: number): boolean {
    if (this.accepted[connection] - this.taken[connection] >= Math.max(1, this.inflight)) return false;
    this.accepted[connection]++;
    return true;
  }

  /** The number of the next message to offer to the network, which gets one message of a connection at a time; −1 if none may start. */
  offer(connection: number): number {
    const number = this.started[connection];
    if (this.offered[connection] > number || this.accepted[connection] === number) return none;
    if (this.rendezvous && this.receiver[connection] === none) return none;
    this.offered[connection]++;
    return number;
  }

  /** Records that the network has started the offered message, and returns its number. */
  start(connection: number): number {
    return this.started[connection]++;
  }

  /** Records that the next message has arrived, and returns its number. Messages of a connection arrive in order. */
  arrive(connection: number): number {
    return this.arrived[connection]++;
  }

  /** Takes the next message if it has arrived. Returns whether it had. */
  take(connection: number): boolean {
    if (this.taken[connection] === this.arrived[connection]) return false;
    this.taken[connection]++;
    return true;
  }

  /** Records that a lane has received the next message, which it may take while the message arrives. Returns the number of the message. */
  deliver(connection: number): number {
    return this.taken[connection]++;
  }

  awaitRoom(connection: number, lane: number): void {
    this.sender[connection] = lane;
  }

  awaitMessage(connection: number, lane: number): void {
    this.receiver[connection] = lane;
  }

  /** Whether a lane waits for the next message. */
  isAwaited(connection: number): boolean {
    return this.receiver[connection] !== none;
  }

  /** Returns the lane that waits at the sending end and ends its wait; −1 if none waits. */
  releaseSender(connection: number): number {
    const lane = this.sender[connection];
    this.sender[connection] = none;
    return lane;
  }

  releaseReceiver(connection: number): number {
    const lane = this.receiver[connection];
    this.receiver[connection] = none;
    return lane;
  }

  /** The operation that sends a message. */
  sendOf(connection: number, number: number): number {
    const { firstSend, sends } = this.connections;
    const first = firstSend[connection];
    return sends[first + (number % (firstSend[connection + 1] - first))];
  }

  /** The bulk in which a message is sent. */
  bulkOf(connection: number, number: number): number {
    const { firstSend } = this.connections;
    return Math.floor(number / (firstSend[connection + 1] - firstSend[connection]));
  }
}
