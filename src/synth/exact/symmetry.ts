/**
 * Machines that look the same from several chips. Schedules that a group of renumberings of the ranks leaves as they are need a model of a
 * fraction of the columns and rows, if all but the identity move every rank.
 */
import { shapesOf, TranslationGroup } from '../../ir/translation-group.ts';
import { maxShapes } from '../limits.ts';
import type { UnitMachine } from './machine.ts';

/** One renumbering of a machine: where ranks go, and ways with them. */
export interface Renumbering {
  readonly ranks: Int32Array;
  readonly routes: Int32Array;
}

/** The renumbering that changes nothing. */
export function identityOf({
  ranks,
  routes,
}: {
  readonly ranks: number;
  readonly routes: readonly unknown[];
}): Renumbering {
  return { ranks: Int32Array.from(Array(ranks).keys()), routes: Int32Array.from(routes.keys()) };
}

/**
 * Those translations that take ways to ways of as many units, of coordinates in the shape that has most of them; the identity is the first.
 * A line has none but its reversal, where its length is a power of two.
 */
export function freeSymmetry(machine: UnitMachine): readonly Renumbering[] {
  const { ranks } = machine;
  let best: readonly Renumbering[] = [identityOf(machine)];
  for (const extents of shapesOf(ranks, maxShapes)) {
    const group = new TranslationGroup(extents);
    const images = Array.from({ length: ranks }, (_, by) => group.images(by));
    const found = images.flatMap((image) => {
      const moved = wayImages(machine, image);
      return moved === undefined ? [] : [{ ranks: image, routes: moved }];
    });
    if (found.length > best.length) best = found;
    if (best.length === ranks) break;
  }
  return best;
}

/** Where ways go when ranks are renumbered; undefined if not to ways of as many units, or not so that links follow. */
function wayImages({ ranks, routes, units }: UnitMachine, image: Int32Array): Int32Array | undefined {
  const wayAt = new Map(routes.map(({ from, to }, way) => [from * ranks + to, way]));
  const linkImage = new Map<number, number>();
  const images = new Int32Array(routes.length);
  for (const [index, { from, to, links }] of routes.entries()) {
    const way = wayAt.get(image[from] * ranks + image[to]);
    if (way === undefined || routes[way].links.length !== links.length) return undefined;
    for (const [i, link] of links.entries()) {
      const other = routes[way].links[i];
      if (units[other] !== units[link] || (linkImage.get(link) ?? other) !== other) return undefined;
      linkImage.set(link, other);
    }
    images[index] = way;
  }
  return images;
}
