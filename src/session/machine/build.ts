/** Machines that programs describe: a builder with defaults, and a check of every value that is handed in. */
import { CccError } from '../../ir/diagnostic.ts';
import {
  type CopyEngine,
  type Link,
  type Node,
  type NodeKind,
  type OccupancyRule,
  ranksOf,
  type Topology,
} from '../../ir/topology.ts';
import {
  type BytesPerSecond,
  parseBytesPerSecond,
  parseSeconds,
  type QuantityResult,
  type Seconds,
} from '../../ir/units.ts';
import { nearestNames } from '../../read/nearest.ts';

/** Seconds as a number, or a text with a unit: `0.5us`. */
export type SecondsLike = Seconds | string;
/** Bytes per second as a number, or a text with a unit: `50GB/s`, `400Gb/s`. */
export type RateLike = BytesPerSecond | string;

/** A chip: it holds memory and runs one rank. */
export interface ChipDescription {
  /** Default: `chip 0`, `chip 1`, … */
  readonly name?: string;
  /** How many messages the chip can send, and receive, at the same time; default: as many as it likes. */
  readonly sendPorts?: number;
  readonly receivePorts?: number;
  /** How fast the chip reduces; default: reductions take no time. */
  readonly reduce?: RateLike;
  /** Whether the chip can send and receive while it reduces; default true. */
  readonly overlap?: boolean;
  /** How fast the chip copies within its memory; default: copies take no time. */
  readonly copy?: RateLike;
}

/** A node that only passes messages on. */
export interface SwitchDescription {
  readonly name?: string;
  /** Whether the switch can send one incoming message to several outputs; default false. */
  readonly multicast?: boolean;
}

/** A connection between two nodes. */
export interface LinkDescription {
  /** A rank, or the name of a node. */
  readonly from: number | string;
  readonly to: number | string;
  /** α: time that the first byte takes. */
  readonly latency: SecondsLike;
  /** β in one direction. */
  readonly bandwidth: RateLike;
  /** Default true: there is a link in each direction, and the two do not share their bandwidth. */
  readonly duplex?: boolean;
  /** `blocking` (default): a message occupies the link for the whole time of its route; `pipelined`: for its bytes only. */
  readonly occupancy?: OccupancyRule;
  /** Unit links it is made of, for schedules in k-synchronous steps; default 1. */
  readonly units?: number;
}

/** A machine as a program describes it. Everything that is left out has the default of topology files (docs/topology-language.md). */
export interface MachineDescription {
  readonly name?: string;
  /** How many chips there are if they have nothing special, or each chip in the order of the ranks. */
  readonly chips: number | readonly ChipDescription[];
  readonly switches?: number | readonly SwitchDescription[];
  readonly links: readonly LinkDescription[];
  /** Messages that a connection buffers until they are received (0: the sender waits for the receiver); default: any number. */
  readonly inflight?: number;
  /** Ranks of each declared group, such as the boxes of a cluster. */
  readonly groups?: readonly (readonly number[])[];
}

/** @throws CccError for values that make no sense, and nodes that there are not */
export function builtTopology(description: MachineDescription): Topology {
  const { name = 'built', inflight, groups = [] } = description;
  const chips = listed(description.chips, 'chips').map(chipNode);
  const switches = listed(description.switches ?? 0, 'switches').map(switchNode);
  const nodes = [...chips, ...switches];
  const names = nodes.map((node) => node.name);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) throw new CccError('schema', `${name}: two nodes are called '${twice}'`);
  return {
    name,
    nodes,
    links: description.links.flatMap((link, index) => linksOf(link, `${name}: link ${index}`, names, chips.length)),
    chips: chips.map((_, index) => index),
    inflight,
    shape: undefined,
    groups,
    notes: [],
  };
}

function listed<Item>(items: number | readonly Item[], what: string): readonly (Item | Record<string, never>)[] {
  if (typeof items !== 'number') return items;
  if (!Number.isSafeInteger(items) || items < 0) {
    throw new CccError('range', `${what}: expected a whole number, or a list, not ${items}`);
  }
  return Array.from({ length: items }, () => ({}));
}

function chipNode(chip: ChipDescription, rank: number): Node {
  const { name = `chip ${rank}`, sendPorts, receivePorts, overlap = true } = chip;
  const reduce = chip.reduce === undefined ? undefined : { throughput: rate(chip.reduce, `${name}: reduce`), overlap };
  const copy: CopyEngine | undefined =
    chip.copy === undefined ? undefined : { throughput: rate(chip.copy, `${name}: copy`) };
  const ports = {
    send: portCount(sendPorts, `${name}: sendPorts`),
    receive: portCount(receivePorts, `${name}: receivePorts`),
  };
  return node('chip', name, { ports, reduce, copy });
}

function switchNode({ name, multicast = false }: SwitchDescription, index: number): Node {
  return node('switch', name ?? `switch ${index}`, { multicast });
}

function node(kind: NodeKind, name: string, rest: Partial<Node>): Node {
  const ports = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };
  return { kind, name, ports, reduce: undefined, copy: undefined, multicast: false, origin: undefined, ...rest };
}

