/** Contributions on their way to be reduced, which change their steps and neighbours one by one. */
import { none } from '../../ir/none.ts';
import type { Random } from '../../ir/random.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Seconds } from '../../ir/units.ts';
import { directArcs } from '../arcs.ts';
import { eighthPower, eighthRoot } from './changing-trees.ts';

/** One chunk, with what the source has combined of it, sent to be reduced at the destination. */
export interface Send {
  readonly source: number;
  readonly destination: number;
  readonly chunk: number;
  readonly step: number;
}

/** What one rank sends another in a step. */
export interface Message {
  readonly source: number;
  readonly destination: number;
  readonly chunks: number[];
}

export class ChangingSends {
  private readonly chunks: number;
  private readonly steps: number;
  private readonly ranks: number;
  /** Of each rank and chunk, when it is sent and to whom; `never` at the rank where it ends. */
  private readonly step: Int32Array;
  private readonly target: Int32Array;
  private readonly sent: number[] = [];
  /** Of each rank, to whom and from whom it has links, and of each link to or from it what a chunk takes there. */
  private readonly near: readonly number[][];
  private readonly nearFrom: readonly number[][];
  private readonly secondsOver = new Map<number, Seconds>();
  /** Chunks in the message over a link in a step, and how many there may be. */
  private readonly load = new Map<number, Int32Array>();
  private readonly longest: Float64Array;
  /** By step and rank: chunks reduced. What one takes, in units of the slowest engine's. */
  private readonly reduced: Float64Array;
  private readonly weight: Float64Array;
  /** By step: the sum of eighth powers of what ranks reduce. */
  private readonly powers: Float64Array;

  /** Over links that are the routes between their ends. */
  constructor(routes: Routes, chunks: number, steps: number) {
    const { nodes, chips } = routes.topology;
    this.chunks = chunks;
    this.steps = steps;
    this.ranks = chips.length;
    this.step = new Int32Array(chips.length * chunks).fill(none);
    this.target = new Int32Array(chips.length * chunks).fill(none);
    this.longest = new Float64Array(steps);
    this.reduced = new Float64Array(steps * chips.length);
    this.powers = new Float64Array(steps);
    const throughputs = chips.map((chip) => nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY);
    const slowest = Math.min(...throughputs);
    this.weight = Float64Array.from(throughputs, (throughput) => slowest / throughput);
    this.near = chips.map(() => []);
    this.nearFrom = chips.map(() => []);
    for (const { from, to, bandwidth } of directArcs(routes)) {
      const key = this.linkOf(from, to);
      this.near[from].push(to);
      this.nearFrom[to].push(from);
      this.secondsOver.set(key, 1 / bandwidth);
      this.load.set(key, new Int32Array(steps));
    }
  }

  get count(): number {
    return this.sent.length;
  }

  /** False for what is sent twice, or not over a link. */
  add({ source, destination, chunk, step }: Send): boolean {
    const at = source * this.chunks + chunk;
    if (this.step[at] !== none || !this.load.has(this.linkOf(source, destination))) return false;
    this.sent.push(at);
    this.put(at, destination, step, 1);
    return true;
  }

  /** Now that everything is there: messages of a step shall take no longer than the longest does. */
  closeSteps(): void {
    for (const [key, load] of this.load) {
      for (let step = 0; step < this.steps; step++) {
        this.longest[step] = Math.max(this.longest[step], load[step] * (this.secondsOver.get(key) ?? 0));
      }
    }
  }

  /** What the busiest ranks of all steps reduce, in chunks of the slowest engine. */
  seconds(): number {
    let sum = 0;
    for (let step = 0; step < this.steps; step++) {
      let most = 0;
      for (let rank = 0; rank < this.ranks; rank++) {
        most = Math.max(most, this.reduced[step * this.ranks + rank] * this.weight[rank]);
      }
      sum += most;
    }
    return sum;
  }

  /** Sends one contribution elsewhere, or in another step, unless reductions are then shared less evenly. */
  change(random: Random): void {
    const at = this.sent[random.below(this.sent.length)];
    const [source, chunk] = [Math.floor(at / this.chunks), at % this.chunks];
    const [step, target] = [this.step[at], this.target[at]];
    const next = this.near[source][random.below(this.near[source].length)];
    const first = this.lastArrival(source, chunk) + 1;
    const own = this.step[next * this.chunks + chunk];
    const end = own === none ? this.steps : own;
    if (first >= end) return;
    const then = first + random.below(end - first);
    if (next === target && then === step) return;
    const key = this.linkOf(source, next);
    const load = this.load.get(key)?.[then] ?? 0;
    if ((load + 1) * (this.secondsOver.get(key) ?? 0) > this.longest[then] * (1 + 1e-9)) return;
    const before = this.unevenness(step, then);
    this.put(at, target, step, -1);
    this.put(at, next, then, 1);
    if (this.unevenness(step, then) <= before * (1 + 1e-12)) return;
    this.put(at, next, then, -1);
    this.put(at, target, step, 1);
  }

  /** The messages of each step. */
  byStep(): Message[][] {
    const messages = Array.from({ length: this.steps }, () => new Map<number, Message>());
    for (const at of this.sent) {
      const [source, chunk] = [Math.floor(at / this.chunks), at % this.chunks];
      const destination = this.target[at];
      const key = this.linkOf(source, destination);
      const message = messages[this.step[at]].get(key);
      if (message === undefined) messages[this.step[at]].set(key, { source, destination, chunks: [chunk] });
      else message.chunks.push(chunk);
    }
    return messages.map((each) => [...each.entries()].sort(([a], [b]) => a - b).map(([, message]) => message));
  }

  /** The last step in which something of the chunk comes to a rank. */
  private lastArrival(rank: number, chunk: number): number {
    let last = -1;
    for (const from of this.nearFrom[rank]) {
      const at = from * this.chunks + chunk;
      if (this.target[at] === rank) last = Math.max(last, this.step[at]);
    }
    return last;
  }

  /** About what the busiest ranks of one or two steps reduce; the second busiest count somewhat. */
  private unevenness(step: number, other: number): number {
    const at = (s: number) => eighthRoot(Math.max(0, this.powers[s]));
    return step === other ? at(step) : at(step) + at(other);
  }

  private put(at: number, target: number, step: number, times: 1 | -1): void {
    const source = Math.floor(at / this.chunks);
    this.step[at] = times === 1 ? step : none;
    this.target[at] = times === 1 ? target : none;
    const load = this.load.get(this.linkOf(source, target));
    if (load !== undefined) load[step] += times;
    const place = step * this.ranks + target;
    const weight = this.weight[target];
    this.powers[step] -= eighthPower(this.reduced[place] * weight);
    this.reduced[place] += times;
    this.powers[step] += eighthPower(this.reduced[place] * weight);
  }

  private linkOf(source: number, destination: number): number {
    return source * this.ranks + destination;
  }
}
