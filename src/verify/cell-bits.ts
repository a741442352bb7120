/** A set of cells as a bit set, so that ranges of many cells are processed 32 at a time. */
export class CellBits {
  private readonly words: Int32Array;

  constructor(cells: number) {
    this.words = new Int32Array((cells >>> 5) + 1);
  }

  has(cell: number): boolean {
    return ((this.words[cell >>> 5] >>> (cell & 31)) & 1) === 1;
  }

  add(cell: number): void {
    this.words[cell >>> 5] |= 1 << (cell & 31);
  }

  clear(): void {
    this.words.fill(0);
  }

  /** Adds the cells from `first` to `end` − 1. */
  addRange(first: number, end: number): void {
    const { words } = this;
    if (first >= end) return;
    const last = (end - 1) >>> 5;
    let word = first >>> 5;
    let mask = from(first);
    for (; word < last; word++, mask = -1) words[word] |= mask;
    words[last] |= mask & upTo(end - 1);
  }

  /** Removes the cells from `first` to `end` − 1. */
  removeRange(first: number, end: number): void {
    const { words } = this;
    if (first >= end) return;
    const last = (end - 1) >>> 5;
    let word = first >>> 5;
    let mask = from(first);
    for (; word < last; word++, mask = -1) words[word] &= ~mask;
    words[last] &= ~(mask & upTo(end - 1));
  }

  /** Whether all cells from `first` to `end` − 1 are in the set. */
  hasRange(first: number, end: number): boolean {
    const { words } = this;
    if (first >= end) return true;
    const last = (end - 1) >>> 5;
    let word = first >>> 5;
    let mask = from(first);
    for (; word < last; word++, mask = -1) if ((words[word] & mask) !== mask) return false;
    mask &= upTo(end - 1);
    return (words[last] & mask) === mask;
  }

  /** Returns the last cell of the set at or before `cell`; there must be one. */
  lastUpTo(cell: number): number {
    const { words } = this;
    let word = cell >>> 5;
    let bits = words[word] & upTo(cell);
    while (bits === 0) bits = words[--word];
    return (word << 5) + 31 - Math.clz32(bits);
  }

  /** Returns the first cell of the set at or after `cell`; there must be one. */
  firstFrom(cell: number): number {
    const { words } = this;
    let word = cell >>> 5;
    let bits = words[word] & from(cell);
    while (bits === 0) bits = words[++word];
    return (word << 5) + 31 - Math.clz32(bits & -bits);
  }
}

/** Returns a mask of the bits from `cell` on in the cell's word. */
function from(cell: number): number {
  return -1 << (cell & 31);
}

/** Returns a mask of the bits up to `cell` in the cell's word. */
function upTo(cell: number): number {
  return -1 >>> (31 - (cell & 31));
}
