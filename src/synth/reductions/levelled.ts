/**
 * Reductions shared evenly, step by step: where all chips wait for the one that reduces most, it matters who reduces when. A search
 * of moves fills links, early steps more than late ones, and leaves it to chance who combines what. Each contribution can
 * go to any neighbour that has not sent on its own yet, in any step between those of the contributions that it waits for and of
 * the one that waits for it, if the link has room there.
 */
import { messageChunks } from '../../ir/collective.ts';
import { partOfWork } from '../../ir/effort.ts';
import { none } from '../../ir/none.ts';
import { Random } from '../../ir/random.ts';
import type { Routes } from '../../ir/routes.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import { sumError } from '../../ir/units.ts';
import { joinPieces } from '../../passes/index.ts';
import { type Arc, directArcs } from '../arcs.ts';
import type { Problem } from '../engine.ts';
import { eighthPower, eighthRoot, mostTries } from './balanced-trees.ts';

/** Changes that are tried for each contribution, as long as there are not too many in all. */
const triesEach = 100;

/**
 * The same steps with as long messages, in which contributions to each chunk come together by other ways or in other steps; the schedule
 * itself if it does anything else before its last reduction, or not over single links, or where ports are fewer than links.
 *
 * @param schedule its chunks are of one size, and its operator commutes
 */
export function levelled(schedule: Schedule, { routes, seed, effort = 'full' }: Problem): Schedule {
  const sends = contributionsOf(schedule, routes);
  if (sends === undefined) return schedule;
  const random = new Random(seed);
  const tries = partOfWork[effort] * Math.min(mostTries, triesEach * sends.sent.length);
  const before = sends.busiest();
  for (let attempt = 0; attempt < tries; attempt++) sends.change(random);
  return sends.busiest() < before * (1 - sumError) ? rebuilt(schedule, sends) : schedule;
}

/** What is sent of each chunk to be reduced; undefined if something else is done meanwhile. */
function contributionsOf({ steps, collective }: Schedule, routes: Routes): Contributions | undefined {
  const all = Array.from(steps.rounds, (_, step) => steps.inStep(step));
  const reducing = all.slice(0, 1 + all.findLastIndex((transfers) => transfers.some(({ kind }) => kind === 'reduce')));
  const sends = new Contributions(routes, messageChunks(collective), reducing.length);
  if (!sends.hasPortsForAllLinks()) return undefined;
  for (const [step, transfers] of reducing.entries()) {
    for (const { kind, source, destination, channel, order, pieces } of transfers) {
      if (kind !== 'reduce' || channel !== 0 || order !== 'held-first') return undefined;
      for (const { from, fromOffset, to, toOffset, count } of pieces) {
        if (from !== 'data' || to !== 'data' || fromOffset !== toOffset) return undefined;
        for (let chunk = fromOffset; chunk < fromOffset + count; chunk++) {
          if (!sends.add(source, chunk, destination, step)) return undefined;
        }
      }
    }
  }
  sends.closeSteps();
  return sends;
}

/** Of every rank and chunk, when and over which link what it has combined is sent to be reduced; they change one by one. */
class Contributions {
  /** `rank · chunks + chunk` of all that are sent. */
  readonly sent: number[] = [];
  private readonly routes: Routes;
  private readonly chunks: number;
  private readonly steps: number;
  private readonly ranks: number;
  private readonly arcs: readonly Arc[];
  /** Of each rank, the links from it and to it. */
  private readonly out: readonly number[][];
  private readonly into: readonly number[][];
  /** By `rank · chunks + chunk`: the step and the link, `none` at the rank where it ends. */
  private readonly step: Int32Array;
  private readonly link: Int32Array;
  /** By `link · steps + step`: chunks in its message, and how many there may be. */
  private readonly load: Int32Array;
  private readonly room: Float64Array;
  /** By `step · ranks + rank`: chunks reduced. What one takes, in units of the slowest engine's. */
  private readonly reduced: Float64Array;
  private readonly weight: Float64Array;
  /** By step: the sum of eighth powers of what ranks reduce. */
  private readonly powers: Float64Array;

  constructor(routes: Routes, chunks: number, steps: number) {
    const { nodes, chips } = routes.topology;
    this.routes = routes;
    this.chunks = chunks;
    this.steps = steps;
    this.ranks = chips.length;
    this.arcs = directArcs(routes);
    this.out = chips.map(() => []);
    this.into = chips.map(() => []);
    for (const [link, { from, to }] of this.arcs.entries()) {
      this.out[from].push(link);
      this.into[to].push(link);
    }
    this.step = new Int32Array(this.ranks * chunks).fill(none);
    this.link = new Int32Array(this.ranks * chunks).fill(none);
    this.load = new Int32Array(this.arcs.length * steps);
    this.room = new Float64Array(this.arcs.length * steps);
    this.reduced = new Float64Array(steps * this.ranks);
    this.powers = new Float64Array(steps);
    const throughputs = chips.map((chip) => nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY);
    this.weight = Float64Array.from(throughputs, (throughput) => Math.min(...throughputs) / throughput);
  }

