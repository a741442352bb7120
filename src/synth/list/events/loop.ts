/**
 * List scheduling in continuous time, for any kind of cargo: whenever a link or port becomes free, the most valuable arcs among those that
 * need it start a message. The cargo decides what a message carries and what it is worth.
 */
import { KeyedHeap } from '../../../graph/keyed-heap.ts';
import type { ShouldStop } from '../../../ir/effort.ts';
import type { Random } from '../../../ir/random.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { perOperation } from '../../limits.ts';
import type { RouteTable } from '../route-table.ts';
import { LinkOccupancy, type Listener } from './occupancy.ts';
import { probesPerRoute, TogetherChoice } from './together.ts';

/** A message of one attempt. */
export interface AttemptMessage {
  readonly route: number;
  /** Indices of items, or of parcels. */
  readonly items: readonly number[];
}

/** What is moved: it knows which rank has what and which rank needs it. */
export interface Cargo {
  /** Items and arcs examined so far, to account for work. */
  readonly probes: number;
  /** The value of starting a message on an arc; negative if there is nothing to send on it. */
  worthOf(way: number): number;
  /**
   * The items of a message that starts now on an arc; empty if all of them are left to faster arcs. With `isLast` nothing is left to
   * others, since otherwise nothing would ever move again.
   */
  chosen(way: number, now: Seconds, isLast: boolean): readonly number[];
  bytesOf(items: readonly number[]): Bytes;
  started(message: AttemptMessage, arrival: Seconds): void;
  /**
   * Records an arrival.
   * @param loop `freed` is called for every arc that may have something to send now
   */
  arrived(message: AttemptMessage, loop: Pick<Listener, 'freed'>): void;
  /** Whether every item is where it is needed. */
  isDone(): boolean;
}

/** Settings of one attempt that do not depend on the cargo. */
export interface LoopPolicy {
  /** Whether the arcs that start at an instant are chosen jointly (together.ts). */
  readonly together: boolean;
  /** Whether no message starts before all those in progress have arrived. */
  readonly inLockStep: boolean;
  /** Relative noise: the random change of an arc's value as a fraction of it. */
  readonly noise: number;
}

/** The result of one attempt. */
export interface Result {
  /** In the order they start. */
  readonly messages: readonly AttemptMessage[];
  /** When the last of them arrives. */
  readonly seconds: Seconds;
  /** In operations of a plan. */
  readonly work: number;
}

/**
 * Runs one attempt; returns undefined if some item cannot reach a rank that needs it. The work is reported to `shouldStop`, whose answer
 * the caller must query itself before the next attempt.
 */
export function attemptLoop(
  cargo: Cargo,
  ways: RouteTable,
  policy: LoopPolicy,
  random: Random,
  shouldStop: ShouldStop,
): Result | undefined {
  return new Loop(cargo, ways, policy, random).run(shouldStop);
}

class Loop implements Listener {
  private readonly cargo: Cargo;
  private readonly policy: LoopPolicy;
  private readonly random: Random;
  private readonly occupancy: LinkOccupancy;
  private readonly choice: TogetherChoice;
  /** By arc: its value; set for the candidates of a joint choice. */
  private readonly worth: Float64Array;
  private readonly queue = new KeyedHeap(64);
  private readonly messages: AttemptMessage[] = [];
  private touched: number[] = [];
  private readonly isTouched: Uint8Array;
  /**
   * Arcs that left all their items to faster arcs. They are not examined again until something more arrives at their senders or nothing
   * else is in progress.
   */
  private readonly declined = new Set<number>();
  private seconds = 0;
  private probes = 0;

  constructor(cargo: Cargo, ways: RouteTable, policy: LoopPolicy, random: Random) {
    this.cargo = cargo;
    this.policy = policy;
    this.random = random;
    this.occupancy = new LinkOccupancy(ways);
    this.choice = new TogetherChoice(ways, random);
    this.worth = new Float64Array(ways.arcs.length);
    this.isTouched = new Uint8Array(ways.arcs.length);
    for (let way = 0; way < ways.arcs.length; way++) this.freed(way);
  }

  run(shouldStop: ShouldStop): Result | undefined {
    const { cargo, messages, declined } = this;
    for (let done = 0; ; done = this.work) {
      this.dispatch(false);
      shouldStop(this.work - done);
      if (cargo.isDone()) return { messages, seconds: this.seconds, work: this.work };
      if (this.goOn()) continue;
      const before = messages.length;
      for (const way of declined) this.freed(way);
      declined.clear();
      this.dispatch(true);
      if (messages.length === before) return undefined;
    }
  }

