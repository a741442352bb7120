/** Shapes beyond this many are not tried; only highly composite numbers have as many. */
const mostShapes = 1024;

/**
 * The ways to write N as a product of extents ≥ 2, in all orders, few axes first: 12 → [12], [2, 6], [3, 4], [4, 3] …
 * [2, 2, 3]. Each is the shape of a numbering of N ranks by coordinates.
 */
export function shapesOf(order: number): readonly (readonly number[])[] {
  const shapes: number[][] = [];
  const divisors = Array.from({ length: order - 1 }, (_, i) => i + 2).filter((extent) => order % extent === 0);
  const extend = (rest: number, shape: readonly number[]): void => {
    for (const extent of divisors) {
      if (shapes.length >= mostShapes) return;
      if (extent === rest) shapes.push([...shape, extent]);
      else if (rest % extent === 0) extend(rest / extent, [...shape, extent]);
    }
  };
  extend(order, []);
  return shapes.sort((a, b) => a.length - b.length);
}
