/**
 * The abelian group of the translations of a machine that looks the same from every chip. Ranks are mixed-radix coordinates, last axis fastest, and
 * are added axis by axis modulo the extents. A translation is represented by the rank to which it maps rank 0.
 */
import { intAt, itemAt } from './indexing.ts';
export class TranslationGroup {
  /** Extents of the axes. */
  readonly shape: readonly number[];
  /** N: the number of elements, and of ranks. */
  readonly order: number;
  /** `strides[axis]`: how far apart neighbours on the axis are in rank numbers; also the translation by one along it. */
  readonly strides: readonly number[];

  constructor(shape: readonly number[]) {
    const strides: number[] = [];
    let order = 1;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      strides[axis] = order;
      order *= itemAt(shape, axis);
    }
    this.shape = shape;
    this.order = order;
    this.strides = strides;
  }

  /** The coordinate of a rank on an axis. */
  coordinate(rank: number, axis: number): number {
    return Math.floor(rank / itemAt(this.strides, axis)) % itemAt(this.shape, axis);
  }

  /** a ⊕ b: the image of rank a under the translation by b. */
  add(a: number, b: number): number {
    let sum = 0;
    let [restA, restB] = [a, b];
    for (let axis = this.shape.length - 1; axis >= 0; axis--) {
      const extent = itemAt(this.shape, axis);
      // On the first axis the remaining quotient is itself the coordinate.
      const [highA, highB] = axis === 0 ? [0, 0] : [Math.floor(restA / extent), Math.floor(restB / extent)];
      const coordinate = restA - highA * extent + (restB - highB * extent);
      sum += itemAt(this.strides, axis) * (coordinate >= extent ? coordinate - extent : coordinate);
      [restA, restB] = [highA, highB];
    }
    return sum;
  }

  /** ⊖a: the translation that maps rank a to rank 0. */
  negate(a: number): number {
    let result = 0;
    for (let axis = this.shape.length - 1, rest = a; axis >= 0; axis--) {
      const extent = itemAt(this.shape, axis);
      const high = Math.floor(rest / extent);
      const coordinate = rest - high * extent;
      if (coordinate > 0) result += itemAt(this.strides, axis) * (extent - coordinate);
      rest = high;
    }
    return result;
  }

  /** By rank, its image under the translation by b. */
  images(b: number): Int32Array {
    const images = new Int32Array(this.order);
    for (let axis = 0; axis < this.shape.length; axis++) {
      const extent = itemAt(this.shape, axis);
      const stride = itemAt(this.strides, axis);
      const by = this.coordinate(b, axis);
      for (let a = 0, at = 0, left = stride; a < images.length; a++) {
        images[a] = intAt(images, a) + stride * (at + by < extent ? at + by : at + by - extent);
        if (--left > 0) continue;
        left = stride;
        if (++at === extent) at = 0;
      }
    }
    return images;
  }

  /** The translation by b, a ↦ a ⊕ b, as a function that visits only the axes on which b is not 0. */
  translation(b: number): (a: number) => number {
    const axes = this.shape
      .map((extent, axis) => ({ stride: itemAt(this.strides, axis), extent, by: this.coordinate(b, axis) }))
      .filter(({ by }) => by > 0)
      // From a certain coordinate on, the addition wraps and the rank number decreases; coordinates of an axis repeat every `span` ranks.
      .map(({ stride, extent, by }) => {
        return {
          span: stride * extent,
          wrapping: stride * (extent - by),
          on: stride * by,
          back: stride * (by - extent),
        };
      });
    const [only] = axes;
    if (axes.length === 1 && only !== undefined) {
      const { span, wrapping, on, back } = only;
      return (a) => a + (a % span >= wrapping ? back : on);
    }
    return (a) => {
      let sum = a;
      for (const { span, wrapping, on, back } of axes) sum += a % span >= wrapping ? back : on;
      return sum;
    };
  }
}

/**
 * All factorisations of N into extents of at least 2, in every order, those with few axes first: 12 → [12], [2, 6], [3, 4], [4, 3], [6, 2], [2, 2, 3]
 * … Each is the shape of a numbering of N ranks by coordinates.
 *
 * @param most max number of results: highly composite numbers have very many factorisations
 */
export function* shapesOf(order: number, most = Number.POSITIVE_INFINITY): Iterable<readonly number[]> {
  let left = most;
  for (let axes = 0; 2 ** axes <= order; axes++) {
    for (const shape of shapesWith(axes, order)) {
      if (left-- <= 0) return;
      yield shape;
    }
  }
}

function* shapesWith(axes: number, order: number): Iterable<readonly number[]> {
  if (axes === 0 && order === 1) yield [];
  if (axes === 1 && order > 1) yield [order];
  if (axes < 2) return;
  for (let extent = 2; extent <= order / 2 ** (axes - 1); extent++) {
    if (order % extent !== 0) continue;
    for (const rest of shapesWith(axes - 1, order / extent)) yield [extent, ...rest];
  }
}
