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

/** What a rank has combined of a chunk, on its way over a link to be reduced. */
interface Sending {
  readonly rank: number;
  readonly chunk: number;
  readonly link: number;
  readonly step: number;
}

/**
 * The same steps with as long messages, in which contributions to each chunk come together by other ways or in other steps; the schedule
 * itself if it does anything else before its last reduction, or not over single links, or where ports are fewer than links.
 *
 * @param schedule its chunks are of one size, and its operator commutes
 */
export function levelled(schedule: Schedule, { routes, seed, effort = 'full' }: Problem): Schedule {
  const { steps, collective } = schedule;
  const chunks = messageChunks(collective);
  // One change for each would not level anything.
  if (partOfWork[effort] * mostTries < chunks * collective.ranks) return schedule;
  const links = directArcs(routes);
  const sendings = sendingsOf(schedule, links, routes);
  if (sendings === undefined) return schedule;
  const contributions = new Contributions(links, routes, chunks, sendings);
  const random = new Random(seed);
  const tries = partOfWork[effort] * Math.min(mostTries, triesEach * sendings.length);
  const before = contributions.unevenness();
  for (let attempt = 0; attempt < tries; attempt++) contributions.change(random);
  if (contributions.unevenness() > before * (1 - sumError)) return schedule;
  const builder = new StepsBuilder();
  const changed = contributions.transfers();
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of changed[step] ?? steps.inStep(step)) builder.add(transfer);
    builder.endStep(steps.rounds[step]);
  }
  return { ...schedule, steps: builder.build() };
}

/** Undefined if something else is done before the last reduction, or something is sent twice or not over a link. */
function sendingsOf({ steps }: Schedule, links: readonly Arc[], { topology }: Routes): Sending[] | undefined {
  const { nodes, chips } = topology;
  const [out, into] = [linksOf(links, 'from', chips.length), linksOf(links, 'to', chips.length)];
  for (const [rank, chip] of chips.entries()) {
    const { send, receive } = nodes[chip].ports;
    if (send < out[rank].length || receive < into[rank].length) return undefined;
  }
  const all = Array.from(steps.rounds, (_, step) => steps.inStep(step));
  const last = all.findLastIndex((transfers) => transfers.some(({ kind }) => kind === 'reduce'));
  const sendings: Sending[] = [];
  const known = new Set<string>();
  for (const [step, transfers] of all.slice(0, last + 1).entries()) {
    for (const { kind, source: rank, destination, channel, order, pieces } of transfers) {
      const link = out[rank].find((one) => links[one].to === destination);
      if (kind !== 'reduce' || channel !== 0 || order !== 'held-first' || link === undefined) return undefined;
      for (const { from, fromOffset, to, toOffset, count } of pieces) {
        if (from !== 'data' || to !== 'data' || fromOffset !== toOffset) return undefined;
        for (let chunk = fromOffset; chunk < fromOffset + count; chunk++) {
          if (known.size === known.add(`${rank} ${chunk}`).size) return undefined;
          sendings.push({ rank, chunk, link, step });
        }
      }
    }
  }
  return sendings;
}

/** By rank, the links that start or end there. */
function linksOf(links: readonly Arc[], end: 'from' | 'to', ranks: number): number[][] {
  const found: number[][] = Array.from({ length: ranks }, () => []);
  for (const [link, arc] of links.entries()) found[arc[end]].push(link);
  return found;
}

/** Of every rank and chunk, when and over which link what it has combined is sent; they change one by one. */
class Contributions {
  private readonly links: readonly Arc[];
  private readonly chunks: number;
  private readonly steps: number;
  private readonly ranks: number;
  /** Of each rank, the links from it and to it. */
  private readonly out: readonly number[][];
  private readonly into: readonly number[][];
  /** `rank · chunks + chunk` of all that are sent; by those the step and the link, `none` at the rank where it ends. */
  private readonly sent: readonly number[];
  private readonly step: Int32Array;
  private readonly link: Int32Array;
  /** By `link · steps + step`: chunks in its message; by step, how long one may take at most for each byte of a chunk. */
  private readonly load: Int32Array;
  private readonly longest: readonly number[];
  /** By `step · ranks + rank`: chunks reduced. */
  private readonly reduced: Int32Array;
  /** By step: the sum of eighth powers of what ranks reduce. */
  private readonly powers: Float64Array;