  /** Advances time until something can start again; returns false if nothing is in progress. */
  private goOn(): boolean {
    const { occupancy, policy } = this;
    if (!occupancy.advance(this)) return false;
    while (policy.inLockStep && occupancy.advance(this));
    return true;
  }

  private get work(): number {
    return (this.probes + this.cargo.probes) / perOperation.ways;
  }

  arrived(message: number): void {
    this.cargo.arrived(this.messages[message], this);
  }

  freed(way: number): void {
    if (this.isTouched[way] === 1) return;
    this.isTouched[way] = 1;
    this.touched.push(way);
  }

  private dispatch(isLast: boolean): void {
    const ways = this.touched;
    this.touched = [];
    for (const way of ways) this.isTouched[way] = 0;
    if (this.policy.together) this.startTogether(ways, isLast);
    else this.startInTurn(ways, isLast);
  }

  /**
   * Starts the most valuable arcs first. An arc's value only falls while others start, so a stale value is an upper bound, and an arc is
   * evaluated anew only when it reaches the head of the queue (lazy greedy; Minoux 1978).
   */
  private startInTurn(ways: readonly number[], isLast: boolean): void {
    const { queue, policy } = this;
    this.probes += ways.length;
    for (const way of ways) {
      const worth = this.worthOf(way);
      if (worth >= 0) queue.push(-worth * this.chance(), way);
    }
    while (queue.length > 0) {
      const known = -queue.minKey;
      const way = queue.pop();
      const worth = this.worthOf(way);
      if (worth < 0) continue;
      if (worth < known * (1 - policy.noise) && worth < -queue.minKey) queue.push(-worth, way);
      else this.start(way, isLast);
    }
  }

  private startTogether(touched: readonly number[], isLast: boolean): void {
    const { worth, occupancy } = this;
    const candidates = touched.filter((way) => {
      worth[way] = this.worthOf(way);
      return worth[way] > 0;
    });
    this.probes += probesPerRoute * candidates.length;
    for (const way of candidates) worth[way] *= this.chance();
    for (const way of this.choice.from(candidates, worth, occupancy.room)) this.start(way, isLast);
  }

  /** The cargo's value of an arc; −1 if the arc is not free. */
  private worthOf(way: number): number {
    return this.occupancy.isFree(way) ? this.cargo.worthOf(way) : -1;
  }

  /** A random factor between 1 and 1 + noise. */
  private chance(): number {
    return 1 + (this.policy.noise * this.random.next()) / 2 ** 32;
  }

  private start(way: number, isLast: boolean): void {
    const { cargo, occupancy, messages } = this;
    const items = cargo.chosen(way, occupancy.now, isLast);
    if (items.length === 0) {
      this.declined.add(way);
      return;
    }
    const arrival = occupancy.start(messages.length, way, cargo.bytesOf(items));
    const message = { route: way, items };
    messages.push(message);
    cargo.started(message, arrival);
    this.seconds = Math.max(this.seconds, arrival);
  }
}

/**
 * Arranges messages, given in order of their start, in steps as early as possible: after the steps in which a message's items arrive at its
 * sender, and after those of all earlier messages that need one of its links or ports. A runtime that executes the steps therefore starts
 * messages in the order that was found.
 * @param placeOf a distinct number below `places` for every rank and item
 */
export function asSteps(
  messages: readonly AttemptMessage[],
  { arcs, capacity }: RouteTable,
  placeOf: (rank: number, item: number) => number,
  places: number,
): readonly (readonly AttemptMessage[])[] {
  const arrivedIn = new Int32Array(places).fill(-1);
  const lastUse = new Int32Array(capacity.length).fill(-1);
  const steps: AttemptMessage[][] = [];
  for (const message of messages) {
    const { from, to, resources } = arcs[message.route];
    let step = 0;
    for (const item of message.items) step = Math.max(step, arrivedIn[placeOf(from, item)] + 1);
    for (const resource of resources) step = Math.max(step, lastUse[resource] + 1);
    for (const resource of resources) lastUse[resource] = step;
    for (const item of message.items) arrivedIn[placeOf(to, item)] = step;
    steps[step] ??= [];
    steps[step].push(message);
  }
  return steps;
}
