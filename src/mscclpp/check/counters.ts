/** The counters behind signals and waits: one for each channel and direction, and one for each semaphore. */
import type { ExecutionPlan, PairChannelType } from '../execution-plan.ts';

export interface Counter {
  /** The name of the counter in messages, in the terms of the file. */
  readonly name: string;
  /** What increments the counter, and what waits until it can decrement it. */
  readonly verbs: { readonly signal: string; readonly wait: string };
  readonly initial: number;
  /** The events that increment the counter. */
  readonly signals: number[];
  readonly waits: number[];
}

export class SynchronisationCounters {
  private readonly plan: ExecutionPlan;
  private readonly byKey = new Map<string, Counter>();
  /** By gpu, type and id: the ordinal of a channel among the gpu's channels to the same peer. */
  private readonly ordinals: readonly Readonly<Record<PairChannelType, readonly number[]>>[];

  constructor(plan: ExecutionPlan) {
    this.plan = plan;
    this.ordinals = plan.gpus.map(({ channels }) => ({
      memory: ordinalsOf(channels.memory),
      port: ordinalsOf(channels.port),
    }));
  }

  /** All counters with any signal or wait, in the order of their first use. */
  get all(): readonly Counter[] {
    return [...this.byKey.values()];
  }

  /** The counter of one direction of a channel. The k-th channel of a type from a to b is paired with the k-th from b to a. */
  channel(gpu: number, type: PairChannelType, id: number, way: 'to' | 'from'): Counter {
    const peer = this.plan.gpus[gpu].channels[type][id];
    const ordinal = this.ordinals[gpu][type][id];
    const [from, to] = way === 'to' ? [gpu, peer] : [peer, gpu];
    const name = `${type} channel ${this.idOf(from, type, to, ordinal)} of gpu ${from} to gpu ${to}`;
    const verbs = { signal: 'signals', wait: 'waits' };
    return this.counter(`${type} ${from} ${to} ${ordinal}`, { name, verbs, initial: 0 });
  }

  semaphore(gpu: number, id: number): Counter {
    const verbs = { signal: 'releases', wait: 'acquires' };
    const initial = this.plan.gpus[gpu].semaphores[id];
    return this.counter(`semaphore ${gpu} ${id}`, { name: `semaphore ${id} of gpu ${gpu}`, verbs, initial });
  }

  private idOf(from: number, type: PairChannelType, to: number, ordinal: number): string {
    const ids = this.plan.gpus[from].channels[type].flatMap((peer, id) => (peer === to ? [id] : []));
    return ids[ordinal] === undefined ? '(not there)' : `${ids[ordinal]}`;
  }

  private counter(key: string, facts: Pick<Counter, 'name' | 'verbs' | 'initial'>): Counter {
    let counter = this.byKey.get(key);
    if (counter === undefined) {
      counter = { ...facts, signals: [], waits: [] };
      this.byKey.set(key, counter);
    }
    return counter;
  }
}

function ordinalsOf(peers: readonly number[]): readonly number[] {
  const seen = new Map<number, number>();
  return peers.map((peer) => {
    const ordinal = seen.get(peer) ?? 0;
    seen.set(peer, ordinal + 1);
    return ordinal;
  });
}
