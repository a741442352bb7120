/**
 * Ties a proof to its plan. Typed arrays cannot be frozen, so a proof stores a digest of every value of its plan, and whoever writes the plan
 * compares it with the digest of what is about to be written. A digest is never stored or sent, and its seeds are drawn in each thread and never
 * leave this file, so nobody can construct two plans with equal digests on purpose.
 */
import { CccError } from '../ir/diagnostic.ts';

/** A digest of 64 bits, comparable within one thread only. */
export type Seal = string;

/**
 * Returns a deep copy that shares no memory with the value, so that nobody else can change it. Every value is read exactly once, so that a getter
 * cannot give one answer to the kernel and another one to an emitter. An object that occurs in several places is copied once.
 *
 * @throws CccError 'malformed' for anything but plain objects, arrays, `Int32Array` and primitive values
 */
export function plainCopy<Value>(value: Value): Value;
export function plainCopy(value: unknown): unknown {
  return copyOf(value, new Map());
}

function copyOf(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw notPlain(`a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (ArrayBuffer.isView(value)) {
    if (!(value instanceof Int32Array)) throw notPlain('a view of memory that is no Int32Array');
    // The copy has memory of its own, even if the original views shared memory that another thread might change.
    const column = new Int32Array(value);
    copies.set(value, column);
    return column;
  }
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const element of value) list.push(copyOf(element, copies));
    return list;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw notPlain('an object of a class');
  const record: Record<string, unknown> = {};
  copies.set(value, record);
  for (const [key, field] of Object.entries(value)) record[key] = copyOf(field, copies);
  return record;
}

function notPlain(what: string): CccError {
  return new CccError('malformed', `a plan consists of plain data, and this one holds ${what}`);
}

/** Makes a value and everything that it contains immutable. It must contain no typed arrays, which cannot be frozen. */
export function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const field of Object.values(value)) deepFrozen(field);
  return value;
}

/** The digest of plain data: every key, every element and the sharing of objects make a difference. */
export function sealOf(value: unknown): Seal {
  const digest = new Digest();
  digest.add(value);
  return digest.seal();
}

const scratch = new DataView(new ArrayBuffer(8));
const secrets = new DataView(crypto.getRandomValues(new Uint8Array(16)).buffer);
const seeds = { a: secrets.getInt32(0), b: secrets.getInt32(4) };
const factors = { a: secrets.getInt32(8) | 1, b: secrets.getInt32(12) | 1 };

/** A tag comes before each value in the digest, so that values of different kinds never look alike. */
const tags = { number: 1, text: 2, known: 3, undefined: 4, null: 5, true: 6, false: 7, column: 8, list: 9, record: 10 };

/**
 * Two multiplicative hashes of 32 bits, each with a secret start and a secret odd factor. A step is a bijection of the state for each word, and a
 * bijection of the word for each state. So a single changed word always changes the digest, and several changed words do with a probability of about
 * 1 − 2⁻⁶⁴.
 */
class Digest {
  private a = seeds.a;
  private b = seeds.b;
  /** Objects and texts that have been added, numbered in that order. A later occurrence adds the number only. */
  private readonly known = new Map<unknown, number>();

  seal(): Seal {
    return `${this.a} ${this.b}`;
  }

  add(value: unknown): void {
    if (typeof value === 'number') {
      scratch.setFloat64(0, value);
      this.word(tags.number);
      this.word(scratch.getInt32(0));
      this.word(scratch.getInt32(4));
    } else if (typeof value === 'string') this.text(value);
    else if (typeof value === 'boolean') this.word(value ? tags.true : tags.false);
    else if (value === undefined) this.word(tags.undefined);
    else if (value === null) this.word(tags.null);
    else if (typeof value === 'object') this.object(value);
    else throw notPlain(`a ${typeof value}`);
  }

  private object(value: object): void {
    if (this.isKnown(value)) return;
    if (value instanceof Int32Array) {
      this.word(tags.column);
      this.word(value.length);
      this.words(value);
    } else if (Array.isArray(value)) {
      this.word(tags.list);
      this.word(value.length);
      for (const element of value) this.add(element);
    } else {
      const fields = Object.entries(value);
      this.word(tags.record);
      this.word(fields.length);
      for (const [key, field] of fields) {
        this.text(key);
        this.add(field);
      }
    }
  }

  private text(value: string): void {
    if (this.isKnown(value)) return;
    this.word(tags.text);
    this.word(value.length);
    for (let at = 0; at < value.length; at++) this.word(value.charCodeAt(at));
  }

  /** Whether a value has been added before; if so, this adds its number. */
  private isKnown(value: unknown): boolean {
    const number = this.known.get(value);
    if (number === undefined) {
      this.known.set(value, this.known.size);
      return false;
    }
    this.word(tags.known);
    this.word(number);
    return true;
  }

  private word(word: number): void {
    const a = Math.imul(this.a ^ word, factors.a);
    const b = Math.imul((this.b + word) | 0, factors.b);
    this.a = a ^ (a >>> 15);
    this.b = b ^ (b >>> 13);
  }

  /**
   * Adds several words. It repeats the code of `word` with the state in local variables, since a plan of a million operations has 17 million words.
   */
  private words(words: Int32Array): void {
    let { a, b } = this;
    const { a: factorA, b: factorB } = factors;
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? 0;
      a = Math.imul(a ^ word, factorA);
      a ^= a >>> 15;
      b = Math.imul((b + word) | 0, factorB);
      b ^= b >>> 13;
    }
    this.a = a;
    this.b = b;
  }
}
