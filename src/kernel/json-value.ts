/** A value of a parsed JSON document together with its place in it, so that a refusal can say where what was expected is not there. */
import { isWhole, Refusal } from './refusal.ts';

export class JsonValue {
  private readonly value: unknown;
  /** The object or list that the value is in, and its key or index there. */
  private readonly parent: JsonValue | undefined;
  private readonly key: string | number;

  constructor(value: unknown, key: string | number, parent?: JsonValue) {
    this.value = value;
    this.key = key;
    this.parent = parent;
  }

  /** The place of the value, such as `plan.programs[0].rank`. */
  get path(): string {
    if (this.parent === undefined) return String(this.key);
    return typeof this.key === 'number' ? `${this.parent.path}[${this.key}]` : `${this.parent.path}.${this.key}`;
  }

  /** A field of an object. Only the object's own fields count; one that is not there is a missing value. */
  field(name: string): JsonValue {
    this.check(isObject(this.value), 'an object');
    return new JsonValue(Object.hasOwn(this.value, name) ? this.value[name] : undefined, name, this);
  }

  /** The entries of a list. */
  items(): readonly JsonValue[] {
    const { value } = this;
    this.check(isList(value), 'a list');
    return value.map((item, i) => new JsonValue(item, i, this));
  }

  /** The result of reading the value, or `missing` if there is none. */
  or<Read, Missing>(missing: Missing, read: (value: JsonValue) => Read): Read | Missing {
    return this.value === undefined ? missing : read(this);
  }

  is(expected: unknown): boolean {
    return this.value === expected;
  }

  integer(): number {
    const { value } = this;
    this.check(isWhole(value, Number.MIN_SAFE_INTEGER), 'a whole number');
    return value;
  }

  /** A whole number that has a place in the columns of a plan. */
  int32(): number {
    const { value } = this;
    this.check(isWhole(value, -(2 ** 31), 2 ** 31 - 1), 'a whole number of 32 bits');
    return value;
  }

  text(): string {
    const { value } = this;
    this.check(typeof value === 'string', 'a text');
    return value;
  }

  boolean(): boolean {
    const { value } = this;
    this.check(typeof value === 'boolean', 'true or false');
    return value;
  }

  integers(): readonly number[] {
    return this.items().map((item) => item.integer());
  }

  /** The index of the value in a list of what it may be. */
  among(known: readonly unknown[]): number {
    const index = known.indexOf(this.value);
    this.check(index >= 0, `one of ${known.join(', ')}`);
    return index;
  }

  /** States what the value has to be. @throws Refusal */
  check(holds: boolean, expected: string): asserts holds {
    if (!holds) throw new Refusal('malformed', `${this.path} is not ${expected}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
