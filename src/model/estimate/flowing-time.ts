/** Estimates the time of a schedule in one bulk, before it is lowered, if messages wait for their data and for the links of their route, not for steps. */

import { KeyedHeap } from '../../graph/keyed-heap.ts';
import { messageChunks } from '../../ir/collective.ts';
import type { Route, Routes } from '../../ir/routes.ts';
import type { Schedule, Steps } from '../../ir/schedule.ts';
import { type Bytes, rounding, type Seconds } from '../../ir/units.ts';
import { type FlowGraph, flowGraph } from './flow-graph.ts';

export interface FlowingTime {
  readonly seconds: Seconds;
  /** The same for messages of no bytes. */
  readonly latency: Seconds;
}

/**
 * Messages over many links that get in each other's way are looked at whenever one of their links is free. Of the schedules estimated for ten requests
 * on 32 to 576 ranks none took between 4.3 and 77 looks a transfer; those above had 65,000 messages, 7 s for an allgather on `mesh:16x16`.
 */
const mostLooks = 16;

/**
 * List scheduling (Graham 1969) in continuous time: a message starts when the chunks it brings are there and its links and ports are free, and of
 * several that could the first in the schedule does; chips with k ports are taken for chips with one that is k times as fast. Undefined
 * where there are too many chunks to follow, or messages in each other's way.
 */
export function flowingTime(schedule: Schedule, routes: Routes, size: Bytes): FlowingTime | undefined {
  const graph = flowGraph(schedule);
  if (graph === undefined) return undefined;
  const { steps } = schedule;
  const ways = Array.from({ length: steps.transferCount }, (_, t) => {
    const [from, to] = [steps.source[t], steps.destination[t]];
    return from === to ? undefined : routes.between(from, to, steps.channel[t]);
  });
  const chunkBytes = size / messageChunks(schedule.collective);
  const seconds = new Flow(steps, graph, routes, ways, chunkBytes).run();
  if (seconds === undefined) return undefined;
  const latency = new Flow(steps, graph, routes, ways, 0).run();
  return latency === undefined ? undefined : { seconds, latency };
}

class Flow {
  private readonly steps: Steps;
  private readonly graph: FlowGraph;
  private readonly routes: Routes;
  private readonly ways: readonly (Route | undefined)[];
  private readonly chunkBytes: number;
  /** What each node still waits for, and when the last of it was there. */
  private readonly waits: Int32Array;
  private readonly readyAt: Float64Array;
  /**
   * When things are free, by their number: of each node, messages that keep it from reducing, its engine, what it sends, what it receives, and reductions
   * that keep it from both; then links. Who waits for one of them, the first in the schedule first.
   */
  private readonly freeAt: Float64Array;
  private readonly queues: (KeyedHeap | undefined)[];
  private readonly nodes: number;
  /** Things that get free and nodes that are ready, in the order in which they are looked at: reductions go before messages. */
  private readonly events = new KeyedHeap(256);
  /** How many events stand for reductions, and for what they wait for. */
  private readonly reductions: number;
  private now: Seconds = 0;
  private last: Seconds = 0;
  private looks = 0;

  constructor(
    steps: Steps,
    graph: FlowGraph,
    routes: Routes,
    ways: readonly (Route | undefined)[],
    chunkBytes: number,
  ) {
    const { nodes, links } = routes.topology;
    this.steps = steps;
    this.graph = graph;
    this.routes = routes;
    this.ways = ways;
    this.chunkBytes = chunkBytes;
    this.waits = graph.waits.slice();
    this.readyAt = new Float64Array(graph.waits.length);
    this.nodes = nodes.length;
    this.reductions = 2 * nodes.length + ways.length;
    this.freeAt = new Float64Array(5 * nodes.length + links.length);
    this.queues = Array.from(this.freeAt, () => undefined);
  }

  /** @returns undefined where that takes too many looks */
  run(): Seconds | undefined {
    const { events, waits, ways } = this;
    waits.forEach((left, node) => {
      if (left === 0) events.push(0, this.eventOfNode(node));
    });
    const batch: number[] = [];
    while (events.length > 0) {
      this.now = events.minKey;
      const soon = this.now * (1 + rounding);
      batch.length = 0;
      while (events.minKey <= soon) batch.push(events.pop());
      batch.sort((a, b) => a - b);
      for (const event of batch) this.take(event, soon);
      if (this.looks > mostLooks * ways.length) return undefined;
    }
    return this.last;
  }

  private eventOfNode(node: number): number {
    return node + (node < this.ways.length ? 2 * this.nodes : this.freeAt.length);
  }

  private eventOfThing(thing: number): number {
    return thing < 2 * this.nodes ? thing : thing + this.ways.length;
  }

  private take(event: number, soon: Seconds): void {
    const { nodes, ways, reductions, freeAt } = this;
    if (event < 2 * nodes) this.serve(event, soon);
    else if (event < reductions) this.start(event - 2 * nodes, soon);
    else if (event < freeAt.length + ways.length) this.serve(event - ways.length, soon);
    else this.start(event - freeAt.length, soon);
  }

