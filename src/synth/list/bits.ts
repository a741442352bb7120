/** Sets of items as rows of 32-bit words. */

/** The number of bits that are set in a word (Warren, "Hacker's Delight", 2nd ed., 5–1). */
export function bitCount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The index of the lowest bit that is set; not defined for 0. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The index of the highest bit that is set; −1 for 0. */
export function highestBit(word: number): number {
  return 31 - Math.clz32(word);
}
