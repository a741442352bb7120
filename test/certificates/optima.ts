/**
 * The least time of a collective in whole chunks on a tiny machine, by trying everything: at every instant any link and ports that are free
 * may start a message of any of the chunks, or of the partial sums, that its sender has by then; or everybody waits for the next event.
 * It shares nothing with the simulator, the engines or the bounds. Reductions are free, links have one hop. Where the machine stages messages,
 * what a rank sends or combines of its own is copied into the memory that links reach, chunk by chunk, and what it wants and has not from the
 * start out of it. All is there to copy in from the start, and all that is to be copied out counts alike, so no copy engine waits in vain.
 */
import type { Collective } from '../../src/ir/collective.ts';
import type { Topology } from '../../src/ir/topology.ts';

/** A chunk, who contributes to it, and what each rank must end with: the sum of which contributors, as bits; 0 is nothing. */
interface Item {
  readonly holders: readonly number[];
  readonly wanted: readonly number[];
}
interface Arrival {
  readonly at: number;
  readonly rank: number;
  /** Item and bits of each sum that the message carries. */
  readonly load: readonly (readonly [item: number, bits: number])[];
}
interface State {
  readonly time: number;
  /** By item and rank the sums that the rank has, each as its bits. */
  readonly held: readonly (readonly (readonly number[])[])[];
  readonly flying: readonly Arrival[];
  /** When each link, sending port, receiving port and engine for copies in is free again. */
  readonly free: readonly number[];
  /** By rank the items that are still to be copied in, and when all that is known to be copied out has been. */
  readonly uncopied: readonly (readonly number[])[];
  readonly out: readonly number[];
  /** Links before this one, and engines behind the links, have had their chance at this instant. */
  readonly next: number;
}
/** How long a search may be, and what is known already. */
interface Limits {
  /** States that are looked at. */
  readonly most: number;
  /** Plans that take as long or longer are not looked for. */
  readonly below?: number;
}

/** Undefined for what is not looked at. Items have all the same bytes: M times `share`. */
function itemsOf({ kind, ranks, root }: Collective, chunks: number): { items: Item[]; share: number } | undefined {
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const everybody = 2 ** ranks - 1;
  const own = all.map((rank) => 1 << rank);
  const from = (source: number, wants: (rank: number) => boolean): Item => ({
    holders: all.map((rank) => (rank === source ? own[rank] : 0)),
    wanted: all.map((rank) => (wants(rank) ? own[source] : 0)),
  });
  const sum = (wanted: (rank: number) => number): Item => ({ holders: own, wanted: all.map(wanted) });
  const times = (items: Item[], parts: number) => ({
    items: items.flatMap((item) => Array.from({ length: chunks }, () => item)),
    share: 1 / parts / chunks,
  });
  switch (kind) {
    case 'allgather':
      return times(
        all.map((source) => from(source, () => true)),
        ranks,
      );
    case 'gather':
      return times(
        all.map((source) => from(source, (rank) => rank === root)),
        ranks,
      );
    case 'scatter':
      return times(
        all.map((target) => from(root, (rank) => rank === target)),
        ranks,
      );
    case 'alltoall':
      return times(
        all.flatMap((source) => all.map((target) => from(source, (rank) => rank === target))),
        ranks,
      );
    case 'broadcast':
      return times([from(root, () => true)], 1);
    case 'reduce':
      return times([sum((rank) => (rank === root ? everybody : 0))], 1);
    case 'allreduce':
      return times([sum(() => everybody)], 1);
    case 'reducescatter':
      return times(
        all.map((target) => sum((rank) => (rank === target ? everybody : 0))),
        ranks,
      );
    case 'scan':
      return times([sum((rank) => 2 ** (rank + 1) - 1)], 1);
    case 'exscan':
      return times([sum((rank) => 2 ** rank - 1)], 1);
    default:
      return undefined;
  }
}

/** Bits in a row, as sums in rank order have them. */
const isRow = (bits: number): boolean => ((bits / (bits & -bits)) & (bits / (bits & -bits) + 1)) === 0;

/** With a sum that has come, all that can be made of it and of those that were there. */
function withSum(held: readonly number[], come: number, isOrdered: boolean): readonly number[] {
  const sums = new Set([...held, come]);
  for (const one of sums) {
    for (const other of sums) if ((one & other) === 0 && (!isOrdered || isRow(one | other))) sums.add(one | other);
  }
  return [...sums].sort((a, b) => a - b);
}

/** Whether a rank's own part of an item is sent or combined with others. */
function isUsed({ holders, wanted }: Item, rank: number): boolean {
  const own = holders[rank];
  return own !== 0 && wanted.some((bits, at) => (bits & own) !== 0 && (at !== rank || bits !== own));
}

