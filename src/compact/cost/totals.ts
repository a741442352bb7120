/**
 * Bounds from the total that all ranks must send and reduce: since all chips are alike, some rank has at least an even
 * share.
 */
import type { CompactCertificate } from '../../ir/certificate.ts';
import type { CollectiveKind } from '../../ir/collective.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../../ir/units.ts';
import { chipBandwidth, minLatency } from './links.ts';

/**
 * An allreduce takes 2(N − 1) messages for each byte, as gossiping among N does (docs/bounds.md, *Messages in all*).
 */
export function totalCertificates(
  machine: SymmetricTopology,
  ranks: number,
  size: Bytes,
): readonly CompactCertificate[] {
  const bytes = (2 * (ranks - 1) * size) / ranks;
  return (['out', 'in'] as const).map((direction) => {
    const { send, receive } = machine.ports;
    const bandwidth = chipBandwidth(machine, direction === 'out' ? send : receive);
    const way = direction === 'out' ? 'send' : 'receive';
    const reason = `some rank has to ${way} ${formatBytes(bytes)} through ${formatBytesPerSecond(bandwidth)}, and the last message pays its latency`;
    return { kind: 'messages', seconds: minLatency(machine) + bytes / bandwidth, reason, witness: { direction } };
  });
}

/**
 * Some rank must reduce its even share of (N − 1)·M bytes or more, and if its links stop meanwhile, send as much
 * besides.
 * @param machine for a reducescatter the transposed machine, where chips send what they receive here
 */
export function reductionCertificates(
  machine: SymmetricTopology,
  ranks: number,
  size: Bytes,
  kind: CollectiveKind,
): readonly CompactCertificate[] {
  const { reduce, ports } = machine;
  if (reduce === undefined) return [];
  const bytes = ((ranks - 1) * size) / ranks;
  const work = `${formatBytes(bytes)} at ${formatBytesPerSecond(reduce.throughput)}`;
  const reducing = minLatency(machine) + bytes / reduce.throughput;
  if (reduce.overlap) {
    const reason = `some rank has to reduce ${work}, after the first data has arrived`;
    return [{ kind: 'reductions', seconds: reducing, reason, witness: {} }];
  }
  const sends = kind === 'allreduce' ? 2 : 1;
  const bandwidth = chipBandwidth(machine, kind === 'allreduce' ? ports.send : ports.receive);
  const seconds = reducing + (sends * bytes) / bandwidth;
  const much = sends === 1 ? 'as much' : 'twice as much';
  const reason = `some rank has to reduce ${work}, and at other times to send ${much} through ${formatBytesPerSecond(bandwidth)}`;
  return [{ kind: 'stopped-links', seconds, reason, witness: {} }];
}
