/**
 * Alltoall bounds by link lengths; on a machine that looks the same from every chip one length per generator is enough
 * (docs/bounds.md).
 */
import type { CompactCertificate } from '../../ir/certificate.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../../ir/units.ts';
import { latenciesToZero } from './distances.ts';
import { minLatency } from './links.ts';

/**
 * The best of three choices: all links of equal length, length proportional to the time per byte, and the links along
 * one axis only.
 */
export function lengthCertificates(machine: SymmetricTopology, shard: Bytes): readonly CompactCertificate[] {
  let best: CompactCertificate | undefined;
  for (const lengths of lengthChoices(machine)) {
    const certificate = lengthCertificate(machine, shard, lengths);
    if (best === undefined || certificate.seconds > best.seconds) best = certificate;
  }
  return best === undefined ? [] : [best];
}

function lengthCertificate(machine: SymmetricTopology, shard: Bytes, lengths: readonly number[]): CompactCertificate {
  const generators = machine.generators.map((generator, g) => ({ ...generator, latency: lengths[g] }));
  const distances = latenciesToZero({ ...machine, generators });
  const sum = distances.reduce((total, distance) => total + distance, 0);
  const room = machine.generators.reduce((total, { bandwidth }, g) => total + lengths[g] * bandwidth, 0);
  const seconds = minLatency(machine) + (shard * sum) / room;
  const reason = `every rank's ${formatBytes(shard)} for every other rank cross ${Math.round(sum)} links in total by the link lengths in the certificate, through ${formatBytesPerSecond(room)}`;
  return { kind: 'distances', seconds, reason, witness: { lengths } };
}

function lengthChoices({ shape, generators }: SymmetricTopology): readonly (readonly number[])[] {
  const fastest = generators.reduce((most, { bandwidth }) => Math.max(most, bandwidth), 0);
  const choices = [generators.map(() => 1)];
  const even = generators.every(({ bandwidth }) => bandwidth === fastest);
  if (!even) choices.push(generators.map(({ bandwidth }) => fastest / bandwidth));
  if (shape.length === 1) return choices;
  const group = new TranslationGroup(shape);
  for (let axis = 0; axis < shape.length; axis++) {
    if (shape[axis] > 1) choices.push(generators.map(({ offset }) => (group.coordinate(offset, axis) === 0 ? 0 : 1)));
  }
  return choices;
}