  hasPortsForAllLinks(): boolean {
    const { nodes, chips } = this.routes.topology;
    const ports = chips.map((chip) => nodes[chip].ports);
    return ports.every((of, rank) => of.send >= this.out[rank].length && of.receive >= this.into[rank].length);
  }

  /** False for what is sent twice, or not over a link. */
  add(source: number, chunk: number, destination: number, step: number): boolean {
    const at = source * this.chunks + chunk;
    const link = this.out[source].find((each) => this.arcs[each].to === destination);
    if (link === undefined || this.step[at] !== none) return false;
    this.sent.push(at);
    this.put(at, link, step, 1);
    return true;
  }

  /** Now that everything is there: messages of a step shall take no longer than the longest does. */
  closeSteps(): void {
    for (let step = 0; step < this.steps; step++) {
      const times = this.arcs.map(({ bandwidth }, link) => this.load[link * this.steps + step] / bandwidth);
      const longest = Math.max(...times) * (1 + sumError);
      for (const [link, { bandwidth }] of this.arcs.entries())
        this.room[link * this.steps + step] = longest * bandwidth;
    }
  }

  /** What the busiest ranks of all steps reduce, in chunks of the slowest engine. */
  busiest(): number {
    let sum = 0;
    for (let step = 0; step < this.steps; step++) {
      const reduced = this.reduced.subarray(step * this.ranks, (step + 1) * this.ranks);
      sum += Math.max(...reduced.map((chunks, rank) => chunks * this.weight[rank]));
    }
    return sum;
  }

  /** Sends one contribution elsewhere, or in another step, unless reductions are then shared less evenly. */
  change(random: Random): void {
    const at = this.sent[random.below(this.sent.length)];
    const [source, chunk] = [Math.floor(at / this.chunks), at % this.chunks];
    const [step, link] = [this.step[at], this.link[at]];
    const next = this.out[source][random.below(this.out[source].length)];
    const first = this.lastArrival(source, chunk) + 1;
    const own = this.step[this.arcs[next].to * this.chunks + chunk];
    const end = own === none ? this.steps : own;
    if (first >= end) return;
    const then = first + random.below(end - first);
    const place = next * this.steps + then;
    if ((next === link && then === step) || this.load[place] + 1 > this.room[place]) return;
    const before = this.unevenness(step, then);
    this.put(at, link, step, -1);
    this.put(at, next, then, 1);
    if (this.unevenness(step, then) <= before * (1 + sumError)) return;
    this.put(at, next, then, -1);
    this.put(at, link, step, 1);
  }

  /** The messages of each step. */
  transfers(): Transfer[][] {
    const chunks = Array.from({ length: this.steps }, () => this.arcs.map((): number[] => []));
    for (const at of this.sent) chunks[this.step[at]][this.link[at]].push(at % this.chunks);
    return chunks.map((ofLinks) =>
      ofLinks.flatMap((some, link) => (some.length === 0 ? [] : [reduceTransfer(this.arcs[link], some)])),
    );
  }

  /** The last step in which something of the chunk comes to a rank. */
  private lastArrival(rank: number, chunk: number): number {
    let last = -1;
    for (const link of this.into[rank]) {
      const at = this.arcs[link].from * this.chunks + chunk;
      if (this.link[at] === link) last = Math.max(last, this.step[at]);
    }
    return last;
  }

  /** About what the busiest ranks of one or two steps reduce; the second busiest count somewhat. */
  private unevenness(step: number, other: number): number {
    const at = (s: number): number => eighthRoot(Math.max(0, this.powers[s]));
    return step === other ? at(step) : at(step) + at(other);
  }

  private put(at: number, link: number, step: number, times: 1 | -1): void {
    this.step[at] = times === 1 ? step : none;
    this.link[at] = times === 1 ? link : none;
    this.load[link * this.steps + step] += times;
    const { to } = this.arcs[link];
    const place = step * this.ranks + to;
    this.powers[step] -= eighthPower(this.reduced[place] * this.weight[to]);
    this.reduced[place] += times;
    this.powers[step] += eighthPower(this.reduced[place] * this.weight[to]);
  }
}

function reduceTransfer({ from: source, to: destination }: Arc, chunks: number[]): Transfer {
  const pieces = chunks
    .sort((a, b) => a - b)
    .map((chunk): Piece => ({ from: 'data', fromOffset: chunk, to: 'data', toOffset: chunk, count: 1 }));
  const kind = { kind: 'reduce', channel: 0, order: 'held-first', origin: undefined } as const;
  return { ...kind, source, destination, pieces: joinPieces(pieces) };
}

function rebuilt(schedule: Schedule, sends: Contributions): Schedule {
  const { steps } = schedule;
  const builder = new StepsBuilder();
  const changed = sends.transfers();
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of changed[step] ?? steps.inStep(step)) builder.add(transfer);
    builder.endStep(steps.rounds[step]);
  }
  return { ...schedule, steps: builder.build() };
}
