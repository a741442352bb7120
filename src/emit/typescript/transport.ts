/** The part of an emitted file that moves messages: the interface for other implementations, and queues within one process. */
import type { Features } from './features.ts';

export function transportInterfaceText({ inflight, plan }: Features): string {
  return `/**
 * What moves messages between ranks: sockets, shared memory, a driver. Messages of one sender, receiver and channel arrive in
 * the order in which they were sent; different channels do not wait for each other. The plan is proved for transports that hold
 * ${inflight === 1 ? 'one message' : `up to ${inflight} messages`} of each sender, receiver and channel that ${inflight === 1 ? 'is' : 'are'} not received yet.
 */
export interface Transport {
  /** Of the caller, 0 … ${plan.collective.ranks - 1}. */
  readonly rank: number;
  /** Resolves when \`data\` has been taken and may be written again, which need not wait for the receiver. */
  send(to: number, channel: number, data: Elements): Promise<void>;
  /** Resolves when \`data\` holds the next message, which has exactly this length. */
  receive(from: number, channel: number, data: Elements): Promise<void>;
}`;
}

export function localTransportText(): string {
  return `/** Messages on their way from one rank to another on one channel. */
class Connection {
  private readonly sends: { data: Elements; readonly taken: () => void }[] = [];
  private readonly receives: { readonly data: Elements; readonly filled: () => void }[] = [];

  send(data: Elements): Promise<void> {
    const receive = this.receives.shift();
    if (receive !== undefined) {
      deliver(data, receive.data);
      receive.filled();
      return Promise.resolve();
    }
    if (this.sends.length < inflight) {
      this.sends.push({ data: data.slice(), taken: () => {} });
      return Promise.resolve();
    }
    return new Promise((taken) => this.sends.push({ data, taken }));
  }

  receive(data: Elements): Promise<void> {
    const send = this.sends.shift();
    if (send === undefined) return new Promise((filled) => this.receives.push({ data, filled }));
    deliver(send.data, data);
    send.taken();
    const next = this.sends[inflight - 1];
    if (next !== undefined) {
      next.data = next.data.slice();
      next.taken();
    }
    return Promise.resolve();
  }
}

function deliver(message: Elements, data: Elements): void {
  expectLength('a message', message.length, data.length);
  data.set(message);
}

/** Transports of all ranks within this process: \`inflight\` messages of a connection wait in its queue, then its sender does. */
export function localTransports(): readonly Transport[] {
  const connections = new Map<string, Connection>();
  const connection = (from: number, to: number, channel: number): Connection => {
    const name = \`\${from} \${to} \${channel}\`;
    const known = connections.get(name) ?? new Connection();
    connections.set(name, known);
    return known;
  };
  return Array.from({ length: ranks }, (_, rank) => ({
    rank,
    send: (to, channel, data) => connection(rank, to, channel).send(data),
    receive: (from, channel, data) => connection(from, rank, channel).receive(data),
  }));
}`;
}
