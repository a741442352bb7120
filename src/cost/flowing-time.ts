/** About what a schedule takes in one bulk if its messages wait for what they bring and for the links on their way, not for steps: seen before it is lowered. */
import { messageChunks } from '../ir/collective.ts';
import type { Route, Routes } from '../ir/routes.ts';
import { type Schedule, type Steps, scheduleBuffers } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';

export interface FlowingTime {
  readonly seconds: Seconds;
  /** The same for messages of no bytes. */
  readonly latency: Seconds;
}

/** Chunks of memory of all ranks together beyond which their times are not followed one by one. */
const mostSlots = 2 ** 23;

/**
 * List scheduling in the order of steps (Graham 1969): a message starts when the chunks it brings are there, and its links and ports are free; chips with k
 * ports are taken for chips with one that is k times as fast. Undefined where there are too many chunks to follow.
 */
export function flowingTime(schedule: Schedule, routes: Routes, size: Bytes): FlowingTime | undefined {
  const memory = memoryOf(schedule.steps);
  if (memory.slots * schedule.collective.ranks > mostSlots) return undefined;
  const chunkBytes = size / messageChunks(schedule.collective);
  return {
    seconds: new Flow(schedule, routes, chunkBytes, memory).run(),
    latency: new Flow(schedule, routes, 0, memory).run(),
  };
}

/** Where each buffer begins in the memory of a rank, and how large that is. */
interface Memory {
  readonly starts: readonly number[];
  readonly slots: number;
}

function memoryOf({ from, fromOffset, to, toOffset, count }: Steps): Memory {
  const sizes = scheduleBuffers.map(() => 0);
  for (let p = 0; p < count.length; p++) {
    sizes[from[p]] = Math.max(sizes[from[p]], fromOffset[p] + count[p]);
    sizes[to[p]] = Math.max(sizes[to[p]], toOffset[p] + count[p]);
  }
  const starts = sizes.map((_, buffer) => sizes.slice(0, buffer).reduce((sum, size) => sum + size, 0));
  return { starts, slots: sizes.reduce((sum, size) => sum + size, 0) };
}

class Flow {
  private readonly steps: Steps;
  private readonly routes: Routes;
  private readonly chunkBytes: number;
  private readonly memory: Memory;
  /** When each slot of each rank has what was last written there. */
  private readonly readyAt: Float64Array;
  /** When links, ports and engines are free, and chips that are silent while they reduce may send and receive. */
  private readonly linkFree: Float64Array;
  private readonly sendFree: Float64Array;
  private readonly receiveFree: Float64Array;
  private readonly engineFree: Float64Array;
  private readonly silentUntil: Float64Array;

  constructor({ steps, collective }: Schedule, routes: Routes, chunkBytes: number, memory: Memory) {
    const { nodes, links } = routes.topology;
    this.steps = steps;
    this.routes = routes;
    this.chunkBytes = chunkBytes;
    this.memory = memory;
    this.readyAt = new Float64Array(collective.ranks * memory.slots);
    this.linkFree = new Float64Array(links.length);
    this.sendFree = new Float64Array(nodes.length);
    this.receiveFree = new Float64Array(nodes.length);
    this.engineFree = new Float64Array(nodes.length);
    this.silentUntil = new Float64Array(nodes.length);
  }

  run(): Seconds {
    const { stepStart, stepCount } = this.steps;
    let last = 0;
    for (let step = 0; step < stepCount; step++) {
      const [first, end] = [stepStart[step], stepStart[step + 1]];
      // All is read before anything is written.
      const arrivals = new Float64Array(end - first);
      for (let t = first; t < end; t++) arrivals[t - first] = this.arrivalOf(t);
      for (let t = first; t < end; t++) last = Math.max(last, this.write(t, arrivals[t - first]));
    }
    return last;
  }

  private arrivalOf(t: number): Seconds {
    const { steps, routes } = this;
    const [from, to] = [steps.source[t], steps.destination[t]];
    const ready = this.readyOf(t);
    if (from === to) return ready;
    const route = routes.between(from, to, steps.channel[t]);
    return route === undefined ? ready : this.sent(route, from, to, this.bytesOf(t), ready);
  }

  private sent(route: Route, from: number, to: number, bytes: Bytes, ready: Seconds): Seconds {
    const { links, nodes, chips } = this.routes.topology;
    const { linkFree, sendFree, receiveFree, silentUntil } = this;
    const [sender, receiver] = [chips[from], chips[to]];
    const duration = route.latency + bytes / route.bandwidth;
    let start = Math.max(ready, sendFree[sender], receiveFree[receiver], silentUntil[sender], silentUntil[receiver]);
    for (const link of route.links) start = Math.max(start, linkFree[link]);
    for (const link of route.links) {
      const { occupancy, bandwidth } = links[link];
      linkFree[link] = start + (occupancy === 'blocking' ? duration : bytes / bandwidth);
    }
    sendFree[sender] = Math.max(sendFree[sender], start + duration / nodes[sender].ports.send);
    receiveFree[receiver] = Math.max(receiveFree[receiver], start + duration / nodes[receiver].ports.receive);
    return start + duration;
  }

  /** What is reduced is there when the engine is done with it. */
  private write(t: number, arrival: Seconds): Seconds {
    const { steps, engineFree, silentUntil } = this;
    const { nodes, chips } = this.routes.topology;
    const chip = chips[steps.destination[t]];
    const { reduce } = nodes[chip];
    const isReduce = steps.isReduce(t);
    let done = isReduce ? Math.max(arrival, this.heldAt(t)) : arrival;
    if (isReduce && reduce !== undefined) {
      done = Math.max(done, engineFree[chip]) + this.bytesOf(t) / reduce.throughput;
      engineFree[chip] = done;
      if (!reduce.overlap) silentUntil[chip] = done;
    }
    this.setReady(t, done);
    return done;
  }

  private bytesOf(t: number): Bytes {
    const { pieceStart, count } = this.steps;
    let chunks = 0;
    for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) chunks += count[p];
    return chunks * this.chunkBytes;
  }

  private readyOf(t: number): Seconds {
    const { pieceStart, from, fromOffset, count, source } = this.steps;
    let ready = 0;
    for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) {
      ready = Math.max(ready, this.latest(source[t], from[p], fromOffset[p], count[p]));
    }
    return ready;
  }

  private heldAt(t: number): Seconds {
    const { pieceStart, to, toOffset, count, destination } = this.steps;
    let held = 0;
    for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) {
      held = Math.max(held, this.latest(destination[t], to[p], toOffset[p], count[p]));
    }
    return held;
  }

  private setReady(t: number, done: Seconds): void {
    const { pieceStart, to, toOffset, count, destination } = this.steps;
    for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) {
      const first = this.slotOf(destination[t], to[p], toOffset[p]);
      this.readyAt.fill(done, first, first + count[p]);
    }
  }

  private latest(rank: number, buffer: number, offset: number, count: number): Seconds {
    const first = this.slotOf(rank, buffer, offset);
    let latest = 0;
    for (let slot = first; slot < first + count; slot++) latest = Math.max(latest, this.readyAt[slot]);
    return latest;
  }

  private slotOf(rank: number, buffer: number, offset: number): number {
    return rank * this.memory.slots + this.memory.starts[buffer] + offset;
  }
}
