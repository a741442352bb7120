/**
 * A buffer for text that consists of fixed parts and numbers. Plans have millions of operations with about a dozen parts each; joining strings would
 * first create an object for every part and number, which takes twice as long.
 */

const zero = 0x30;
/** Maximum number of digits of a 32-bit number. */
const mostDigits = String(2 ** 32).length;
/** Number of characters that are copied at once, as one double. ASCII bytes never encode a NaN, whose bits would not be preserved. */
const wordLength = Float64Array.BYTES_PER_ELEMENT;

/** A text of ASCII characters, prepared for copying. */
export interface AsciiPart {
  /** Eight characters each. The bytes behind the last character are undefined. */
  readonly words: Float64Array;
  readonly length: number;
}

export function asciiOf(text: string): AsciiPart {
  const bytes = new Uint8Array(Math.ceil(text.length / wordLength) * wordLength);
  new TextEncoder().encodeInto(text, bytes);
  const view = viewOf(bytes);
  const words = Float64Array.from({ length: bytes.length / wordLength }, (_, word) =>
    view.getFloat64(word * wordLength, true),
  );
  return { words, length: text.length };
}

export class AsciiText {
  private readonly decoder = new TextDecoder();
  private bytes = new Uint8Array(4096);
  private view = viewOf(this.bytes);
  private used = 0;

  /** Number of characters since the last call of `take`. */
  get length(): number {
    return this.used;
  }

  add({ words, length }: AsciiPart): void {
    this.makeRoom(words.length * wordLength);
    const { view, used } = this;
    for (let word = 0; word < words.length; word++) view.setFloat64(used + word * wordLength, words[word], true);
    this.used = used + length;
  }

  /** @param value a whole number from 0 to 2³¹ − 1 */
  addNumber(value: number): void {
    this.makeRoom(mostDigits);
    const { bytes } = this;
    let digits = 1;
    for (let rest = value; rest > 9; rest = (rest / 10) | 0) digits++;
    let at = this.used + digits;
    this.used = at;
    for (let rest = value; digits > 0; digits--) {
      const high = (rest / 10) | 0;
      bytes[--at] = zero + rest - 10 * high;
      rest = high;
    }
  }

  /** Returns the text so far and begins a new one. */
  take(): string {
    const text = this.decoder.decode(this.bytes.subarray(0, this.used));
    this.used = 0;
    return text;
  }

  private makeRoom(characters: number): void {
    if (this.used + characters <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.used + characters));
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
