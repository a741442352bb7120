/**
 * Machines that look the same from several chips. Renumberings of the ranks that take ways to ways of the same width are the machine's
 * automorphisms; a group of them acts freely if all but the identity move every rank. Schedules that such a group leaves as they are
 * need a model of a fraction of the columns and rows.
 */
import type { UnitMachine } from './machine.ts';

/** One renumbering of a machine: where ranks go, and ways with them. */
export interface Renumbering {
  readonly ranks: Int32Array;
  readonly ways: Int32Array;
}

/** Assignments that the search for renumberings may try, for each image of rank 0. */
const work = 4000;
/** Renumberings that are kept for each, and from which a group is started. */
const mostKept = 24;

/**
 * A group of renumberings that acts freely, as large as a short search finds; the identity is the first.
 *
 * Larger groups grow from renumberings that come back to the identity late, so those are tried first.
 */
export function freeSymmetry(machine: UnitMachine): readonly Renumbering[] {
  const candidates = renumberingsOf(machine);
  const cycles = candidates
    .map((ranks) => ({ ranks, group: generated(identity(machine.ranks), [ranks]) }))
    .filter(({ group }) => group !== undefined)
    .sort((a, b) => (b.group?.length ?? 0) - (a.group?.length ?? 0));
  let best: readonly Int32Array[] = [identity(machine.ranks)];
  for (const { group } of cycles.slice(0, mostKept)) {
    let grown = group ?? best;
    for (const { ranks } of cycles) {
      if (grown.length === machine.ranks) break;
      if (grown.some((element) => element[0] === ranks[0])) continue;
      grown = generated(identity(machine.ranks), [...grown, ranks]) ?? grown;
    }
    if (grown.length > best.length) best = grown;
    if (best.length === machine.ranks) break;
  }
  return best.map((ranks) => ({ ranks, ways: wayImages(machine, ranks) ?? identity(machine.ways.length) }));
}

/** The renumbering that changes nothing. */
export function identityOf({ ranks, ways }: Pick<UnitMachine, 'ranks' | 'ways'>): Renumbering {
  return { ranks: identity(ranks), ways: identity(ways.length) };
}

function identity(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, index) => index);
}

/**
 * The group that renumberings generate, undefined if it does not act freely. Two elements of one that does are the same when they
 * agree on rank 0, so that it has no more elements than there are ranks.
 */
function generated(start: Int32Array, generators: readonly Int32Array[]): readonly Int32Array[] | undefined {
  const elements = new Map([[0, start]]);
  const queue = [start];
  for (const element of queue) {
    for (const generator of generators) {
      const product = element.map((rank) => generator[rank]);
      const known = elements.get(product[0]);
      if (known === undefined) {
        if (product.some((image, rank) => image === rank)) return undefined;
        elements.set(product[0], product);
        queue.push(product);
      } else if (product.some((image, rank) => image !== known[rank])) return undefined;
    }
  }
  return queue;
}

/** Renumberings that move every rank: some for every image of rank 0. */
function renumberingsOf(machine: UnitMachine): readonly Int32Array[] {
  const found: Int32Array[] = [];
  const alike = kindsOfPairs(machine);
  for (let image = 1; image < machine.ranks; image++) found.push(...renumberingsTo(image, machine, alike));
  return found;
}

/** `kinds[a · N + b]`: how far it is from a to b, and the widths of the links on the way between them if there is one. */
function kindsOfPairs({ ranks, ways, units, distance }: UnitMachine): Int32Array {
  const names = new Map<string, number>();
  const numberOf = (name: string): number => {
    const known = names.get(name) ?? names.size;
    names.set(name, known);
    return known;
  };
  const kinds = new Int32Array(ranks * ranks);
  for (let a = 0; a < ranks; a++) for (let b = 0; b < ranks; b++) kinds[a * ranks + b] = numberOf(`${distance[a][b]}`);
  for (const { from, to, links } of ways) {
    kinds[from * ranks + to] = numberOf(`way ${links.map((link) => units[link]).join(' ')}`);
  }
  return kinds;
}

/** Renumberings that take rank 0 to `first`, by trying images rank by rank; likely ones first, which are shifts of the numbers. */
function renumberingsTo(first: number, machine: UnitMachine, kinds: Int32Array): readonly Int32Array[] {
  const { ranks } = machine;
  const image = new Int32Array(ranks).fill(-1);
  const used = new Uint8Array(ranks);
  const found: Int32Array[] = [];
  let tried = 0;
  const fits = (rank: number, to: number): boolean => {
    if (rank === to || used[to] === 1) return false;
    for (let other = 0; other < rank; other++) {
      if (kinds[rank * ranks + other] !== kinds[to * ranks + image[other]]) return false;
      if (kinds[other * ranks + rank] !== kinds[image[other] * ranks + to]) return false;
    }
    return true;
  };
  const assign = (rank: number): void => {
    if (rank === ranks) {
      const complete = image.slice();
      if (wayImages(machine, complete) !== undefined) found.push(complete);
      return;
    }
    for (const to of rank === 0 ? [first] : likelyImages(rank, first, ranks)) {
      if (found.length >= mostKept || tried >= work) return;
      tried++;
      if (!fits(rank, to)) continue;
      [image[rank], used[to]] = [to, 1];
      assign(rank + 1);
      used[to] = 0;
    }
  };
  assign(0);
  return found;
}

function likelyImages(rank: number, by: number, ranks: number): ReadonlySet<number> {
  const bitwise = rank ^ by;
  const likely = bitwise < ranks ? [(rank + by) % ranks, bitwise] : [(rank + by) % ranks];
  return new Set([...likely, ...Array.from({ length: ranks }, (_, to) => to)]);
}

/** Where ways go when ranks are renumbered; undefined if not to ways of the same kind, or not so that links follow one to one. */
function wayImages({ ranks, ways, units }: UnitMachine, image: Int32Array): Int32Array | undefined {
  const wayAt = new Map(ways.map(({ from, to }, way) => [from * ranks + to, way]));
  const linkImage = new Map<number, number>();
  const taken = new Map<number, number>();
  const images = new Int32Array(ways.length);
  for (const [index, way] of ways.entries()) {
    const to = wayAt.get(image[way.from] * ranks + image[way.to]);
    if (to === undefined || ways[to].links.length !== way.links.length) return undefined;
    for (const [i, link] of way.links.entries()) {
      const other = ways[to].links[i];
      if (units[other] !== units[link]) return undefined;
      if ((linkImage.get(link) ?? other) !== other || (taken.get(other) ?? link) !== link) return undefined;
      linkImage.set(link, other);
      taken.set(other, link);
    }
    images[index] = to;
  }
  return images;
}
