/** A lower bound on the time of a schedule from its messages alone, before anything is lowered, checked or simulated. */

import { messageChunks } from '../../ir/collective.ts';
import { fastestPace } from '../../ir/lanes.ts';
import type { Route, Routes } from '../../ir/routes.ts';
import type { Schedule, Steps } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';

/**
 * The time for which messages occupy the busiest link or chip, plus the time of reductions on chips that cannot communicate while they reduce. It is
 * a lower bound for every plan made from the schedule, whatever its number of bulks. It is 0 for shards of different sizes, for which no such bound
 * is derived.
 *
 * @param size bytes of the whole message (M)
 * @param enough stops early once the bound exceeds this value, since looking up the routes of many messages takes long
 */
export function occupancyLowerBound(
  { steps, collective }: Schedule,
  routes: Routes,
  size: Bytes,
  enough: Seconds = Number.POSITIVE_INFINITY,
): Seconds {
  if (collective.counts !== undefined) return 0;
  const held = new Held(routes, size / messageChunks(collective));
  // The bound is compared with `enough` after 1, 2, 4, … messages: each comparison visits all links.
  for (let t = 0, look = 1; t < steps.transferCount; t++) {
    held.add(steps, t);
    if (t < look) continue;
    look *= 2;
    if (held.most() > enough) break;
  }
  return held.most();
}

/** The time of a schedule if every chip finishes a step before it begins the next one. */
export interface SteppedTime {
  readonly seconds: Seconds;
  /** The same for messages without bytes. */
  readonly latency: Seconds;
}

/**
 * Estimates the time of a schedule step by step. A message begins once both of its chips have finished their earlier steps. In its step it takes as
 * long as the busiest of its links and chips is occupied, or as long as it would take alone, if that is longer.
 */
export function steppedTime({ steps, collective }: Schedule, routes: Routes, size: Bytes): SteppedTime {
  const { launch = 0 } = routes.topology;
  const held = new Held(routes, size / messageChunks(collective));
  const done = new Float64Array(collective.ranks).fill(launch);
  let latency = launch;
  for (let step = 0; step < steps.stepCount; step++) {
    held.clear();
    const [first, end] = [steps.stepStart[step], steps.stepStart[step + 1]];
    const alone: Seconds[] = [];
    for (let t = first; t < end; t++) alone.push(held.add(steps, t));
    const begun = done.slice();
    for (let t = first; t < end; t++) {
      const [from, to] = [steps.source[t], steps.destination[t]];
      const at = Math.max(begun[from], begun[to]) + Math.max(alone[t - first], held.mostOf(steps, t));
      done[from] = Math.max(done[from], at);
      done[to] = Math.max(done[to], at);
    }
    latency += held.latency;
  }
  return { seconds: done.reduce((most, seconds) => Math.max(most, seconds), launch), latency };
}

/** A set of indices below `count`, which remembers the order of insertion and is cleared in time linear in its size. */
class Used {
  readonly all: number[] = [];
  private readonly isUsed: Uint8Array;

  constructor(count: number) {
    this.isUsed = new Uint8Array(count);
  }

  add(index: number): void {
    if (this.isUsed[index] === 1) return;
    this.isUsed[index] = 1;
    this.all.push(index);
  }

  clear(): void {
    for (const index of this.all) this.isUsed[index] = 0;
    this.all.length = 0;
  }
}

/** Accumulates for how long messages and reductions occupy links and chips. */
class Held {
  /** The maximum latency of the messages added since the last `clear`. */
  latency: Seconds = 0;
  private readonly routes: Routes;
  private readonly chunkBytes: number;
  private readonly link: Float64Array;
  /**
   * By link: its occupancy by messages that start at its source (`bySender`) or end at its target (`byReceiver`). Those chips may be unable to reduce
   * meanwhile.
   */
  private readonly bySender: Float64Array;
  private readonly byReceiver: Float64Array;
  private readonly silent: Float64Array;
  private readonly sending: Float64Array;
  private readonly receiving: Float64Array;
  /** The links and nodes that have been occupied since the last `clear`: on large machines a step uses few of them. */
  private readonly usedLinks: Used;
  private readonly usedNodes: Used;

