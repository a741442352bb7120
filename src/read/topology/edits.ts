/**
 * Changes of topologies; each returns a new one. Chips are identified by their ranks before the change. Changes of the graph are added to the
 * topology's name, and changed numbers to its notes, so that no report presents them as the machine's own.
 */
import { CccError } from '../../ir/diagnostic.ts';
import { Routes } from '../../ir/routes.ts';
import { type Link, type OccupancyRule, ranksOf, type Topology } from '../../ir/topology.ts';
import { type BytesPerSecond, counted, formatBytesPerSecond, formatSeconds, type Seconds } from '../../ir/units.ts';
import { checkConnected } from './connected.ts';
import { chipOf, type NodeReference, nodeOf } from './references.ts';

/** The numbers that `--link` sets; links keep their occupancy if it is left out. */
export interface LinkSpec {
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
  readonly occupancy?: OccupancyRule | undefined;
}

/**
 * Removes both directions of the link between two nodes.
 * @throws CccError 'topology' when there is none, 'disconnected' when some chip cannot be reached without it
 */
export function withoutLink(topology: Topology, a: NodeReference, b: NodeReference): Topology {
  const [first, second] = [nodeOf(topology, a), nodeOf(topology, b)];
  const joins = (link: Link): boolean =>
    (link.from === first && link.to === second) || (link.from === second && link.to === first);
  const links = topology.links.filter((link) => !joins(link));
  if (links.length === topology.links.length) throw noSuchLink(topology, first, second);
  const name = `${topology.name} --without link:${[first, second].map((node) => calledFor(topology, node)).join('-')}`;
  return connected({ ...topology, name, links, shape: undefined });
}

function noSuchLink(topology: Topology, from: number, to: number): CccError {
  const neighbours = topology.links.filter((link) => link.from === from).map((link) => topology.nodes[link.to].name);
  const [a, b] = [topology.nodes[from].name, topology.nodes[to].name];
  const has = neighbours.length === 0 ? 'no links' : `links to ${[...new Set(neighbours)].join(', ')}`;
  return new CccError('topology', `${topology.name} has no link between ${a} and ${b}; ${a} has ${has}`);
}

/** A node in names of changed topologies: a chip by its rank, another node by its name. */
function calledFor({ chips, nodes }: Topology, node: number): string {
  const rank = chips.indexOf(node);
  return rank === -1 ? nodes[node].name : String(rank);
}

/**
 * Removes a chip, its rank and its links; higher ranks move down by one.
 * @throws CccError 'topology' when there is no such chip, it is the only one, or some chip cannot be reached without it
 */
export function withoutChip(topology: Topology, rank: number): Topology {
  return withoutNode(topology, chipOf(topology, rank));
}

/**
 * Removes a node and its links, and a chip's rank, too: higher ranks move down by one.
 * @param gone its index among the nodes
 * @throws CccError 'topology' when it is the only chip, 'disconnected' when some chip cannot be reached without it
 */
export function withoutNode(topology: Topology, gone: number): Topology {
  const { chips, nodes } = topology;
  const rank = chips.indexOf(gone);
  if (rank >= 0 && chips.length === 1) throw new CccError('topology', `${topology.name} would have no chip left`);
  const moved = (index: number): number => (index > gone ? index - 1 : index);
  const above = (index: number): number => (rank >= 0 && index > rank ? index - 1 : index);
  const groups = topology.groups.map((group) => group.filter((member) => member !== rank).map(above));
  return connected({
    ...topology,
    name: `${topology.name} --without ${rank >= 0 ? `chip:${rank}` : nodes[gone].name}`,
    nodes: nodes.filter((_, index) => index !== gone),
    links: topology.links
      .filter((link) => link.from !== gone && link.to !== gone)
      .map((link) => ({ ...link, from: moved(link.from), to: moved(link.to) })),
    chips: chips.filter((chip) => chip !== gone).map(moved),
    shape: undefined,
    groups: groups.filter((group) => group.length > 0),
  });
}

/**
 * Renumbers the ranks: rank r moves to the chip that had rank `chips[r]`.
 * @throws CccError 'topology' when the chips are not each rank once
 */
export function withMap(topology: Topology, chips: readonly number[]): Topology {
  const ranks = ranksOf(topology);
  if (chips.length !== ranks) {
    throw new CccError('topology', `the map has ${counted(chips.length, 'chip')}, but ${topology.name} has ${ranks}`);
  }
  const rankOn = new Map(chips.map((chip, rank) => [chip, rank]));
  for (const chip of chips) chipOf(topology, chip);
  if (rankOn.size !== ranks) {
    const twice = chips.find((chip, index) => chips.indexOf(chip) !== index);
    throw new CccError('topology', `chip ${twice} is twice in the map`);
  }
  if (chips.every((chip, rank) => chip === rank)) return topology;
  return {
    ...topology,
    name: `${topology.name} --map ${chips.join(',')}`,
    chips: chips.map((chip) => topology.chips[chip]),
    shape: undefined,
    groups: topology.groups.map((group) => group.map((chip) => rankOn.get(chip) ?? chip)),
  };
}

