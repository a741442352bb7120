/** Reduce and copy engines: each serves one operation at a time, first come first served, ties in program order. */
import { none } from '../../ir/none.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import type { Network } from './network.ts';

/** Called for a lane when its operation gets its engine. `waitedFor` is the instance that occupied the engine before, or `none`. */
export type StartWork = (lane: number, duration: Seconds, waitedFor: number) => void;

/** Kinds of engines. A duplex copy engine has a side of its own for copies into scratch, `copy in`. Every chip has a `compute` engine. */
export type EngineKind = 'reduce' | 'copy' | 'copy in' | 'compute';

/** The position of each kind among the engines of a node: the engine number is `perNode` · node + position. */
const placeOf: Readonly<Record<EngineKind, number>> = { reduce: 0, copy: 1, 'copy in': 2, compute: 3 };
const perNode = Object.keys(placeOf).length;

export class Engines {
  private readonly network: Network;
  private readonly throughput: Float64Array;
  /** 1 for reduce engines without overlap, which work only while their chip neither sends nor receives. */
  private readonly exclusive: Uint8Array;
  private readonly busy: Uint8Array;
  private readonly freedBy: Int32Array;
  /** A queue of lanes for each engine, as linked lists: a lane waits for one engine at a time. */
  private readonly first: Int32Array;
  private readonly last: Int32Array;
  private readonly next: Int32Array;
  private readonly engineOf: Int32Array;
  private readonly bytes: Float64Array;
  private readonly order: Float64Array;
  private readonly waited: Uint8Array;
  /** Lanes that have requested an engine since `startReady` was last called, and engines that may be able to start an operation. */
  private arrivals: number[] = [];
  private stirred: number[] = [];

  constructor(topology: Topology, lanes: number, network: Network) {
    const { nodes } = topology;
    const engines = perNode * nodes.length;
    this.network = network;
    this.throughput = new Float64Array(engines);
    this.exclusive = new Uint8Array(engines);
    nodes.forEach((node, index) => {
      const first = perNode * index;
      this.throughput[first + placeOf.reduce] = node.reduce?.throughput ?? Number.POSITIVE_INFINITY;
      this.throughput.fill(
        node.copy?.throughput ?? Number.POSITIVE_INFINITY,
        first + placeOf.copy,
        first + placeOf.compute,
      );
      // Computation requests are in seconds instead of bytes.
      this.throughput[first + placeOf.compute] = 1;
      this.exclusive[first + placeOf.reduce] = node.reduce?.overlap === false ? 1 : 0;
    });
    this.busy = new Uint8Array(engines);
    this.freedBy = new Int32Array(engines).fill(none);
    this.first = new Int32Array(engines).fill(none);
    this.last = new Int32Array(engines).fill(none);
    this.next = new Int32Array(lanes).fill(none);
    this.engineOf = new Int32Array(lanes);
    this.bytes = new Float64Array(lanes);
    this.order = new Float64Array(lanes);
    this.waited = new Uint8Array(lanes);
  }

  /** Requests the engine that a lane's current operation needs. `bytes` are seconds if the operation computes. */
  request(lane: number, node: number, kind: EngineKind, bytes: number, order: number): void {
    this.engineOf[lane] = perNode * node + placeOf[kind];
    this.bytes[lane] = bytes;
    this.order[lane] = order;
    this.waited[lane] = 0;
    this.arrivals.push(lane);
  }

  /** Starts the operations that can start at this instant. Returns whether there were any. */
  startReady(start: StartWork): boolean {
    if (this.arrivals.length === 0 && this.stirred.length === 0) return false;
    const arrivals = this.arrivals;
    this.arrivals = [];
    arrivals.sort((a, b) => this.order[a] - this.order[b]);
    for (const lane of arrivals) this.enqueue(lane);
    const stirred = this.stirred;
    this.stirred = [];
    let started = false;
    for (const engine of stirred) started = this.startFirst(engine, start) || started;
    for (const lane of arrivals) this.waited[lane] = 1;
    return started;
  }

  /** Frees the engine of a lane's operation, which is complete. */
  finish(lane: number, instance: number): void {
    const engine = this.engineOf[lane];
    this.busy[engine] = 0;
    this.freedBy[engine] = instance;
    this.stirred.push(engine);
    if (this.exclusive[engine] === 1) this.network.open(nodeOf(engine), instance);
  }

  /** Records that a chip has stopped sending or receiving a message, so that a reduction without overlap may be able to start. */
  messageEnded(node: number, instance: number): void {
    const engine = perNode * node + placeOf.reduce;
    if (this.exclusive[engine] === 0 || this.network.messagesAt(node) > 0) return;
    this.freedBy[engine] = instance;
    this.stirred.push(engine);
  }

  private enqueue(lane: number): void {
    const engine = this.engineOf[lane];
    this.next[lane] = none;
    if (this.first[engine] === none) this.first[engine] = lane;
    else this.next[this.last[engine]] = lane;
    this.last[engine] = lane;
    this.stirred.push(engine);
  }

  private startFirst(engine: number, start: StartWork): boolean {
    const lane = this.first[engine];
    if (lane === none || this.busy[engine] === 1) return false;
    if (this.exclusive[engine] === 1) {
      if (this.network.messagesAt(nodeOf(engine)) > 0) return false;
      this.network.close(nodeOf(engine));
    }
    this.first[engine] = this.next[lane];
    this.busy[engine] = 1;
    start(lane, this.bytes[lane] / this.throughput[engine], this.waited[lane] === 1 ? this.freedBy[engine] : none);
    return true;
  }
}

function nodeOf(engine: number): number {
  return Math.floor(engine / perNode);
}
