/** Bounds from what all ranks have to send and to reduce together; as all chips are alike, each has an even share or some has more. */
import type { CompactCertificate } from '../../ir/certificate.ts';
import type { CollectiveKind } from '../../ir/collective.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../../ir/units.ts';
import { chipBandwidth, minLatency } from './links.ts';

/** An allreduce takes 2(N − 1) messages for each byte: as many as gossip among N (docs/bounds.md, *Messages in all*). */
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
    const reason = `some rank has to ${way} ${formatBytes(bytes)} through ${formatBytesPerSecond(bandwidth)}, and the last message has its latency to pay`;
    return { kind: 'messages', seconds: minLatency(machine) + bytes / bandwidth, reason, witness: { direction } };
  });
}

/**
 * Some rank has to reduce its even share of (N − 1)·M bytes or more, and where the links stop meanwhile, to send as much besides.
 *
 * @param machine for a reducescatter with every link turned round: what it receives there, chips send
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
    const reason = `some rank has to reduce ${work}, after something has come to it`;
    return [{ kind: 'reductions', seconds: reducing, reason, witness: {} }];
  }
  const sends = kind === 'allreduce' ? 2 : 1;
  const bandwidth = chipBandwidth(machine, kind === 'allreduce' ? ports.send : ports.receive);
  const seconds = reducing + (sends * bytes) / bandwidth;
  const much = sends === 1 ? 'as much' : 'twice as much';
  const reason = `some rank has to reduce ${work}, and at other times to send ${much} through ${formatBytesPerSecond(bandwidth)}`;
  return [{ kind: 'stopped-links', seconds, reason, witness: {} }];
}
