/**
 * List scheduling in continuous time, whatever is moved: whenever something becomes free, the ways start that are worth most. What they bring, and what that
 * is worth, is for the cargo to say.
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
  /** Numbers of items, or of parcels. */
  readonly items: readonly number[];
}

/** What is moved: who has what, and who wants it. */
export interface Cargo {
  /** Items and ways looked at so far. */
  readonly probes: number;
  /** What it is worth to start a way; negative where it has nothing to bring. */
  worthOf(way: number): number;
  /** What a message brings that starts now; nothing where all is left to faster ways, as it is unless `isLast`: then nothing else goes on. */
  chosen(way: number, now: Seconds, isLast: boolean): readonly number[];
  bytesOf(items: readonly number[]): Bytes;
  started(message: AttemptMessage, arrival: Seconds): void;
  /** @param loop told of ways that may have something to bring now */
  arrived(message: AttemptMessage, loop: Pick<Listener, 'freed'>): void;
  /** Whether all is where it is wanted. */
  isDone(): boolean;
}

export interface LoopPolicy {
  /** Whether all ways that start at an instant are chosen together (together.ts). */
  readonly together: boolean;
  /** Whether nothing starts before all that is under way has arrived. */
  readonly inLockStep: boolean;
  /** How far random numbers change the order of ways, as a share of what they are worth. */
  readonly noise: number;
}

/** What an attempt comes to. */
export interface Result {
  /** In the order they start. */
  readonly messages: readonly AttemptMessage[];
  /** When the last of them arrives. */
  readonly seconds: Seconds;
  /** In operations of a plan. */
  readonly work: number;
}

/** One attempt; undefined when something cannot get to where it is wanted. Whoever would make another one asks whether to stop. */
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
  /** By way, of those that could start together. */
  private readonly worth: Float64Array;
  private readonly queue = new KeyedHeap(64);
  private readonly messages: AttemptMessage[] = [];
  private touched: number[] = [];
  private readonly isTouched: Uint8Array;
  /** Ways that have left all they could bring to faster ones: no less so later, unless more comes, or nothing else goes on. */
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

  /** Until something can start again; false when nothing is under way. */
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

  /** Starts what can start, the most useful first; what a way is worth only falls while others start (lazy greedy). */
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

  /** Negative as well for a way that is not free. */
  private worthOf(way: number): number {
    return this.occupancy.isFree(way) ? this.cargo.worthOf(way) : -1;
  }

  /** 1, or up to as much more as the policy says. */
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
 * From messages in the order they start to steps, as early as possible: after those in which what a message brings arrives at its sender, and after
 * those of all messages before it that need the same link or port; so that whoever runs the steps starts messages in the order that was found.
 *
 * @param places numbers below which there is one for each item at a rank
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