/** The least time by which links that are free from some time on, α included, carry so many bytes. */
function carriedBy(bytes: number, links: readonly { readonly from: number; readonly bandwidth: number }[]): number {
  const inOrder = [...links].sort((a, b) => a.from - b.from);
  let [rate, started, end] = [0, 0, Number.POSITIVE_INFINITY];
  for (const { from, bandwidth } of inOrder) {
    if (from >= end) break;
    rate += bandwidth;
    started += bandwidth * from;
    end = (bytes + started) / rate;
  }
  return end;
}

function copiesOneWay({ staging, nodes }: Topology): boolean {
  return staging !== undefined && nodes.some(({ copy }) => copy !== undefined && copy.duplex !== true);
}

/** From node to node, what a message of so many bytes takes at the least. */
function shortestHops({ nodes, links }: Topology, bytes: number): readonly (readonly number[])[] {
  const far = nodes.map((_, from) => nodes.map((_, to) => (from === to ? 0 : Number.POSITIVE_INFINITY)));
  for (const _ of nodes) {
    for (const { from, to, latency, bandwidth } of links) {
      for (const of of far) of[to] = Math.min(of[to], of[from] + latency + bytes / bandwidth);
    }
  }
  return far;
}

/** @returns seconds; infinity where no plan takes less than the limit; undefined for what is not looked at, or takes more states */
export function optimum(
  collective: Collective,
  topology: Topology,
  size: number,
  chunks: number,
  { most, below = Number.POSITIVE_INFINITY }: Limits,
): number | undefined {
  const asked = itemsOf(collective, chunks);
  if (asked === undefined || copiesOneWay(topology)) return undefined;
  const { items, share } = asked;
  const { links, nodes } = topology;
  const bytes = share * size;
  const isOrdered = collective.ordered;
  const copying = nodes.map(({ copy }) => (topology.staging && copy ? bytes / copy.throughput : 0));
  const limit = below * (1 - 1e-9);
  /** Whether a rank has what it wants of an item: where that is its own part it is there from the start. */
  const isMet = (item: number, rank: number, sums: readonly number[]): boolean => {
    const [bits, own] = [items[item].wanted[rank], items[item].holders[rank]];
    return bits === 0 || bits === own || sums.includes(bits);
  };
  const isDone = ({ held, out, time }: State): boolean =>
    held.every((of, item) => of.every((sums, rank) => isMet(item, rank, sums))) && out.every((at) => at <= time);
  /** Chunks of the same shard are alike. */
  const labels = items.map(({ holders, wanted }) => `${holders}|${wanted}`);
  const columnOf = ({ time, held, flying, uncopied }: State, item: number): string => {
    const coming = flying.flatMap(({ at, rank, load }) =>
      load.flatMap(([of, bits]) => (of === item ? [`${Math.fround(at - time)}>${rank}:${bits}`] : [])),
    );
    const left = uncopied.map((of) => (of.includes(item) ? 1 : 0));
    return `${labels[item]}|${held[item].join(';')}|${left}|${coming.sort()}`;
  };
  const keyOf = (state: State): string => {
    const columns = items.map((_, item) => columnOf(state, item));
    const rest = [...state.free, ...state.out].map((at) => Math.fround(Math.max(0, at - state.time)));
    return `${columns.sort().join('/')}#${rest}#${state.next}`;
  };
  const hops = shortestHops(topology, bytes);
  const engine = (rank: number): number => links.length + 2 * nodes.length + rank;
  /** When a rank's own part of an item can be at another rank at the soonest, whatever it has been combined with. */
  const soonest = ({ time, held, flying, free, uncopied }: State, item: number, own: number, to: number): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < nodes.length; at++) {
      const isThere = held[item][at].some((bits) => (bits & own) !== 0);
      const isOwn = items[item].holders[at] === own && uncopied[at].includes(item);
      const from = isThere ? time : isOwn ? Math.max(time, free[engine(at)]) + copying[at] : Number.POSITIVE_INFINITY;
      least = Math.min(least, from + hops[at][to]);
    }
    for (const { at, rank, load } of flying) {
      if (load.some(([of, bits]) => of === item && (bits & own) !== 0)) least = Math.min(least, at + hops[rank][to]);
    }
    return least;
  };
  /** Nothing ends sooner: what a rank lacks has still to come, over its links and from where it is, and to be copied out. */
  const leastEnd = (state: State): number => {
    const { time, held, flying, free, out } = state;
    let end = out.reduce((latest, at) => Math.max(latest, at), time);
    for (let rank = 0; rank < nodes.length; rank++) {
      const missing = [...items.keys()].filter((item) => !isMet(item, rank, held[item][rank]));
      const coming = new Set(flying.flatMap((one) => (one.rank === rank ? one.load.map(([of]) => of) : [])));
      const into = links.flatMap(({ to, latency, bandwidth, occupancy }, l) =>
        to === rank ? [{ from: Math.max(occupancy === 'blocking' ? free[l] : 0, time) + latency, bandwidth }] : [],
      );
      const lacking = missing.filter((item) => !coming.has(item)).length;
      if (lacking > 0) end = Math.max(end, carriedBy(lacking * bytes, into) + copying[rank]);
      for (const item of missing) {
        for (const own of items[item].holders) {
          const isLacking =
            (items[item].wanted[rank] & own) !== 0 && !held[item][rank].some((bits) => (bits & own) !== 0);
          if (isLacking) end = Math.max(end, soonest(state, item, own, rank) + copying[rank]);
        }
      }
    }
    return end;
  };
  const start: State = {
    ...{ time: 0, flying: [], next: 0, free: new Array(links.length + 3 * nodes.length).fill(0) },
    // An output that is not the input: what of it is the rank's own is copied there at any time.
    out: nodes.map((_, rank) => {
      const isOwn = ({ holders, wanted }: Item) => wanted[rank] !== 0 && wanted[rank] === holders[rank];
      return collective.inPlace ? 0 : items.filter(isOwn).length * copying[rank];
    }),
    held: items.map(({ holders }) => holders.map((bits, rank) => (bits === 0 || copying[rank] > 0 ? [] : [bits]))),
    uncopied: nodes.map((_, rank) =>
      copying[rank] === 0 ? [] : [...items.keys()].filter((item) => isUsed(items[item], rank)),
    ),
  };
  /** By time the states that are known, not yet looked at. */
  const open = new Map<number, State[]>();
  const seen = new Set<string>();
  const add = (state: State): void => {
    if (limit < Number.POSITIVE_INFINITY && leastEnd(state) >= limit) return;
    const same = open.get(state.time) ?? [];
    open.set(state.time, same);
    same.push(state);
  };
  add(start);
  while (open.size > 0) {
    const time = Math.min(...open.keys());
    const state = open.get(time)?.pop();
    if (state === undefined) {
      open.delete(time);
      continue;
    }
    if (isDone(state)) return time;
    const key = keyOf(state);
    if (seen.has(key)) continue;
    if (seen.add(key).size > most) return undefined;
    const { held, flying, free, uncopied, out, next } = state;
    const idle = uncopied.findIndex((left, rank) => left.length > 0 && free[engine(rank)] <= time);
    if (idle >= 0) {
      // Of chunks that are alike any is as good.
      const different = new Map(uncopied[idle].map((item) => [columnOf(state, item), item]));
      for (const item of different.values()) {
        const at = time + copying[idle];
        const load = [[item, items[item].holders[idle]] as const];
        const left = uncopied.map((of, rank) => (rank === idle ? of.filter((one) => one !== item) : of));
        const busy = free.with(engine(idle), at);
        add({ ...state, flying: [...flying, { at, rank: idle, load }], free: busy, uncopied: left });
      }
      continue;
    }
    // The next event: something comes, or something is free again.
    const later = Math.min(...[...flying.map(({ at }) => at), ...free, ...out].filter((at) => at > time));
    if (Number.isFinite(later)) {
      const come = flying.filter(({ at }) => at === later);
      const until = [...out];
      const changed = held.map((ofItem, item) =>
        ofItem.map((sums, rank) => {
          const known = come
            .filter((one) => one.rank === rank)
            .flatMap(({ load }) => load.filter(([of]) => of === item))
            .reduce((sums, [, bits]) => withSum(sums, bits, isOrdered), sums);
          if (isMet(item, rank, known) && !isMet(item, rank, sums))
            until[rank] = Math.max(until[rank], later) + copying[rank];
          return known;
        }),
      );
      const rest = flying.filter(({ at }) => at > later);
      add({ time: later, held: changed, flying: rest, free, uncopied, out: until, next: 0 });
    }
    for (let l = next; l < links.length; l++) {
      const { from, to, latency, bandwidth, occupancy } = links[l];
      const ports = [links.length + from, links.length + nodes.length + to];
      const scarce = [nodes[from].ports.send, nodes[to].ports.receive].map((count) => count === 1);
      if (free[l] > time || ports.some((port, side) => scarce[side] && free[port] > time)) continue;
      let loads: (readonly (readonly [number, number])[])[] = [[]];
      for (let item = 0; item < items.length; item++) {
        const soonest = time + latency + bytes / bandwidth;
        const isComing = (bits: number): boolean =>
          flying.some(
            ({ at, rank, load }) =>
              rank === to && at <= soonest && load.some(([of, sum]) => of === item && sum === bits),
          );
        const useful = held[item][from].filter((bits) => !held[item][to].includes(bits) && !isComing(bits));
        loads = loads.flatMap((load) => [load, ...useful.map((bits) => [...load, [item, bits] as const])]);
      }
      for (const load of loads) {
        if (load.length === 0) continue;
        const carrying = (load.length * bytes) / bandwidth;
        const at = time + latency + carrying;
        const busy = [...free];
        busy[l] = occupancy === 'blocking' ? at : time + carrying;
        for (const [side, port] of ports.entries()) if (scarce[side]) busy[port] = at;
        add({ ...state, flying: [...flying, { at, rank: to, load }], free: busy, next: l + 1 });
      }
    }
  }
  return Number.POSITIVE_INFINITY;
}