  constructor(routes: Routes, chunkBytes: number) {
    const { links, nodes } = routes.topology;
    this.routes = routes;
    this.chunkBytes = chunkBytes;
    this.link = new Float64Array(links.length);
    this.bySender = new Float64Array(links.length);
    this.byReceiver = new Float64Array(links.length);
    this.silent = new Float64Array(nodes.length);
    this.sending = new Float64Array(nodes.length);
    this.receiving = new Float64Array(nodes.length);
    this.usedLinks = new Used(links.length);
    this.usedNodes = new Used(nodes.length);
  }

  clear(): void {
    this.latency = 0;
    for (const link of this.usedLinks.all) {
      for (const column of [this.link, this.bySender, this.byReceiver]) column[link] = 0;
    }
    for (const node of this.usedNodes.all) {
      for (const column of [this.silent, this.sending, this.receiving]) column[node] = 0;
    }
    this.usedLinks.clear();
    this.usedNodes.clear();
  }

  /**
   * The minimum time of a message on a machine with lanes, whether it is cut into slices or not: one overhead at each end, and the bytes at the rate
   * of the links or of a lane, whichever is slower. 0 on machines without lanes.
   */
  private onLanes({ latency, bandwidth }: Route, bytes: Bytes, reduces: boolean): Seconds {
    const { lane } = this.routes.topology;
    if (lane === undefined) return 0;
    const reducing = reduces ? lane.local.overhead + Math.min(bytes, lane.slice) / lane.local.bandwidth : 0;
    const pace = fastestPace(lane);
    return 2 * pace.overhead + latency + Math.max(bytes / bandwidth, bytes / pace.bandwidth) + reducing;
  }

  /**
   * Adds a transfer: its message occupies the links of its route, and its reduction the destination. Returns the time that the transfer would take
   * alone.
   */
  add(steps: Steps, t: number): Seconds {
    const { links, nodes, chips, lane } = this.routes.topology;
    const [from, to] = [steps.source[t], steps.destination[t]];
    let chunks = 0;
    for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) chunks += steps.count[p];
    const bytes = chunks * this.chunkBytes;
    const { reduce } = nodes[chips[to]];
    const reducing = steps.isReduce(t) && reduce !== undefined ? bytes / reduce.throughput : 0;
    this.usedNodes.add(chips[from]);
    this.usedNodes.add(chips[to]);
    if (reduce?.overlap === false) this.silent[chips[to]] += reducing;
    const route = from === to ? undefined : this.routes.between(from, to, steps.channel[t]);
    if (route === undefined) return 0;
    const duration = route.latency + bytes / route.bandwidth;
    this.latency = Math.max(
      this.latency,
      lane === undefined ? route.latency : this.onLanes(route, 0, steps.isReduce(t)),
    );
    for (let hop = 0; hop < route.links.length; hop++) {
      const link = route.links[hop];
      const held = links[link].occupancy === 'blocking' ? duration : bytes / links[link].bandwidth;
      this.usedLinks.add(link);
      this.link[link] += held;
      if (hop === 0) this.bySender[link] += held;
      if (hop === route.links.length - 1) this.byReceiver[link] += held;
    }
    this.sending[chips[from]] += duration;
    this.receiving[chips[to]] += duration;
    return Math.max(duration + reducing, this.onLanes(route, bytes, steps.isReduce(t)));
  }

  /** The occupancy of the busiest of the links and chips that a transfer uses. */
  mostOf(steps: Steps, t: number): Seconds {
    const { chips } = this.routes.topology;
    const [from, to] = [steps.source[t], steps.destination[t]];
    const route = from === to ? undefined : this.routes.between(from, to, steps.channel[t]);
    return this.most(route?.links ?? [], [chips[from], chips[to]]);
  }

  /** The occupancy of the busiest of the given links and chips; by default of all that have been used. */
  most(usedLinks: Iterable<number> = this.usedLinks.all, usedNodes: Iterable<number> = this.usedNodes.all): Seconds {
    const { links, nodes } = this.routes.topology;
    const { silent } = this;
    let most = 0;
    for (const link of usedLinks) {
      const { from, to } = links[link];
      most = Math.max(most, this.link[link], this.bySender[link] + silent[from], this.byReceiver[link] + silent[to]);
    }
    for (const chip of usedNodes) {
      const { ports } = nodes[chip];
      const talking = Math.max(this.sending[chip] / ports.send, this.receiving[chip] / ports.receive);
      most = Math.max(most, talking + silent[chip]);
    }
    return most;
  }
}
