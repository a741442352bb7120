/** Computes the bandwidths of a plan by the definitions of nccl-tests. */
import type { Collective } from '../ir/collective.ts';
import { type Bytes, formatBytesPerSecond, type Seconds } from '../ir/units.ts';

/**
 * algbw = M/T, and busbw, the bus bandwidth of nccl-tests: algbw × a factor for the traffic that the collective needs at least. Both in bytes per
 * second.
 */
export interface Rates {
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
}

export function ratesOf(collective: Collective, size: Bytes, seconds: Seconds): Rates {
  const algorithmBandwidth = seconds === 0 ? 0 : size / seconds;
  return { algorithmBandwidth, busBandwidth: algorithmBandwidth * busFactor(collective) };
}

/**
 * Writes both bandwidths. Returns undefined for a barrier, which moves no data, and leaves out the bus bandwidth of collectives that nccl-tests does
 * not have.
 */
export function ratesText(collective: Collective, size: Bytes, seconds: Seconds): string | undefined {
  if (seconds === 0 || collective.kind === 'barrier') return undefined;
  const { algorithmBandwidth, busBandwidth } = ratesOf(collective, size, seconds);
  const algbw = `${formatBytesPerSecond(algorithmBandwidth)} algbw`;
  return collective.kind === 'custom' ? algbw : `${algbw}, ${formatBytesPerSecond(busBandwidth)} busbw`;
}

/** Returns the factor busbw / algbw from nccl-tests' PERFORMANCE.md; scans get the factor of broadcast. */
function busFactor({ kind, ranks }: Collective): number {
  switch (kind) {
    case 'allgather':
    case 'reducescatter':
    case 'alltoall':
    case 'scatter':
    case 'gather':
      return (ranks - 1) / ranks;
    case 'allreduce':
      return (2 * (ranks - 1)) / ranks;
    default:
      return 1;
  }
}
