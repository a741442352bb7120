/** The check of bounds on what relays bring (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../../ir/units.ts';
import { valuesBetween } from './values.ts';
import { sumOf, waysFrom, waysTo } from './ways.ts';

type Direction = 'out' | 'in';

/** What the certificate says: one rank, that of which all others need M (`out`) or that which needs M of them (`in`), and F. */
export interface RelayWitness {
  readonly root: number;
  readonly direction: Direction;
  readonly chips: readonly number[];
}

/**
 * One rank's bytes for all others (or theirs for it, on the machine turned round), which it does not bring to all of these chips itself:
 * the time claimed is proved if a plan that is done by then would leave too little room in the slots of the root and of one of the chips.
 */
export function provesRelay(
  claimed: Seconds,
  { root, direction, chips }: RelayWitness,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): boolean {
  if (chips.length === 0 || size <= 0 || !Number.isFinite(claimed) || topology.chips[root] === undefined) return false;
  if (
    new Set(chips).size !== chips.length ||
    chips.some((rank) => topology.chips[rank] === undefined || rank === root)
  ) {
    return false;
  }
  if (!isForAll(root, direction, collective)) return false;
  const [out, into] = direction === 'out' ? (['out', 'in'] as const) : (['in', 'out'] as const);
  const part = partAround(topology, topology.chips[root], topology.chips[chips[0]]);
  if (chips.some((rank) => !part.has(topology.chips[rank]))) return false;
  const rootChip = topology.chips[root];
  const first = slotsAt(topology, rootChip, out, part) ?? slotsAt(topology, rootChip, out);
  const last = chips.map((rank) => slotsAt(topology, topology.chips[rank], into));
  if (first === undefined || last.some((slots) => slots === undefined)) return false;
  const ways = (direction === 'out' ? waysFrom : waysTo)(topology, [topology.chips[root]]);
  const distance = Math.min(...chips.map((rank) => ways[topology.chips[rank]]));
  const lastLatency = Math.min(...last.map((slots) => slots?.latency ?? 0));
  const [sent, taken] = [sumOf(first.slots), Math.max(...last.map((slots) => sumOf(slots?.slots ?? [])))];
  const messages = first.latency + lastLatency;
  const between = Math.max(0, distance - messages);
  const turned = { ...topology, links: topology.links.map((link) => ({ ...link, from: link.to, to: link.from })) };
  const held = Math.min(...first.slots) * sumOf(chips.map((rank) => ways[topology.chips[rank]]));
  // The claim may be rounded up by a little, which is more than bytes take where latencies are long.
  const done = claimed * (1 - 1e-9);
  const straight = Math.max(0, sent * done - held);
  const direct = mostDirect(
    { done, ranks: chips, root, straight },
    part,
    direction === 'out' ? topology : turned,
    size,
  );
  const uncounted = direct * (direct / Math.min(...first.slots) + Math.max(0, messages - distance));
  const roomAt = (bandwidth: BytesPerSecond, latency: Seconds, window: Seconds, free: Bytes) =>
    bandwidth * (window ** 2 / 2 - behind(window - free / bandwidth, latency));
  const room = (window: Seconds, free: Bytes) =>
    roomAt(sent, first.latency, window, free) + roomAt(taken, lastLatency, window, free);
  const least = size / Math.min(sent, taken);
  if (done < least + between) return true;
  const windows = [least, done - between];
  const isTooLittle = (room: number, window: Seconds) => room <= size * window * (1 + 1e-9);
  return (
    windows.every((window) => isTooLittle(room(window, 0) + uncounted, window)) ||
    windows.every((window) => isTooLittle(room(window, direct), window))
  );
}

/** Whether each other rank needs M bytes of the root, or the root M of each. */
export function isForAll(root: number, direction: Direction, collective: Collective): boolean {
  for (let rank = 0; rank < collective.ranks; rank++) {
    if (rank === root) continue;
    const [from, to] = direction === 'out' ? [root, rank] : [rank, root];
    if (valuesBetween(collective, new Set([from]), [to]) < 1 - 1e-12) return false;
  }
  return true;
}

