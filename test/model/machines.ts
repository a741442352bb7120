/** Small machines for the tests of the cost model, with round numbers. */
import type { Link, Node, OccupancyRule, Ports, ReduceEngine, Topology } from '../../src/ir/topology.ts';

export interface Traits {
  readonly latency?: number;
  readonly bandwidth?: number;
  readonly occupancy?: OccupancyRule;
  readonly ports?: Ports;
  readonly reduce?: ReduceEngine;
  readonly copy?: number;
  readonly inflight?: number;
}

export const unlimited: Ports = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };

export function node(kind: Node['kind'], name: string, traits: Traits = {}): Node {
  return {
    kind,
    name,
    ports: kind === 'chip' ? (traits.ports ?? unlimited) : unlimited,
    reduce: kind === 'chip' ? traits.reduce : undefined,
    copy: kind === 'chip' && traits.copy !== undefined ? { throughput: traits.copy } : undefined,
    multicast: false,
    origin: undefined,
  };
}

export function link(from: number, to: number, traits: Traits = {}): Link {
  return {
    from,
    to,
    latency: traits.latency ?? 1,
    bandwidth: traits.bandwidth ?? 8,
    occupancy: traits.occupancy ?? 'blocking',
    units: 1,
    origin: undefined,
  };
}

/** A machine of `chips` chips (nodes 0 …) and then `switches` switches. */
export function machine(chips: number, links: readonly Link[], traits: Traits = {}, switches = 0): Topology {
  return {
    name: 'test',
    nodes: [
      ...Array.from({ length: chips }, (_, r) => node('chip', `chip ${r}`, traits)),
      ...Array.from({ length: switches }, (_, s) => node('switch', `switch ${s}`)),
    ],
    links,
    chips: Array.from({ length: chips }, (_, r) => r),
    inflight: traits.inflight,
    shape: undefined,
    groups: [],
    notes: [],
  };
}

const duplex = (a: number, b: number, traits: Traits): Link[] => [link(a, b, traits), link(b, a, traits)];

export function line(chips: number, traits: Traits = {}): Topology {
  const links = Array.from({ length: chips - 1 }, (_, r) => duplex(r, r + 1, traits));
  return machine(chips, links.flat(), traits);
}

export function ring(chips: number, traits: Traits = {}): Topology {
  const edges = chips === 1 ? 0 : chips === 2 ? 1 : chips;
  const links = Array.from({ length: edges }, (_, r) => duplex(r, (r + 1) % chips, traits));
  return machine(chips, links.flat(), traits);
}

export function full(chips: number, traits: Traits = {}): Topology {
  const links: Link[] = [];
  for (let a = 0; a < chips; a++) for (let b = 0; b < chips; b++) if (a !== b) links.push(link(a, b, traits));
  return machine(chips, links, traits);
}

/** Every chip has one link to a switch and one back; the uplink carries the whole latency. */
export function star(chips: number, traits: Traits = {}): Topology {
  const links: Link[] = [];
  for (let r = 0; r < chips; r++) links.push(link(r, chips, traits), link(chips, r, { ...traits, latency: 0 }));
  return machine(chips, links, { ...traits, ports: traits.ports ?? { send: 1, receive: 1 } }, 1);
}
