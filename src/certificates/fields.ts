/** Reads the numbers of a certificate from untrusted JSON: each is checked to be finite and in range before it is used. */
import type { Direction } from '../ir/certificate.ts';
import { longestTime } from '../ir/units.ts';

/** Thrown if a field is missing, of the wrong type or out of range; `judgeWitness` turns it into the verdict `refused`. */
export class Unreadable extends Error {}

/** Max length of a link in a witness: products of lengths with bytes and rates stay finite. */
const longest = 1e9;

/**
 * Reads what all certificates share: kind, seconds and witness. Undefined for a value without a kind that `isKind` accepts.
 * @throws Unreadable if `seconds` or the witness is malformed
 */
export function claimFrom<Kind extends string>(value: unknown, isKind: (kind: string) => kind is Kind) {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  const { kind } = value;
  if (typeof kind !== 'string' || !isKind(kind)) return undefined;
  const seconds = new WitnessFields(value).number('seconds', 0, longestTime);
  return { kind, seconds, fields: new WitnessFields('witness' in value ? value.witness : undefined) };
}

export class WitnessFields {
  private readonly record: Readonly<Record<string, unknown>>;

  constructor(witness: unknown) {
    if (typeof witness !== 'object' || witness === null) throw new Unreadable('a witness is an object');
    this.record = Object.fromEntries(Object.entries(witness));
  }

  number(name: string, least: number, most: number): number {
    return numberFrom(this.record[name], name, least, most);
  }

  /** A whole number from 0 to `count` − 1. */
  index(name: string, count: number): number {
    return indexFrom(this.record[name], name, count);
  }

  /** Distinct whole numbers from 0 to `count` − 1. */
  indices(name: string, count: number): readonly number[] {
    const list = this.list(name, count).map((item) => indexFrom(item, name, count));
    if (new Set(list).size !== list.length) throw new Unreadable(`"${name}" says the same twice`);
    return list;
  }

  numbers(name: string, mostItems: number, most: number): readonly number[] {
    return this.list(name, mostItems).map((item) => numberFrom(item, name, 0, most));
  }

  /** The field `lengths`: one length for each link. */
  lengths(links: number): readonly number[] {
    const lengths = this.numbers('lengths', links, longest);
    if (lengths.length !== links) throw new Unreadable(`"lengths" has one for each of ${links} links`);
    return lengths;
  }

  direction(): Direction {
    const { direction } = this.record;
    if (direction !== 'out' && direction !== 'in') throw new Unreadable('"direction" is "out" or "in"');
    return direction;
  }

  private list(name: string, most: number): readonly unknown[] {
    const list = this.record[name];
    if (!Array.isArray(list) || list.length > most) throw new Unreadable(`"${name}" has ${most} items at most`);
    return list;
  }
}

function numberFrom(value: unknown, name: string, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new Unreadable(`"${name}" is from ${least} to ${most}`);
}

function indexFrom(value: unknown, name: string, count: number): number {
  const index = numberFrom(value, name, 0, count - 1);
  if (!Number.isInteger(index)) throw new Unreadable(`"${name}" is a whole number`);
  return index;
}