/**
 * Makes a process group, in which rank i is the i-th of these chips. The other chips lose their ranks and only forward messages; they stay
 * chips, so that messages take the same routes as on the whole machine.
 * @throws CccError 'topology' for a chip that there is not, or is there twice, 'disconnected' when one cannot reach another
 */
export function withGroupAmong(topology: Topology, group: readonly number[]): Topology {
  checkGroups(topology, [group]);
  const rankOn = new Map(group.map((chip, rank) => [chip, rank]));
  const groups = topology.groups.map((declared) => declared.flatMap((chip) => rankOn.get(chip) ?? []));
  return connected({
    ...topology,
    name: `${topology.name} --group ${group.join(',')}`,
    chips: group.map((chip) => topology.chips[chip]),
    shape: undefined,
    groups: groups.filter((members) => members.length > 0),
  });
}

/**
 * Makes a process group that has the machine to itself. Links on no route between its chips are removed, since no plan of the group can use
 * them: the other chips run nothing.
 * @throws CccError those of `withGroupAmong`
 */
export function withGroup(topology: Topology, group: readonly number[]): Topology {
  const whole = withGroupAmong(topology, group);
  return group.length === ranksOf(topology) ? whole : { ...whole, links: linksOnRoutes(whole) };
}

/** The links on routes between ranks, over all channels. */
function linksOnRoutes(topology: Topology): readonly Link[] {
  const routes = new Routes(topology);
  const used = new Set<number>();
  for (let from = 0; from < ranksOf(topology); from++) {
    for (let to = 0; to < ranksOf(topology); to++) {
      if (to === from) continue;
      const ways = routes.choices(from, to);
      for (let channel = 0; channel < ways; channel++) {
        for (const link of routes.between(from, to, channel)?.links ?? []) used.add(link);
      }
    }
  }
  return topology.links.filter((_, index) => used.has(index));
}

/**
 * Checks process groups that work at the same time.
 * @throws CccError 'topology' for an empty group, a chip that there is not, or one that is in two groups or twice in one
 */
export function checkGroups(topology: Topology, groups: readonly (readonly number[])[]): void {
  const taken = new Map<number, number>();
  groups.forEach((group, index) => {
    if (group.length === 0) throw new CccError('topology', 'a group has at least one chip');
    for (const chip of group) {
      chipOf(topology, chip);
      const other = taken.get(chip);
      if (other === index) throw new CccError('topology', `chip ${chip} is twice in the group ${group.join(',')}`);
      if (other !== undefined) {
        const pair = `${groups[other].join(',')} and ${group.join(',')}`;
        throw new CccError('topology', `groups must not overlap: chip ${chip} is in ${pair}`);
      }
      taken.set(chip, index);
    }
  });
}

/** Gives all links the same latency and bandwidth; links keep their units. */
export function withLink(topology: Topology, spec: LinkSpec): Topology {
  const { latency, bandwidth } = spec;
  const links = topology.links.map((link) => ({
    ...link,
    ...(link.lane === undefined ? {} : { lane: { ...link.lane, latency: undefined } }),
    // A link without latency is the second half of a hop whose first half carries it all (the downlinks of `switch:N`).
    latency: link.latency === 0 ? 0 : latency,
    bandwidth: bandwidth * link.units,
    occupancy: spec.occupancy ?? link.occupancy,
  }));
  const occupancy = spec.occupancy === undefined ? '' : `, ${spec.occupancy}`;
  const note = `all links set to ${formatSeconds(latency)}, ${formatBytesPerSecond(bandwidth)}${occupancy}`;
  return { ...topology, links, notes: [...topology.notes, note] };
}

/** Gives every chip a reduce engine with that throughput. A chip that had none gets one that does not overlap with communication. */
export function withGamma(topology: Topology, throughput: BytesPerSecond): Topology {
  const isFree = throughput === Number.POSITIVE_INFINITY;
  const nodes = topology.nodes.map((node) => {
    if (node.kind !== 'chip') return node;
    const reduce = isFree ? undefined : { ...node.reduce, throughput, overlap: node.reduce?.overlap ?? false };
    return { ...node, reduce };
  });
  return {
    ...topology,
    nodes,
    notes: [...topology.notes, `reduce throughput set to ${formatBytesPerSecond(throughput)}`],
  };
}

/**
 * Sets whether chips can reduce and communicate at the same time.
 * @throws CccError 'topology' when no chip has a reduce engine
 */
export function withOverlap(topology: Topology, overlap: boolean): Topology {
  if (topology.nodes.every((node) => node.reduce === undefined)) {
    throw new CccError(
      'topology',
      `${topology.name} has no reduce engines: reducing takes no time there; --gamma sets one`,
    );
  }
  const nodes = topology.nodes.map((node) =>
    node.reduce === undefined ? node : { ...node, reduce: { ...node.reduce, overlap } },
  );
  return {
    ...topology,
    nodes,
    notes: [...topology.notes, `overlap of reducing and communicating set to ${overlap ? 'on' : 'off'}`],
  };
}

function connected(topology: Topology): Topology {
  checkConnected(topology);
  return topology;
}
