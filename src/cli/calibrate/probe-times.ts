/**
 * Derives first estimates from the times of probes: the size at which MPI switches from short to long messages, and how fast a process adds and
 * copies.
 */
import { type FittedLine, lineThrough, type MeasuredTime, median, timeOn } from '../../calibrate/index.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../../ir/units.ts';

/** A plan that is measured to determine parameters. */
export interface Probe {
  readonly name: string;
  readonly schedule: string;
  /** Number of hops in sequence. */
  readonly hops: number;
  /** Number of equal parts (messages) into which the data is divided. */
  readonly messages: number;
  /** Number of additions in sequence. */
  readonly sums: number;
  /** Whether the plan runs in place; out of place every rank copies its own part. */
  readonly inPlace: boolean;
}

export interface ProbeTime {
  readonly probe: Probe;
  /** M in bytes. */
  readonly size: Bytes;
  readonly seconds: Seconds;
}

/** Short and long messages have different costs, since MPI sends them by different protocols (eager and rendezvous). */
export interface Regimes {
  readonly longestShort: Bytes;
  /** Time of a hop as a function of bytes. */
  readonly short: FittedLine;
  readonly long: FittedLine;
}

/** Two lines are used in place of one only if their error is less than this fraction of the single line's error. */
const worthTwo = 1 / 2;
/** A mean relative error of a line up to this is noise. */
const noise = 0.01;
/** Smallest number of sizes to which a line is fitted: fewer points determine no line. */
const leastSizes = 2;

/** Returns the minimum time of each probe and size, since other load on a machine only adds time. */
function leastOf(times: readonly ProbeTime[]): readonly ProbeTime[] {
  const least = new Map<string, ProbeTime>();
  for (const time of times) {
    const key = `${time.probe.name} ${time.size}`;
    const known = least.get(key);
    if (known === undefined || time.seconds < known.seconds) least.set(key, time);
  }
  return [...least.values()];
}

/** Returns the time of one hop of a single message by ascending size: the minimum over the probes that send one message at a time. */
function hopsOf(times: readonly ProbeTime[]): readonly MeasuredTime[] {
  const bySize = new Map<Bytes, Seconds>();
  for (const { probe, size, seconds } of times) {
    if (probe.messages !== 1 || probe.sums > 0) continue;
    bySize.set(size, Math.min(seconds / probe.hops, bySize.get(size) ?? Number.POSITIVE_INFINITY));
  }
  return [...bySize].sort(([a], [b]) => a - b).map(([size, seconds]) => ({ size, seconds }));
}

/**
 * Fits two lines a + bn to the times of hops, one for short and one for long messages; returns undefined if they are not much better than one line.
 */
export function regimesOf(times: readonly ProbeTime[]): Regimes | undefined {
  const hops = hopsOf(times);
  const cuts = hops.slice(leastSizes - 1, -leastSizes).map((_, index) => {
    const [short, long] = [hops.slice(0, index + leastSizes), hops.slice(index + leastSizes)];
    return { short, long, miss: missOf(short) + missOf(long) };
  });
  const [best] = cuts.sort((a, b) => a.miss - b.miss);
  if (best === undefined || best.miss + noise * hops.length >= worthTwo * missOf(hops)) return undefined;
  const longestShort = best.short[best.short.length - 1].size;
  return { longestShort, short: lineThrough(best.short), long: lineThrough(best.long) };
}

/** Returns the error of the best single line: Σ |log(measured / predicted)|. */
function missOf(hops: readonly MeasuredTime[]): number {
  const line = lineThrough(hops);
  return hops.reduce((sum, { size, seconds }) => sum + Math.abs(Math.log(seconds / timeOn(line, size))), 0);
}

/** The excess time of a probe counts as time of additions or copies only if it is more than this fraction of the probe's time. */
const tellsOfWork = 1 / 10;

/** Returns how many bytes per second a process adds: the median over the probes' times beyond their hops, or undefined if there is no such excess. */
export function throughputOf(times: readonly ProbeTime[]): BytesPerSecond | undefined {
  const hops = new Map(hopsOf(times).map(({ size, seconds }) => [size, seconds]));
  const rates = leastOf(times).flatMap(({ probe, size, seconds }) => {
    const hop = hops.get(size);
    const adding = probe.sums === 0 || hop === undefined ? 0 : seconds - probe.hops * hop;
    return adding > tellsOfWork * seconds ? [(probe.sums * size) / adding] : [];
  });
  return rates.length === 0 ? undefined : median(rates);
}

/**
 * Returns how many bytes per second a process copies, from the difference between probes out of place and in place; undefined if there is none. It is
 * the minimum over the sizes, which is the rate of long copies that do not fit the caches: where copies matter, these take most of the time.
 */
export function copyingOf(times: readonly ProbeTime[], ranks: number): BytesPerSecond | undefined {
  const least = leastOf(times);
  const rates = least.flatMap(({ probe, size, seconds }) => {
    const same = least.find(
      (each) => each.size === size && each.probe.inPlace && each.probe.messages === probe.messages,
    );
    const copying = probe.inPlace || same === undefined ? 0 : seconds - same.seconds;
    return copying > tellsOfWork * seconds ? [size / ranks / copying] : [];
  });
  return rates.length === 0 ? undefined : Math.min(...rates);
}

/** Writes the times for `ccc calibrate`; the plans are files in the same folder. */
export function probedCsv(times: readonly ProbeTime[]): string {
  const rows = leastOf(times).map(({ probe, size, seconds }) => `${probe.name}.json,,${size},${seconds}`);
  return `${['plan,protocol,size,seconds', ...rows].join('\n')}\n`;
}

/** What the probes' times show directly; undefined where they show nothing. */
export interface ReportedTimes {
  readonly regimes: Regimes | undefined;
  readonly adding: BytesPerSecond | undefined;
  readonly copying: BytesPerSecond | undefined;
}

/** Writes the topology file with which the fit starts: every two processes are joined by a link of their own. */
export function probedMachine(ranks: number, { regimes, adding, copying }: ReportedTimes): string {
  // A process cannot add and send at the same time.
  const reduce = adding === undefined ? [] : [`reduce: { throughput: ${adding.toPrecision(3)} B/s, overlap: false }`];
  const lane = regimes === undefined ? [] : [`lane: ${laneText(regimes, copying)}`];
  const chip = [...reduce, ...lane];
  return `format: ccc-topology
version: 1
name: probed
about: ${ranks} processes of one MPI program, every two of them joined by a link.
chips: ${ranks}
${chip.length === 0 ? '' : `chip:\n${chip.map((line) => `  ${line}\n`).join('')}`}link: { latency: 0.5 us, bandwidth: 10 GB/s, occupancy: pipelined }
links:
  - for: [a in 0 .. ${ranks - 2}, b in a + 1 .. ${ranks - 1}]
    duplex: a <-> b
`;
}

/** Writes a lane model with a single lane, since a process does one thing at a time, however many channels a plan uses. */
function laneText({ longestShort, short, long }: Regimes, copying: BytesPerSecond | undefined): string {
  const numbers = ({ constant, perByte }: FittedLine): string =>
    // The time of an empty message includes the overheads of sender and receiver, so each is at most half of it.
    `overhead: ${(constant / 2).toExponential(3)} s, bandwidth: ${(1 / perByte).toPrecision(4)} B/s`;
  const local = copying === undefined ? '' : `local: { bandwidth: ${copying.toPrecision(3)} B/s }, `;
  return `{ ${numbers(short)}, count: 1, ${local}long: { above: ${longestShort} B, ${numbers(long)} } }`;
}
