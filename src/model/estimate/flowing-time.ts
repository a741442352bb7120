/**
 * Estimates the time of a schedule in one bulk, before it is lowered, under the assumption that messages wait for their data and for free links, not
 * for steps.
 */

import { KeyedHeap } from '../../graph/keyed-heap.ts';
import { messageChunks } from '../../ir/collective.ts';
import type { Route, Routes } from '../../ir/routes.ts';
import type { Schedule, Steps } from '../../ir/schedule.ts';
import { type Bytes, rounding, type Seconds } from '../../ir/units.ts';
import { type FlowGraph, flowGraph } from './flow-graph.ts';

export interface FlowingTime {
  readonly seconds: Seconds;
  /** The same for messages without bytes. */
  readonly latency: Seconds;
}

/**
 * The estimate is given up after this many attempts to start a node per transfer. A message over several links is tried again whenever one of its
 * links becomes free, which takes long if messages contend for many links. Measured on ten requests with 32 to 576 ranks: the estimates needed either
 * at most 4.3 or at least 77 attempts per transfer; the latter had 65,000 messages and took 7 s for an allgather on `mesh:16x16`.
 */
const mostLooks = 16;

/**
 * List scheduling (Graham 1969) in continuous time. A message starts when its chunks are available and its links and ports are free; the order of the
 * schedule decides between messages that could start at the same time. A chip with k ports is approximated by one port that is k times as fast.
 * @param size bytes of the whole message (M)
 * @returns undefined if there are too many chunks to follow, or if the search for free links takes too many attempts
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
  /** By node: the number of events that it still waits for, and the time of the latest one that has happened. */
  private readonly waits: Int32Array;
  private readonly readyAt: Float64Array;
  /**
   * The time at which each resource becomes free. The resources are numbered in six groups. Each of the first five has one entry per topology node:
   * the chip's messages (which block a reduction without overlap), its reduce engine, its send port, its receive port, and its reductions without
   * overlap (which block messages). The links follow. `queues` holds the nodes that wait for each resource, in the order of the schedule.
   */
  private readonly freeAt: Float64Array;
  private readonly queues: (KeyedHeap | undefined)[];
  private readonly nodes: number;
  /** Resources that become free and nodes that become ready, by time. At one instant the events of reductions precede those of messages. */
  private readonly events = new KeyedHeap(256);
  /** Events below this number concern reductions and the resources that reductions wait for. */
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

  /** Runs the schedule to its end. Returns undefined if that takes too many attempts. */
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

  /** Starts the nodes that wait for a free resource, until one of them occupies it. */
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

  /** The resource that a message must wait for longest, or −1 if the message stays within its chip. */
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

  /** Occupies the links and ports of a message, and returns the duration of the message. */
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

  /** The resource that a reduction must wait for longest: the engine or, on a chip that cannot reduce while it communicates, its messages. */
  private engineHeldBy(t: number): number {
    const { nodes, chips } = this.routes.topology;
    const chip = chips[this.steps.destination[t]];
    const engine = this.nodes + chip;
    const isSilent = nodes[chip].reduce?.overlap === false;
    return isSilent && this.freeAt[chip] > this.freeAt[engine] ? chip : engine;
  }

  /** Reduces on the engine of the destination's chip, and finishes the transfer when the engine is done. */
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

  /** Records that one of the events has happened for which a node waits, and makes the node ready after the last one. */
  private ready(node: number, at: Seconds): void {
    const { waits, readyAt } = this;
    readyAt[node] = Math.max(readyAt[node], at);
    if (--waits[node] > 0) return;
    const t = node - this.ways.length;
    // A transfer within a chip sends nothing, so that its reduction becomes ready at once and is handled before messages.
    if (t >= 0 && this.ways[t] === undefined) this.arrived(t, readyAt[node]);
    else this.events.push(readyAt[node], this.eventOfNode(node));
  }
}

function graphBytes({ chunks }: FlowGraph, t: number, chunkBytes: Bytes): Bytes {
  return chunks[t] * chunkBytes;
}
