/**
 * Dimension-ordered paths of an alltoall on rings, tori and hypercubes: each item takes the shorter direction along one
 * axis after the other. The parts of a shard use different orders of the axes, so that all axes are busy at once; ties
 * between directions are split. On equal extents every link carries the same amount in every step, for as many steps as
 * the diameter: both the steps and the bytes per link are minimal.
 */
import type { StagedRoutes } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';

/** One axis along which chips have links to their neighbours. */
export interface Axis {
  readonly extent: number;
  /** Difference of the rank numbers of neighbours. */
  readonly stride: number;
  /** Indices of the generators one place up and one place down; equal if the extent is 2. */
  readonly up: number;
  readonly down: number;
}

/**
 * The axes of a machine whose generators are exactly one place up and down along each; undefined for other machines.
 */
export function axesOf(
  { shape, strides }: TranslationGroup,
  generators: readonly { readonly offset: number }[],
): readonly Axis[] | undefined {
  const axes: Axis[] = [];
  for (const [axis, extent] of shape.entries()) {
    if (extent === 1) continue;
    const stride = strides[axis];
    const [up, down] = [stride, stride * (extent - 1)].map((to) => generators.findIndex(({ offset }) => offset === to));
    if (up < 0 || down < 0) return undefined;
    axes.push({ extent, stride, up, down });
  }
  const used = new Set(axes.flatMap(({ up, down }) => [up, down]));
  return used.size === generators.length ? axes : undefined;
}

/**
 * Number of parts of a shard: one per order of the axes, times two if half of a ring is equally far in both directions.
 */
export function partsFor(axes: readonly Axis[]): number {
  return axes.length === 1 && axes[0].extent > 2 && axes[0].extent % 2 === 0 ? 2 : axes.length;
}

/** The axis of each stage. Shards that are not divided use different orders of the axes themselves. */
export function alongAxes({ order }: TranslationGroup, axes: readonly Axis[], parts: number): StagedRoutes {
  const items = order * parts;
  const stages = axes.map(() => {
    return { generator: new Int8Array(items).fill(-1), hops: new Int32Array(items) };
  });
  for (let rank = 1; rank < order; rank++) {
    const places = axes.map(({ stride, extent }) => Math.floor(rank / stride) % extent);
    const sum = places.reduce((total, place) => total + place, 0);
    for (let part = 0; part < parts; part++) {
      const item = rank * parts + part;
      const first = (parts === 1 ? sum : part) % axes.length;
      axes.forEach((_, stage) => {
        const axis = (first + stage) % axes.length;
        const { extent, up, down } = axes[axis];
        const place = places[axis];
        if (place === 0) return;
        // Ties between the two directions alternate.
        const isUp = 2 * place === extent ? (sum - place + part) % 2 === 0 : 2 * place < extent;
        stages[stage].generator[item] = isUp ? up : down;
        stages[stage].hops[item] = isUp ? place : extent - place;
      });
    }
  }
  return { parts, stages };
}
