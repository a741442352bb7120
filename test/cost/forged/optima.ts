/**
 * The least time of a collective in whole chunks on a tiny machine, by trying everything: at every instant any link and ports that are free
 * may start a message of any of the chunks, or of the partial sums, that its sender has by then; or everybody waits for the next event.
 * It shares nothing with the simulator, the engines or the bounds. Local work is free, links have one hop.
 */
import type { Collective } from '../../../src/ir/collective.ts';
import type { Topology } from '../../../src/ir/topology.ts';

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
  /** When each link, sending port and receiving port is free again. */
  readonly free: readonly number[];
  /** Links before this one have had their chance at this instant. */
  readonly next: number;
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

/** @param most states that are looked at @returns seconds; undefined for what is not looked at, or takes more states */
export function optimum(collective: Collective, topology: Topology, size: number, chunks: number, most: number) {
  const asked = itemsOf(collective, chunks);
  if (asked === undefined) return undefined;
  const { items, share } = asked;
  const { links, nodes } = topology;
  const isOrdered = collective.ordered;
  const isDone = ({ held }: State): boolean =>
    items.every(({ wanted }, item) => wanted.every((bits, rank) => bits === 0 || held[item][rank].includes(bits)));
  const keyOf = ({ time, held, flying, free, next }: State): string =>
    JSON.stringify([
      held,
      flying.map((one) => [one.at - time, one.rank, one.load]),
      free.map((at) => Math.max(0, at - time)),
      next,
    ]);
  const start: State = {
    ...{ time: 0, flying: [], next: 0, free: new Array(links.length + 2 * nodes.length).fill(0) },
    held: items.map(({ holders }) => holders.map((bits) => (bits === 0 ? [] : [bits]))),
  };
  /** By time the states that are known, not yet looked at. */
  const open = new Map<number, State[]>([[0, [start]]]);
  const seen = new Set<string>();
  const add = (state: State): void => {
    const same = open.get(state.time) ?? [];
    open.set(state.time, same);
    same.push(state);
  };
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
    const { held, flying, free, next } = state;
    // The next event: something comes, or something is free again.
    const later = Math.min(...[...flying.map(({ at }) => at), ...free].filter((at) => at > time));
    if (Number.isFinite(later)) {
      const come = flying.filter(({ at }) => at === later);
      const changed = held.map((ofItem, item) =>
        ofItem.map((sums, rank) =>
          come
            .filter((one) => one.rank === rank)
            .flatMap(({ load }) => load.filter(([of]) => of === item))
            .reduce((known, [, bits]) => withSum(known, bits, isOrdered), sums),
        ),
      );
      add({ time: later, held: changed, flying: flying.filter(({ at }) => at > later), free, next: 0 });
    }
    for (let l = next; l < links.length; l++) {
      const { from, to, latency, bandwidth, occupancy } = links[l];
      const ports = [links.length + from, links.length + nodes.length + to];
      const scarce = [nodes[from].ports.send, nodes[to].ports.receive].map((count) => count === 1);
      if (free[l] > time || ports.some((port, side) => scarce[side] && free[port] > time)) continue;
      let loads: (readonly (readonly [number, number])[])[] = [[]];
      for (let item = 0; item < items.length; item++) {
        const useful = held[item][from].filter((bits) => !held[item][to].includes(bits));
        loads = loads.flatMap((load) => [load, ...useful.map((bits) => [...load, [item, bits] as const])]);
      }
      for (const load of loads) {
        if (load.length === 0) continue;
        const bytes = load.length * share * size;
        const at = time + latency + bytes / bandwidth;
        const busy = [...free];
        busy[l] = occupancy === 'blocking' ? at : time + bytes / bandwidth;
        for (const [side, port] of ports.entries()) if (scarce[side]) busy[port] = at;
        add({ time, held, flying: [...flying, { at, rank: to, load }], free: busy, next: l + 1 });
      }
    }
  }
  return undefined;
}
