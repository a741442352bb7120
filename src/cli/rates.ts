/** The rates of a plan, as nccl-tests counts them. */
import type { Collective } from '../ir/collective.ts';
import { type Bytes, formatBytesPerSecond, type Seconds } from '../ir/units.ts';

/** algbw = M/T and nccl-tests' bus bandwidth, which corrects it for the traffic that the collective needs at least. */
export interface Rates {
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
}

export function ratesOf(collective: Collective, size: Bytes, seconds: Seconds): Rates {
  const algorithmBandwidth = seconds === 0 ? 0 : size / seconds;
  return { algorithmBandwidth, busBandwidth: algorithmBandwidth * busFactor(collective) };
}

/** Both in words; nothing for a barrier, which moves no data, and no bus bandwidth of a collective that nccl-tests does not have. */
export function ratesText(collective: Collective, size: Bytes, seconds: Seconds): string | undefined {
  if (seconds === 0 || collective.kind === 'barrier') return undefined;
  const { algorithmBandwidth, busBandwidth } = ratesOf(collective, size, seconds);
  const algbw = `${formatBytesPerSecond(algorithmBandwidth)} algbw`;
  return collective.kind === 'custom' ? algbw : `${algbw}, ${formatBytesPerSecond(busBandwidth)} busbw`;
}

/** The factors of nccl-tests' PERFORMANCE.md; scans are counted like broadcasts. */
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