/** What one of the chips can get straight from the root: its share, and of what passes all chips in between on to somewhere else. */
function mostDirect(
  {
    done,
    ranks,
    root,
    straight,
  }: { readonly done: Seconds; readonly ranks: readonly number[]; readonly root: number; readonly straight: Bytes },
  part: ReadonlySet<number>,
  topology: Topology,
  size: Bytes,
): Bytes {
  const { links, chips } = topology;
  // What has no rank runs nothing: chips outside a group only pass messages on, as switches do.
  const withoutRelays = links.filter(({ from }) => from === chips[root] || !chips.includes(from));
  const ways = waysFrom({ ...topology, links: withoutRelays }, [chips[root]]);
  if (ranks.some((rank) => Number.isFinite(ways[chips[rank]]))) return straight / ranks.length;
  const between = chips.filter((chip) => part.has(chip) && Number.isFinite(ways[chip]));
  const before = waysFrom(topology, [chips[root]]);
  const beforeAny = waysFrom(topology, chips);
  const passing = between.map((chip) => {
    const entering = links.filter((link) => link.to === chip);
    const carried = entering.map(({ from, latency, bandwidth, occupancy }) => {
      const start = occupancy === 'blocking' ? before[from] : beforeAny[from];
      return bandwidth * Math.max(0, done - start - latency);
    });
    return Math.max(0, sumOf(carried) - size);
  });
  return Math.min(straight, sumOf(passing)) / ranks.length;
}

/** The nodes that are joined to this one in some direction without the root. */
export function partAround({ links }: Topology, root: number, node: number): Set<number> {
  const part = new Set([node]);
  for (let before = 0; before < part.size; ) {
    before = part.size;
    for (const { from, to } of links) {
      if (from === root || to === root || part.has(from) === part.has(to)) continue;
      part.add(from).add(to);
    }
  }
  return part;
}

/**
 * Bandwidths of the slots of a chip, each of which carries one message at a time, and the least Σα of a message in them. Where only a part
 * of the machine is looked at, these are its links to there, over which others pass the chip as well, so that ports do not count.
 */
function slotsAt(topology: Topology, chip: number, direction: Direction, part?: ReadonlySet<number>) {
  const [near, far] = direction === 'out' ? (['from', 'to'] as const) : (['to', 'from'] as const);
  const isAll = part === undefined || part.size === topology.nodes.length - 1;
  const ports = isAll ? topology.nodes[chip].ports[direction === 'out' ? 'send' : 'receive'] : Number.POSITIVE_INFINITY;
  const links = topology.links.filter((link) => link[near] === chip && (isAll || part.has(link[far])));
  const bandwidths = links.map((link) => link.bandwidth);
  const blocking = bandwidths.length <= ports && links.every((link) => link.occupancy === 'blocking');
  if (bandwidths.length === 0 || (!blocking && !Number.isFinite(ports))) return undefined;
  const slots = blocking ? bandwidths : Array.from({ length: ports }, () => Math.max(...bandwidths));
  const ways = (direction === 'out' ? waysFrom : waysTo)(topology, [chip]);
  const others = topology.chips.filter((other) => other !== chip && (isAll || part.has(other)));
  return { slots, latency: Math.min(...others.map((other) => ways[other])) };
}

/**
 * Least Σ wᵢ(i − 1)a + wᵢ²/2 where Σ wᵢ = W: wᵢ = θ − (i − 1)a for the first k, with the greatest k for which these are positive and
 * the θ that makes the sum W. Each term is then (θ² − (i − 1)²a²)/2.
 */
export function behind(window: Seconds, latency: Seconds): number {
  if (latency === 0 || window <= 0) return 0;
  const isTooMany = (count: number) => (latency * count * (count - 1)) / 2 >= window;
  let tooMany = 2;
  while (!isTooMany(tooMany)) tooMany *= 2;
  let count = tooMany / 2;
  for (let step = count / 2; step >= 1; step /= 2) if (!isTooMany(count + step)) count += step;
  const longest = (window + (latency * count * (count - 1)) / 2) / count;
  const squares = ((count - 1) * count * (2 * count - 1)) / 6;
  return (count * longest ** 2 - latency ** 2 * squares) / 2;
}
