/** What the times of probes say by themselves: where short messages end and long ones begin, and how fast a process adds. */
import { type FittedLine, lineThrough, type MeasuredTime, median, timeOn } from '../../calibrate/index.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../../ir/units.ts';

/** A plan that is measured. */
export interface Probe {
  readonly name: string;
  readonly schedule: string;
  /** Hops one after the other. */
  readonly hops: number;
  /** Equal parts in which what is sent goes. */
  readonly messages: number;
  /** Additions one after the other. */
  readonly sums: number;
  /** In place, or with a copy of every rank's own part. */
  readonly inPlace: boolean;
}

export interface ProbeTime {
  readonly probe: Probe;
  /** M. */
  readonly size: Bytes;
  readonly seconds: Seconds;
}

/** Messages of no more bytes go another way than longer ones, as MPI's do. */
export interface Regimes {
  readonly longestShort: Bytes;
  /** What a hop takes. */
  readonly short: FittedLine;
  readonly long: FittedLine;
}

/** Two lines in place of one must leave less than this part of its error. */
const worthTwo = 1 / 2;
/** What a line misses a time by on the mean is noise up to this part. */
const noise = 0.01;
/** A line is no news where there are fewer sizes. */
const leastSizes = 2;

/** The least time of each probe and size: what else runs on a machine only adds to it. */
function leastOf(times: readonly ProbeTime[]): readonly ProbeTime[] {
  const least = new Map<string, ProbeTime>();
  for (const time of times) {
    const key = `${time.probe.name} ${time.size}`;
    const known = least.get(key);
    if (known === undefined || time.seconds < known.seconds) least.set(key, time);
  }
  return [...least.values()];
}

/** What one hop of one message takes, by ascending size: the least of the rounds of a single message. */
function hopsOf(times: readonly ProbeTime[]): readonly MeasuredTime[] {
  const bySize = new Map<Bytes, Seconds>();
  for (const { probe, size, seconds } of times) {
    if (probe.messages !== 1 || probe.sums > 0) continue;
    bySize.set(size, Math.min(seconds / probe.hops, bySize.get(size) ?? Number.POSITIVE_INFINITY));
  }
  return [...bySize].sort(([a], [b]) => a - b).map(([size, seconds]) => ({ size, seconds }));
}

/** Where two lines a + bn, one for short and one for long messages, explain the hops far better than one; undefined where they do not. */
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

/** Σ |log(measured / on the line)|. */
function missOf(hops: readonly MeasuredTime[]): number {
  const line = lineThrough(hops);
  return hops.reduce((sum, { size, seconds }) => sum + Math.abs(Math.log(seconds / timeOn(line, size))), 0);
}

/** What a probe takes beyond its messages tells of adding or copying where it is more than this part of it. */
const tellsOfWork = 1 / 10;

/** Bytes that a process adds per second: the median of what sums take beyond their hops; undefined where that is nothing. */
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
 * Bytes that a process copies per second, by what probes take longer out of place than in place; undefined where that is nothing. The least over the
 * sizes: it is that of long copies, out of memory, which take most of the time where copies matter.
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

/** For `ccc calibrate`: plans beside the file. */
export function probedCsv(times: readonly ProbeTime[]): string {
  const rows = leastOf(times).map(({ probe, size, seconds }) => `${probe.name}.json,,${size},${seconds}`);
  return `${['plan,protocol,size,seconds', ...rows].join('\n')}\n`;
}

/** What probes say by themselves; undefined where they say nothing. */
export interface ReportedTimes {
  readonly regimes: Regimes | undefined;
  readonly adding: BytesPerSecond | undefined;
  readonly copying: BytesPerSecond | undefined;
}

/** Every two processes have a link of their own; its numbers and those of lanes are where the search begins. */
export function probedMachine(ranks: number, { regimes, adding, copying }: ReportedTimes): string {
  // A process adds or sends, one after the other.
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

/** One lane: a process does one thing after the other, on however many channels. */
function laneText({ longestShort, short, long }: Regimes, copying: BytesPerSecond | undefined): string {
  const numbers = ({ constant, perByte }: FittedLine): string =>
    // Of what a message takes for no bytes half at most is the overhead of either end.
    `overhead: ${(constant / 2).toExponential(3)} s, bandwidth: ${(1 / perByte).toPrecision(4)} B/s`;
  const local = copying === undefined ? '' : `local: { bandwidth: ${copying.toPrecision(3)} B/s }, `;
  return `{ ${numbers(short)}, count: 1, ${local}long: { above: ${longestShort} B, ${numbers(long)} } }`;
}