  /** Something is free: those that wait for it, until one of them takes it. */
  private serve(thing: number, soon: Seconds): void {
    const queue = this.queues[thing];
    if (queue === undefined) return;
    while (queue.length > 0 && this.freeAt[thing] <= soon) this.start(queue.pop(), soon);
    if (queue.length > 0) this.events.push(this.freeAt[thing], this.eventOfThing(thing));
  }

  private start(node: number, soon: Seconds): void {
    this.looks++;
    const transfers = this.ways.length;
    const isMessage = node >= transfers;
    const held = isMessage ? this.heldBy(node - transfers) : this.engineHeldBy(node);
    if (held >= 0 && this.freeAt[held] > soon) this.queue(node, held);
    else if (isMessage) this.send(node - transfers);
    else this.reduce(node);
  }

  private queue(node: number, thing: number): void {
    const { queues, events, freeAt } = this;
    const queue = queues[thing] ?? new KeyedHeap(4);
    queues[thing] = queue;
    if (queue.length === 0) events.push(freeAt[thing], this.eventOfThing(thing));
    queue.push(node, node);
  }

  /** What a message waits for longest; −1 where it needs nothing. */
  private heldBy(t: number): number {
    const way = this.ways[t];
    if (way === undefined) return -1;
    const { steps, nodes, freeAt } = this;
    const { chips } = this.routes.topology;
    const [sender, receiver] = [chips[steps.source[t]], chips[steps.destination[t]]];
    let held = 2 * nodes + sender;
    for (const thing of [3 * nodes + receiver, 4 * nodes + sender, 4 * nodes + receiver]) {
      if (freeAt[thing] > freeAt[held]) held = thing;
    }
    for (const link of way.links) if (freeAt[5 * nodes + link] > freeAt[held]) held = 5 * nodes + link;
    return held;
  }

  private send(t: number): void {
    const { graph, ways, now } = this;
    const way = ways[t];
    const duration = way === undefined ? 0 : this.hold(way, t);
    if (graph.next[t] >= 0) this.ready(ways.length + graph.next[t], now);
    this.arrived(t, now + duration);
  }

  private arrived(t: number, at: Seconds): void {
    if (this.steps.isReduce(t)) this.ready(t, at);
    else this.finish(t, at);
  }

  /** Takes links and ports, and returns how long the message takes. */
  private hold({ links, latency, bandwidth }: Route, t: number): Seconds {
    const { steps, nodes, freeAt, now } = this;
    const { topology } = this.routes;
    const [sender, receiver] = [topology.chips[steps.source[t]], topology.chips[steps.destination[t]]];
    const bytes = graphBytes(this.graph, t, this.chunkBytes);
    const duration = latency + bytes / bandwidth;
    for (const link of links) {
      const { occupancy, bandwidth: own } = topology.links[link];
      freeAt[5 * nodes + link] = now + (occupancy === 'blocking' ? duration : bytes / own);
    }
    freeAt[2 * nodes + sender] = now + duration / topology.nodes[sender].ports.send;
    freeAt[3 * nodes + receiver] = now + duration / topology.nodes[receiver].ports.receive;
    for (const chip of [sender, receiver]) freeAt[chip] = Math.max(freeAt[chip], now + duration);
    return duration;
  }

  /** What a reduction waits for longest: the engine, and where chips are silent while they reduce their messages. */
  private engineHeldBy(t: number): number {
    const { nodes, chips } = this.routes.topology;
    const chip = chips[this.steps.destination[t]];
    const engine = this.nodes + chip;
    const isSilent = nodes[chip].reduce?.overlap === false;
    return isSilent && this.freeAt[chip] > this.freeAt[engine] ? chip : engine;
  }

  /** What is reduced is there when the engine is done with it. */
  private reduce(t: number): void {
    const { nodes, chips } = this.routes.topology;
    const chip = chips[this.steps.destination[t]];
    const { reduce } = nodes[chip];
    const done =
      reduce === undefined ? this.now : this.now + graphBytes(this.graph, t, this.chunkBytes) / reduce.throughput;
    this.freeAt[this.nodes + chip] = done;
    if (reduce?.overlap === false) this.freeAt[4 * this.nodes + chip] = done;
    this.finish(t, done);
  }

  private finish(t: number, done: Seconds): void {
    const { first, waiting } = this.graph;
    this.last = Math.max(this.last, done);
    for (let edge = first[t]; edge < first[t + 1]; edge++) this.ready(waiting[edge], done);
  }

  /** One thing less to wait for. */
  private ready(node: number, at: Seconds): void {
    const { waits, readyAt } = this;
    readyAt[node] = Math.max(readyAt[node], at);
    if (--waits[node] > 0) return;
    const t = node - this.ways.length;
    // Within a chip nothing is sent: what is reduced there is ready in time to go before messages.
    if (t >= 0 && this.ways[t] === undefined) this.arrived(t, readyAt[node]);
    else this.events.push(readyAt[node], this.eventOfNode(node));
  }
}

function graphBytes({ chunks }: FlowGraph, t: number, chunkBytes: Bytes): Bytes {
  return chunks[t] * chunkBytes;
}