  constructor(links: readonly Arc[], { topology: { chips } }: Routes, chunks: number, sendings: readonly Sending[]) {
    this.links = links;
    this.chunks = chunks;
    this.steps = sendings.reduce((most, { step }) => Math.max(most, step + 1), 0);
    this.ranks = chips.length;
    this.out = linksOf(links, 'from', chips.length);
    this.into = linksOf(links, 'to', chips.length);
    this.sent = sendings.map(({ rank, chunk }) => rank * chunks + chunk);
    this.step = new Int32Array(this.ranks * chunks).fill(none);
    this.link = new Int32Array(this.ranks * chunks).fill(none);
    this.load = new Int32Array(links.length * this.steps);
    this.reduced = new Int32Array(this.steps * this.ranks);
    this.powers = new Float64Array(this.steps);
    for (const [index, { link, step }] of sendings.entries()) this.put(this.sent[index], link, step, 1);
    // Messages of a step shall take no longer than the longest does.
    this.longest = Array.from({ length: this.steps }, (_, step) => {
      const times = links.map(({ bandwidth }, link) => this.load[link * this.steps + step] / bandwidth);
      return Math.max(...times) * (1 + sumError);
    });
  }

  /** Sends one contribution elsewhere, or in another step, unless reductions are then shared less evenly. */
  change(random: Random): void {
    const at = this.sent[random.below(this.sent.length)];
    const [source, chunk] = [Math.floor(at / this.chunks), at % this.chunks];
    const [step, link] = [this.step[at], this.link[at]];
    const next = this.out[source][random.below(this.out[source].length)];
    const first = this.lastArrival(source, chunk) + 1;
    const own = this.step[this.links[next].to * this.chunks + chunk];
    const end = own === none ? this.steps : own;
    if (first >= end) return;
    const then = first + random.below(end - first);
    const time = (this.load[next * this.steps + then] + 1) / this.links[next].bandwidth;
    if ((next === link && then === step) || time > this.longest[then]) return;
    const steps = step === then ? [step] : [step, then];
    const before = this.unevenness(steps);
    this.put(at, link, step, -1);
    this.put(at, next, then, 1);
    if (this.unevenness(steps) <= before * (1 + sumError)) return;
    this.put(at, next, then, -1);
    this.put(at, link, step, 1);
  }

  /** About what the busiest ranks of some steps reduce; the second busiest count somewhat. */
  unevenness(steps: Iterable<number> = this.powers.keys()): number {
    let sum = 0;
    for (const step of steps) sum += eighthRoot(Math.max(0, this.powers[step]));
    return sum;
  }

  /** The messages of each step. */
  transfers(): Transfer[][] {
    const pieces = Array.from({ length: this.steps }, () => this.links.map((): Piece[] => []));
    for (const at of this.sent.toSorted((a, b) => (a % this.chunks) - (b % this.chunks))) {
      const place = { from: 'data', fromOffset: at % this.chunks, to: 'data', toOffset: at % this.chunks } as const;
      pieces[this.step[at]][this.link[at]].push({ ...place, count: 1 });
    }
    const kind = { kind: 'reduce', channel: 0, order: 'held-first', origin: undefined } as const;
    return pieces.map((ofLinks) =>
      ofLinks.flatMap((some, link) => {
        const { from: source, to: destination } = this.links[link];
        return some.length === 0 ? [] : [{ ...kind, source, destination, pieces: joinPieces(some) }];
      }),
    );
  }

  /** The last step in which something of the chunk comes to a rank. */
  private lastArrival(rank: number, chunk: number): number {
    let last = -1;
    for (const link of this.into[rank]) {
      const at = this.links[link].from * this.chunks + chunk;
      if (this.link[at] === link) last = Math.max(last, this.step[at]);
    }
    return last;
  }

  private put(at: number, link: number, step: number, times: 1 | -1): void {
    this.step[at] = times === 1 ? step : none;
    this.link[at] = times === 1 ? link : none;
    this.load[link * this.steps + step] += times;
    const { to } = this.links[link];
    const place = step * this.ranks + to;
    this.powers[step] -= eighthPower(this.reduced[place]);
    this.reduced[place] += times;
    this.powers[step] += eighthPower(this.reduced[place]);
  }
}