function linksOf(
  { from, to, duplex = true, occupancy = 'blocking', units = 1, ...numbers }: LinkDescription,
  what: string,
  names: readonly string[],
  chips: number,
): readonly Link[] {
  const ends = [nodeNamed(from, what, names, chips), nodeNamed(to, what, names, chips)] as const;
  const latency = quantity(numbers.latency, `${what}: latency`, parseSeconds);
  const bandwidth = rate(numbers.bandwidth, `${what}: bandwidth`);
  const link = { latency, bandwidth, occupancy, units, origin: undefined };
  const there = { ...link, from: ends[0], to: ends[1] };
  return duplex ? [there, { ...link, from: ends[1], to: ends[0] }] : [there];
}

function nodeNamed(reference: number | string, what: string, names: readonly string[], chips: number): number {
  const index = typeof reference === 'number' ? reference : names.indexOf(reference);
  const isThere = typeof reference === 'number' ? Number.isSafeInteger(index) && index < chips : true;
  if (index >= 0 && isThere) return index;
  if (typeof reference === 'string') {
    throw new CccError('unknown-name', `${what}: there is no node '${reference}'; ${nearestNames(reference, names)}`);
  }
  throw new CccError('range', `${what}: there is no chip ${reference}: there are 0 … ${chips - 1}`);
}

function rate(value: RateLike, what: string): BytesPerSecond {
  return quantity(value, what, parseBytesPerSecond);
}

function quantity(value: number | string, what: string, parse: (text: string) => QuantityResult): number {
  if (typeof value === 'number') return value;
  const result = parse(value);
  if ('value' in result) return result.value;
  throw new CccError('unit', `${what}: expected ${result.expected}, not '${value}'`);
}

function portCount(count: number | undefined, what: string): number {
  if (count === undefined) return Number.POSITIVE_INFINITY;
  if (count >= 1 && (Number.isSafeInteger(count) || count === Number.POSITIVE_INFINITY)) return count;
  throw new CccError('range', `${what}: expected a whole number of at least 1, not ${count}`);
}

/**
 * Checks a topology that did not come through the reader of topology files.
 * @throws CccError 'schema' for wrong indices and names, 'range' for numbers that make no sense, 'disconnected' if some chip cannot reach another
 */
export function checkTopology(topology: Topology): void {
  const { name, nodes, links, chips, inflight, groups } = topology;
  const wrong = (what: string): CccError => new CccError('schema', `${name}: ${what}`);
  const outOfRange = (what: string): CccError => new CccError('range', `${name}: ${what}`);
  if (chips.length === 0) throw outOfRange('a machine has at least one chip');
  const isNode = (index: number): boolean => Number.isSafeInteger(index) && index >= 0 && index < nodes.length;
  chips.forEach((index, rank) => {
    if (!isNode(index) || nodes[index].kind !== 'chip')
      throw wrong(`rank ${rank} runs on node ${index}, which is no chip`);
  });
  if (new Set(chips).size !== chips.length) throw wrong('two ranks run on one chip');
  if (inflight !== undefined && (!Number.isSafeInteger(inflight) || inflight < 0)) {
    throw outOfRange(`inflight is a whole number of messages, 0 or more, not ${inflight}`);
  }
  links.forEach(({ from, to, latency, bandwidth, units }, index) => {
    if (!isNode(from) || !isNode(to))
      throw wrong(`link ${index} joins nodes ${from} and ${to}; there are ${nodes.length}`);
    const called = `the link ${nodes[from].name} → ${nodes[to].name}`;
    if (from === to) throw wrong(`${called} joins a node to itself`);
    if (!(latency >= 0 && latency < Number.POSITIVE_INFINITY)) {
      throw outOfRange(`${called} has a latency of ${latency} s: expected 0 or more`);
    }
    if (!(bandwidth > 0)) throw outOfRange(`${called} has a bandwidth of ${bandwidth} bytes/s: expected more than 0`);
    if (!Number.isSafeInteger(units) || units < 1) throw outOfRange(`${called} has ${units} units: expected 1 or more`);
  });
  for (const { name: called, reduce, copy } of nodes) {
    for (const engine of [reduce, copy]) {
      if (engine !== undefined && !(engine.throughput > 0)) {
        throw outOfRange(`an engine of ${called} has ${engine.throughput} bytes/s: expected more than 0`);
      }
    }
  }
  const ranks = ranksOf(topology);
  const stranger = groups.flat().find((rank) => !Number.isSafeInteger(rank) || rank < 0 || rank >= ranks);
  if (stranger !== undefined) throw outOfRange(`a group has rank ${stranger}: there are 0 … ${ranks - 1}`);
  checkReachability(topology);
}

/** Chips reach each other exactly if all chips can be reached from the first one, and the first one from all. */
function checkReachability({ name, nodes, links, chips }: Topology): void {
  const [first] = chips;
  const neighbours = (isForward: boolean): readonly (readonly number[])[] => {
    const next = nodes.map((): number[] => []);
    for (const { from, to } of links) next[isForward ? from : to].push(isForward ? to : from);
    return next;
  };
  for (const isForward of [true, false]) {
    const next = neighbours(isForward);
    const reached = new Set([first]);
    for (const node of reached) for (const other of next[node]) reached.add(other);
    const lost = chips.find((chip) => !reached.has(chip));
    if (lost === undefined) continue;
    const [from, to] = isForward ? [first, lost] : [lost, first];
    throw new CccError('disconnected', `${name}: no route leads from ${nodes[from].name} to ${nodes[to].name}`);
  }
}
