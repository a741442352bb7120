/**
 * Symmetries of a machine. If all renumberings of a group but the identity move every rank, schedules that are
 * invariant under the group need a model with a fraction of the columns and rows.
 */
import { shapesOf, TranslationGroup } from '../../ir/translation-group.ts';
import { maxShapes } from '../limits.ts';
import type { UnitMachine } from './machine.ts';

/** A renumbering of a machine: the images of ranks and routes. */
export interface Renumbering {
  readonly ranks: Int32Array;
  readonly routes: Int32Array;
}

/** The identity. */
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
 * The translations that map routes to routes of as many units, in the shape (grid coordinates) that has the most of
 * them; the identity comes first. A line has none but, if its length is a power of two, its reversal.
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

/**
 * The images of routes when ranks are renumbered; undefined if some image is no route of as many units, or links are
 * not mapped consistently.
 */
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
