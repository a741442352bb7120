/**
 * Machines: nodes, directed links and the engines of chips (docs/topology-language.md). Every number is in base units
 * (seconds, bytes per second). Topologies are immutable; `--without`, `--map` and `--link` make new ones.
 */

import type { ReductionOperator } from './collective.ts';
import { CccError, type SourceRange } from './diagnostic.ts';
import type { Dtype } from './dtype.ts';
import { itemAt } from './indexing.ts';
import { type Knowledge, type LaneModel, type LinkLane, laneWith, type MachineProtocol, type Timing } from './lanes.ts';
import type { Bytes, BytesPerSecond, Seconds } from './units.ts';

/**
 * How long a message of n bytes keeps a link busy: `blocking` for the whole time of its route, Σα + n/min β;
 * `pipelined` for n/β of that link only.
 */
export type OccupancyRule = 'blocking' | 'pipelined';

/** Chips hold memory and a rank; switches and hosts only pass messages on. */
export type NodeKind = 'chip' | 'switch' | 'host';

/** The engine that adds arriving data to what is there. */
export interface ReduceEngine {
  /** γ, bytes of reduced data per second. */
  readonly throughput: BytesPerSecond;
  /** False when a reduction keeps the chip's ports busy: nothing is sent or received meanwhile. */
  readonly overlap: boolean;
  /**
   * By operator, the element types that the engine supports; an operator that is missing is not supported. Undefined if the topology does not say.
   */
  readonly operators?: OperatorTypes | undefined;
}

export type OperatorTypes = Readonly<Partial<Record<ReductionOperator, readonly Dtype[]>>>;

/** The engine that copies within a chip's memory; without one, local copies are free. */
export interface CopyEngine {
  readonly throughput: BytesPerSecond;
  /** True if copies into scratch and copies out of it run concurrently, each with the full throughput. */
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
  readonly occupancy: OccupancyRule;
  /** Unit links it is made of: how many chunks it carries per round of a k-synchronous step. */
  readonly units: number;
  /** Lane model of this link (latency, gap), if the topology file declares one. */
  readonly lane?: LinkLane | undefined;
  readonly origin: SourceRange | undefined;
}

/**
 * A fast memory on each chip that links and reductions can reach, as opposed to the main memory: data must be copied into it before it is sent, and
 * out of it after it has arrived.
 */
export interface Staging {
  /** Bytes of the fast memory that a plan may use on each chip. */
  readonly memory: Bytes;
}

/** Limits of the commands of the message engines; every plan for the machine respects them (docs/topology-language.md). */
export interface MessageLimits {
  /** Addresses and lengths of messages and of local copies and reductions are multiples of this. */
  readonly alignment: Bytes;
  /** Number of IDs (0, 1, …) that the commands of a chip may signal with. */
  readonly ids: number;
  /** Max number of signals that are counted under one ID. */
  readonly counts: number;
  /** The greatest N, C, H and W of a shape, in elements. */
  readonly dimensions: readonly [number, number, number, number];
  /** The greatest stride, in elements. */
  readonly stride: number;
}

