/** Capabilities of the links of one chip on a machine that looks the same from every chip. */
import type { SymmetricTopology } from '../../ir/compact.ts';
import type { BytesPerSecond, Seconds } from '../../ir/units.ts';

export function minLatency({ generators }: SymmetricTopology): Seconds {
  return generators.reduce((least, { latency }) => Math.min(least, latency), Number.POSITIVE_INFINITY);
}

/** Bytes per second into (or out of) a chip with that many ports: the sum of its fastest links. */
export function chipBandwidth({ generators }: SymmetricTopology, ports: number): BytesPerSecond {
  const fastest = generators.map(({ bandwidth }) => bandwidth).sort((a, b) => b - a);
  return fastest.slice(0, ports).reduce((sum, bandwidth) => sum + bandwidth, 0);
}
