/**
 * Quantities carry their unit in their type's name. They are plain numbers (double precision), so that the
 * cost model can compute with them freely; parsing and printing of units, and of counts, lives here and nowhere else.
 */
import { itemAt } from './indexing.ts';

/** A duration in seconds. */
export type Seconds = number;
/** An amount of data in bytes. Shares of a message may be fractions of a byte in the model, as M/(N·C) is. */
export type Bytes = number;
/** A rate in bytes per second: the bandwidth β of a link, the throughput γ of a reduce engine. */
export type BytesPerSecond = number;

/**
 * Two quantities are taken as equal if they differ by less than this fraction of themselves: far more than rounding errors, and far less than a
 * difference that matters.
 */
export const rounding = 1e-9;

/** Relative error of sums of many doubles: sums that differ by less than this fraction are equal in exact arithmetic. */
export const sumError = 1e-12;

/**
 * Amounts (of a unit, a share or a time) below this are treated as zero: conversions and solvers of linear programs are off by as much, so that such
 * an amount is no reason to prefer anything.
 */
export const noticeable = 1e-6;

/** Max duration that is accepted: products of longer times with bytes and rates would overflow. */
export const longestTime: Seconds = 1e250;

/** Buffers begin at multiples of a cache line. */
export const cacheLine: Bytes = 64;

/** The message size M if the user gives none. */
export const defaultMessageSize: Bytes = 64 * 2 ** 20;

/**
 * Scale factors by unit symbol. A map rather than an object, because user input such as `constructor` would find inherited properties of an object.
 */
function unitsOf(units: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(Object.entries(units));
}

const timeUnits = unitsOf({
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ns: 1e-9,
  ps: 1e-12,
});

const byteUnits = unitsOf({
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  PB: 1e15,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  PiB: 2 ** 50,
});

/** Powers of 1024 without a letter for bytes, as nccl-tests and the OSU benchmarks take them. */
const binaryPrefixes = unitsOf({ k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 });

const bitUnits = unitsOf({
  ...{ bit: 1, kbit: 1e3, Mbit: 1e6, Gbit: 1e9, Tbit: 1e12 },
  ...{ b: 1, kb: 1e3, Kb: 1e3, Mb: 1e6, Gb: 1e9, Tb: 1e12 },
});

const quantity = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\s\d]*(?:\/s)?)\s*$/u;

/** Why a text is not the quantity that was asked for; `expected` completes the sentence "expected …". */
export interface QuantityError {
  readonly expected: string;
}

/** The result of reading a quantity: its value in base units, or what was expected instead. */
export type QuantityResult = { readonly value: number } | QuantityError;

function parseWith(text: string, expected: string, scaleOf: (unit: string) => number | undefined): QuantityResult {
  const match = quantity.exec(text);
  if (match === null) return { expected };
  const [, digits = '', unit = ''] = match;
  const scale = scaleOf(unit);
  if (scale === undefined) return { expected };
  // Dividing by an exact power of ten rounds once; multiplying by 1e-6 would round twice (0.55 us ≠ 0.55·1e-6).
  const number = Number(digits);
  const value = scale < 1 ? number / Math.round(1 / scale) : number * scale;
  return Number.isFinite(value) ? { value } : { expected };
}

/** Reads a duration with its unit, e.g. `0.55 us`, `2ms`; a bare 0 needs none. */
export function parseSeconds(text: string): QuantityResult {
  const expected = 'a duration with a unit, such as 0.55 us (ps, ns, us, ms, s)';
  return parseWith(text, expected, (unit) => (unit === '' && Number.parseFloat(text) === 0 ? 1 : timeUnits.get(unit)));
}

/** Reads an amount of data, e.g. `64MiB`, `1 KB`, `1G`, `512` (bytes). GB = 10⁹, GiB = G = 2³⁰. */
export function parseBytes(text: string): QuantityResult {
  const expected = 'an amount of data, such as 4096, 64KiB, 1 GB or 1G = 1 GiB (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)';
  return parseWith(text, expected, (unit) =>
    unit === '' ? 1 : (byteUnits.get(unit) ?? binaryPrefixes.get(unit.toLowerCase())),
  );
}

/** Reads a rate, e.g. `64 GB/s`, `50GiB/s`, `400 Gbit/s`, `200 Gb/s`, `200Gbps`: b is a bit, B a byte. */
export function parseBytesPerSecond(text: string): QuantityResult {
  const expected = 'a rate, such as 64 GB/s, 50 GiB/s or 400 Gb/s (bits)';
  return parseWith(text, expected, (unit) => {
    const amount = /^(.+)(?:\/s|ps)$/u.exec(unit)?.[1];
    if (amount === undefined) return undefined;
    const bits = bitUnits.get(amount);
    return byteUnits.get(amount) ?? (bits === undefined ? undefined : bits / 8);
  });
}

/** Four significant digits of a value in the unit that keeps it readable; each unit is `base` of the one before it. */
function inUnits(value: number, base: number, units: readonly string[]): string {
  const digits = (power: number): number => Number((value / base ** power).toPrecision(4));
  let power = 0;
  while (power < units.length - 1 && Math.abs(digits(power)) >= base) power++;
  return `${digits(power)} ${itemAt(units, power)}`;
}

/** Prints a duration in the unit that keeps it readable, to four significant digits: `394.3 µs`. */
export function formatSeconds(seconds: Seconds): string {
  return seconds === 0 ? '0 s' : inUnits(seconds / 1e-12, 1000, ['ps', 'ns', 'µs', 'ms', 's']);
}

/** Prints an amount of data in binary units: `64 MiB`, `1.5 KiB`, `12 B`. */
export function formatBytes(bytes: Bytes): string {
  return inUnits(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']);
}

/** Prints a rate in decimal units, as link speeds are quoted: `64 GB/s`. */
export function formatBytesPerSecond(rate: BytesPerSecond): string {
  if (rate === Number.POSITIVE_INFINITY) return 'unlimited';
  return inUnits(rate, 1000, ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s']);
}

/** Prints a number of things: `1 chip`, `8 chips`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