export interface Topology {
  /** The name from its file, with parameter values and modifications: `ring:8`, `sg2260x4`. */
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly links: readonly Link[];
  /** `chips[rank]` is the node that the rank runs on; its length is N. */
  readonly chips: readonly number[];
  /** Transfers that a connection buffers (0 = rendezvous); undefined = unbounded. */
  readonly inflight: number | undefined;
  /** Set if messages must be staged: the links of chips reach only a fast memory, which plans use as their scratch. */
  readonly staging?: Staging | undefined;
  /** Name of the variant of this machine whose chips are the same except that its buffers must be staged. */
  readonly staged?: string | undefined;
  /** Set if commands for messages have limits. */
  readonly messages?: MessageLimits | undefined;
  /** Seconds that every collective takes before its first operation, included in all times and bounds; 0 if left out. */
  readonly launch?: Seconds | undefined;
  /** Cost model of the lanes of each chip; without it, operations take only the time of links and engines. */
  readonly lane?: LaneModel | undefined;
  /** By name, the protocols of which one can be chosen (`withProtocol`): they replace the numbers for launch, lane, inflight and gaps. */
  readonly protocols?: Readonly<Record<string, MachineProtocol>> | undefined;
  /** The name of the chosen protocol. */
  readonly protocol?: string | undefined;
  /** By the path of a key in the file, such as `protocols.LL`: how reliable its numbers are. */
  readonly status?: Readonly<Record<string, Knowledge>> | undefined;
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

/** Whether the machine has neither launch nor lanes, so that times depend only on links and engines. */
export function isPlain({ launch = 0, lane }: Topology): boolean {
  return launch === 0 && lane === undefined;
}

/**
 * The machine with the numbers of `timing` in place of its own, as for a protocol or a lane model. If it then has lanes, its links take the latencies
 * that they declare for lanes.
 */
export function withTiming(topology: Topology, timing: Timing): Topology {
  const lane = timing.lane === undefined ? topology.lane : laneWith(topology.lane, timing.lane);
  if (timing.lane !== undefined && lane === undefined) {
    throw new CccError('topology', `${topology.name}: lanes need an overhead and a bandwidth`);
  }
  const changed = {
    ...topology,
    links: lane === undefined ? topology.links : topology.links.map((link) => linkWithLanes(link, timing)),
    ...(timing.inflight === undefined ? {} : { inflight: timing.inflight }),
    ...(timing.launch === undefined ? {} : { launch: timing.launch }),
    ...(lane === undefined ? {} : { lane }),
  };
  checkBufferedLinks(changed);
  return changed;
}

/** The machine under one of its protocols, which its name and notes then mention. */
export function withProtocol(topology: Topology, name: string): Topology {
  const names = Object.keys(topology.protocols ?? {});
  const found = names.find((known) => known.toLowerCase() === name.toLowerCase());
  const protocol = found === undefined ? undefined : topology.protocols?.[found];
  if (found === undefined || protocol === undefined) {
    const has = names.length === 0 ? 'no protocols' : `the protocols ${names.join(', ')}`;
    throw new CccError('unknown-name', `${topology.name} has ${has}, and none is called '${name}'`);
  }
  const known = topology.status?.[`protocols.${found}`] ?? 'assumed';
  const remark =
    known === 'calibrated'
      ? []
      : [`${found}: ${known} constants rank plans well; times are within about a factor of 2`];
  return {
    ...withTiming(topology, protocol),
    name: `${topology.name} --protocol ${found}`,
    protocol: found,
    notes: [...topology.notes, ...remark],
  };
}

/** @throws CccError 'topology' for lanes on links that buffer messages, where connections have no room for one */
export function checkBufferedLinks({ name, lane, inflight, links }: Topology): void {
  if (lane === undefined || inflight !== 0 || !links.some((link) => link.lane?.buffered)) return;
  throw new CccError('topology', `${name}: buffered links need inflight of 1 at least; with 0 nothing is buffered`);
}

function linkWithLanes(link: Link, { gap, rendezvous }: Timing): Link {
  if (link.lane === undefined) return link;
  const { buffered, latency = link.latency } = link.lane;
  const replaced = { ...(gap === undefined ? {} : { gap }), ...(rendezvous === undefined ? {} : { rendezvous }) };
  return { ...link, latency, lane: buffered ? { ...link.lane, ...replaced } : link.lane };
}

/** `chip 3 → chip 0`: a link by the names of its ends. */
export function linkName(topology: Topology, link: Link): string {
  return `${itemAt(topology.nodes, link.from).name} → ${itemAt(topology.nodes, link.to).name}`;
}

/** The transposed machine, with every link reversed. A plan on it, reversed in time, is a plan on the machine itself. */
export function transpose(topology: Topology): Topology {
  return {
    ...topology,
    nodes: topology.nodes.map((node) => ({ ...node, ports: { send: node.ports.receive, receive: node.ports.send } })),
    links: topology.links.map((link) => ({ ...link, from: link.to, to: link.from })),
  };
}
