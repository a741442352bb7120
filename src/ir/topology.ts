/**
 * Machines: nodes, directed links and the engines of chips (docs/topology-language.md). Every number is in base units
 * (seconds, bytes per second). Topologies are immutable; `--without`, `--map` and `--link` make new ones.
 */
import type { SourceRange } from './diagnostic.ts';
import type { Bytes, BytesPerSecond, Seconds } from './units.ts';

/**
 * How long a message of n bytes keeps a link busy: `blocking` for the whole time of its route, Σα + n/min β;
 * `pipelined` for n/β of that link only.
 */
export type Occupancy = 'blocking' | 'pipelined';

/** Chips hold memory and a rank; switches and hosts only pass messages on. */
export type NodeKind = 'chip' | 'switch' | 'host';

/** The engine that adds arriving data to what is there. */
export interface ReduceEngine {
  /** γ, bytes of reduced data per second. */
  readonly throughput: BytesPerSecond;
  /** False when a reduction keeps the chip's ports busy: nothing is sent or received meanwhile. */
  readonly overlap: boolean;
}

/** The engine that copies within a chip's memory; without one, local copies are free. */
export interface CopyEngine {
  readonly throughput: BytesPerSecond;
  /** True where copies into scratch and copies out of it run side by side, each kind at that throughput. */
  readonly duplex?: boolean;
}

/** Sends and receives that a chip may have in flight at once; `Infinity` where the topology sets no limit. */
export interface Ports {
  readonly send: number;
  readonly receive: number;
}

export interface Node {
  readonly kind: NodeKind;
  /** For people: `chip 7`, `switch`, `router 2`. */
  readonly name: string;
  readonly ports: Ports;
  readonly reduce: ReduceEngine | undefined;
  readonly copy: CopyEngine | undefined;
  /** A switch that can send one incoming message to several outputs. */
  readonly multicast: boolean;
  readonly origin: SourceRange | undefined;
}

/** One direction of a connection between two nodes. */
export interface Link {
  /** Node indices. */
  readonly from: number;
  readonly to: number;
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
  readonly occupancy: Occupancy;
  /** Unit links it is made of: how many chunks it carries per round of a k-synchronous step. */
  readonly units: number;
  readonly origin: SourceRange | undefined;
}

/** Links reach this memory of a chip and no other; what is in others is copied there before it is sent, and back after it came. */
export interface Staging {
  /** Bytes of it that a plan may use on each chip. */
  readonly memory: Bytes;
}

export interface Topology {
  /** What its file calls it, with the values that were given behind the name and what has been done to it: `ring:8`, `sg2260x4`. */
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly links: readonly Link[];
  /** `chips[rank]` is the node that the rank runs on; its length is N. */
  readonly chips: readonly number[];
  /** Transfers that a connection buffers (0 = rendezvous); undefined = unbounded. */
  readonly inflight: number | undefined;
  /** Where messages have to be staged: chips whose links reach a fast memory only, which plans use as their scratch. */
  readonly staging?: Staging | undefined;
  /** Extents of the axes of a topology whose chips are a wrapping mixed-radix grid (tori), for compact plans. */
  readonly shape: readonly number[] | undefined;
  /** Ranks of each declared group (boxes joined by slower links); empty if none. */
  readonly groups: readonly (readonly number[])[];
  /** Remarks a report must repeat, e.g. "model, not measured". */
  readonly notes: readonly string[];
}

/** Number of ranks. */
export function ranksOf(topology: Topology): number {
  return topology.chips.length;
}

/** `chip 3 → chip 0`: a link by the names of its ends. */
export function linkName(topology: Topology, link: Link): string {
  return `${topology.nodes[link.from].name} → ${topology.nodes[link.to].name}`;
}

/** The same machine with every link turned round: what runs there backwards in time runs on the machine itself. */
export function transpose(topology: Topology): Topology {
  return {
    ...topology,
    nodes: topology.nodes.map((node) => ({ ...node, ports: { send: node.ports.receive, receive: node.ports.send } })),
    links: topology.links.map((link) => ({ ...link, from: link.to, to: link.from })),
  };
}
