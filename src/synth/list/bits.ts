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

/** Bits 0, 2ˢ, 2 · 2ˢ … of a word, by s. */
const blockStarts = [-1, 0x55555555, 0x11111111, 0x01010101, 0x00010001, 1] as const;

/** The first bit of each block of 2ˢ bits, counted from bit 0, that are all set; s up to 5. */
export function wholeBlocks(word: number, s: number): number {
  let set = word;
  for (let length = 1; length < 1 << s; length *= 2) set &= set >>> length;
  return set & blockStarts[s];
}

/** How many bits in a row are set from bit `first` on, which is. */
export function runLength(word: number, first: number): number {
  const end = ~(word >>> first);
  return end === 0 ? 32 : lowestBit(end);
}
