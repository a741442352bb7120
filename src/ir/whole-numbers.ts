/** Arithmetic of whole numbers that several folders need. */

/** The greatest common divisor of non-negative numbers; gcd(a, 0) = a. Terminates for NaN, too. */
export function greatestCommonDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return x;
}

/** The least common multiple of positive numbers. */
export function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b;
}
