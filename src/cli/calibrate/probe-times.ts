/** What the times of probes say by themselves: where short messages end and long ones begin, and how fast a process adds. */
import { lineThrough, type MeasuredTime, median, timeOn } from '../../calibrate/index.ts';
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
}

export interface ProbeTime {
  readonly probe: Probe;
  /** M. */
  readonly size: Bytes;
  readonly seconds: Seconds;
}

/** Messages of no more bytes go another way than longer ones, as MPI's do; undefined where all go one way. */
export type Regimes = { readonly longestShort: Bytes } | undefined;

/** Two lines in place of one must leave less than this part of its error. */
const worthTwo = 1 / 2;
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

/** Where two lines a + bn, one for short and one for long messages, explain the hops far better than one. */
export function regimesOf(times: readonly ProbeTime[]): Regimes {
  const hops = hopsOf(times);
  const whole = missOf(hops);
  let best: { readonly miss: number; readonly longestShort: Bytes } | undefined;
  for (let count = leastSizes; count <= hops.length - leastSizes; count++) {
    const miss = missOf(hops.slice(0, count)) + missOf(hops.slice(count));
    if (best === undefined || miss < best.miss) best = { miss, longestShort: hops[count - 1].size };
  }
  return best !== undefined && best.miss < worthTwo * whole ? { longestShort: best.longestShort } : undefined;
}

/** Σ |log(measured / on the line)|. */
function missOf(hops: readonly MeasuredTime[]): number {
  const line = lineThrough(hops);
  return hops.reduce((sum, { size, seconds }) => sum + Math.abs(Math.log(seconds / timeOn(line, size))), 0);
}

/** What sums take beyond their hops tells of adding where it is more than this part of them. */
const tellsOfAdding = 1 / 10;

/** Bytes that a process adds per second: the median of what sums take beyond their hops; undefined where that is nothing. */
export function throughputOf(times: readonly ProbeTime[]): BytesPerSecond | undefined {
  const hops = new Map(hopsOf(times).map(({ size, seconds }) => [size, seconds]));
  const rates = leastOf(times).flatMap(({ probe, size, seconds }) => {
    const hop = hops.get(size);
    const adding = probe.sums === 0 || hop === undefined ? 0 : seconds - probe.hops * hop;
    return adding > tellsOfAdding * seconds ? [(probe.sums * size) / adding] : [];
  });
  return rates.length === 0 ? undefined : median(rates);
}

/** For `ccc calibrate`: plans beside the file; messages of each regime have a protocol of their own. */
export function probedCsv(times: readonly ProbeTime[], regimes: Regimes): string {
  const protocolOf = ({ probe, size }: ProbeTime): string => {
    if (regimes === undefined) return '';
    return size / probe.messages <= regimes.longestShort ? 'short' : 'long';
  };
  const rows = leastOf(times).map((time) =>
    [`${time.probe.name}.json`, protocolOf(time), time.size, time.seconds].join(','),
  );
  return `${['plan,protocol,size,seconds', ...rows].join('\n')}\n`;
}

/** Every two processes have a link of their own; its numbers are where the search begins. */
export function probedMachine(ranks: number, throughput: BytesPerSecond | undefined): string {
  const reduce =
    throughput === undefined
      ? ''
      : `chip: { reduce: { throughput: ${throughput.toPrecision(3)} B/s, overlap: true } }\n`;
  return `format: ccc-topology
version: 1
name: probed
about: ${ranks} processes of one MPI program, every two of them joined by a link.
chips: ${ranks}
${reduce}link: { latency: 0.5 us, bandwidth: 10 GB/s, occupancy: pipelined }
links:
  - for: [a in 0 .. ${ranks - 2}, b in a + 1 .. ${ranks - 1}]
    duplex: a <-> b
`;
}
