/**
 * Exact whole-number arithmetic: every function returns a number of at most 2⁵³ − 1 in absolute value, or a text that says why there is no
 * exact result. Bit operations work on two's complement of unlimited width.
 */

/** A value, or the reason why there is none. */
export type ArithmeticResult = number | string;

const tooLarge = 'is too large: at most 2**53 - 1';

/** Returns the value if it is a safe integer. Adding 0 turns −0 into 0. */
export function exactResult(value: number): ArithmeticResult {
  return value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER ? value + 0 : tooLarge;
}

/** Division without remainder. */
export function divide(a: number, b: number): ArithmeticResult {
  if (b === 0) return 'divides by zero';
  return a % b === 0 ? a / b + 0 : 'does not divide exactly (// rounds down)';
}

/** ⌊a / b⌋. The rounded quotient of two safe integers never reaches the next integer, so the floor is right. */
export function floorDivide(a: number, b: number): ArithmeticResult {
  return b === 0 ? 'divides by zero' : Math.floor(a / b) + 0;
}

/** The remainder that goes with `floorDivide`: it has the sign of b. */
export function modulo(a: number, b: number): ArithmeticResult {
  if (b === 0) return 'divides by zero';
  const remainder = a % b;
  return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder + 0;
}

/** Powers by repeated squaring, since `**` of JavaScript is not exact for large results. */
export function power(base: number, exponent: number): ArithmeticResult {
  if (exponent < 0) return 'has a negative exponent';
  let result = 1;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square;
    if (Math.abs(result) > Number.MAX_SAFE_INTEGER) return tooLarge;
    // Beyond 2⁵³ a square is only used in a product that is too large as well.
    square = Math.min(square * square, 2 ** 60);
  }
  return result + 0;
}

export function shiftLeft(a: number, by: number): ArithmeticResult {
  if (by < 0) return 'shifts by a negative number';
  return a === 0 ? 0 : exactResult(a * 2 ** Math.min(by, 64));
}

/** A right shift, which rounds down as shifts of two's complement do. */
export function shiftRight(a: number, by: number): ArithmeticResult {
  if (by < 0) return 'shifts by a negative number';
  return Math.floor(a / 2 ** Math.min(by, 64)) + 0;
}

function fitsInt32(a: number, b: number): boolean {
  return (a | 0) === a && (b | 0) === b;
}

export function bitAnd(a: number, b: number): ArithmeticResult {
  return fitsInt32(a, b) ? a & b : exactResult(Number(BigInt(a) & BigInt(b)));
}

export function bitOr(a: number, b: number): ArithmeticResult {
  return fitsInt32(a, b) ? a | b : exactResult(Number(BigInt(a) | BigInt(b)));
}

export function bitXor(a: number, b: number): ArithmeticResult {
  return fitsInt32(a, b) ? a ^ b : exactResult(Number(BigInt(a) ^ BigInt(b)));
}

/** ⌊log₂ a⌋, exact for every safe integer. */
export function floorLog2(a: number): ArithmeticResult {
  if (a <= 0) return 'takes the logarithm of a number that is not positive';
  const upper = Math.floor(a / 2 ** 32);
  return upper > 0 ? 63 - Math.clz32(upper) : 31 - Math.clz32(a);
}

/** ⌈log₂ a⌉. */
export function ceilLog2(a: number): ArithmeticResult {
  if (a <= 0) return 'takes the logarithm of a number that is not positive';
  const floor = floorLog2(a);
  return typeof floor === 'number' && 2 ** floor < a ? floor + 1 : floor;
}

export function powerOfTwoTest(a: number): ArithmeticResult {
  if (a <= 0) return 0;
  const floor = floorLog2(a);
  return typeof floor === 'number' && 2 ** floor === a ? 1 : 0;
}

/** Bit i of a. */
export function bit(a: number, i: number): ArithmeticResult {
  if (i < 0) return 'asks for a bit below bit 0';
  const shifted = shiftRight(a, i);
  return typeof shifted === 'number' ? modulo(shifted, 2) : shifted;
}

/** The number of bits that are set. */
export function popcount(a: number): ArithmeticResult {
  if (a < 0) return 'counts the bits of a negative number';
  let count = 0;
  for (let rest = a; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}

/** The widest distance between neighbouring ones of a number in binary; 0 for fewer than two. */
export function widestGap(a: number): ArithmeticResult {
  if (a < 0) return 'looks at the bits of a negative number';
  let [widest, last] = [0, -1];
  for (let [rest, bit] = [a, 0]; rest > 0; rest = Math.floor(rest / 2), bit++) {
    if (rest % 2 === 0) continue;
    if (last >= 0) widest = Math.max(widest, bit - last);
    last = bit;
  }
  return widest;
}

export function gcd(a: number, b: number): ArithmeticResult {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
