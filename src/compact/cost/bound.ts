/**
 * Lower bounds on a machine that looks the same from every chip, from the view of one chip (docs/bounds.md, *Compact
 * plans*). A time-reversed reducescatter moves what an allgather moves, on the transposed machine: values of different
 * shards never merge, so as many bytes must leave every rank there as must reach it here. It has the same bounds, and
 * must reduce besides.
 */

import { roundsToReach } from '../../bounds/slots/gathering.ts';
import { timeToFill } from '../../bounds/time-to-fill.ts';
import type { CompactCertificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import type { Bound } from '../../ir/report.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import { type Bytes, formatBytes, formatBytesPerSecond, formatSeconds } from '../../ir/units.ts';
import { latenciesToZero } from './distances.ts';
import { lengthCertificates } from './lengths.ts';
import { chipBandwidth, minLatency } from './links.ts';
import { reductionCertificates, totalCertificates } from './totals.ts';

/** Maximum number of sets of axes that are tried. */
const mostAxisSets = 1 << 10;

/**
 * The best lower bound known on the time of a collective of M = `size` bytes, with all certificates, best first. For a
 * reducescatter `machine` is the transposed machine.
 * @param collective an allgather, reducescatter, allreduce or alltoall
 */
export function compactLowerBound(
  collective: Collective,
  machine: SymmetricTopology,
  size: Bytes,
): Bound<CompactCertificate> {
  const { ranks, kind } = collective;
  if (ranks < 2) {
    const reason = 'nothing has to be sent';
    return { seconds: 0, certificates: [{ kind: 'trivial', seconds: 0, reason, witness: {} }] };
  }
  const distances = latenciesToZero(machine);
  const shard = size / ranks;
  const backwards = kind === 'reducescatter';
  const reduced = kind === 'allreduce';
  const certificates = [
    latencyCertificate(distances, backwards),
    pairCertificate(machine, distances, reduced ? size : shard, backwards),
    ...spreadingCertificates(machine, ranks, backwards),
    ...(reduced ? [] : [distanceCertificate(machine, distances, shard, backwards)]),
    ...(reduced ? [] : roundsCertificates(machine, ranks, shard, backwards)),
    ...(reduced ? [] : rowCertificates(machine, ranks, shard, backwards)),
    ...(kind === 'alltoall' ? lengthCertificates(machine, shard) : cutCertificates(machine, ranks, size, kind)),
    ...(reduced ? totalCertificates(machine, ranks, size) : []),
    ...(reduced || backwards ? reductionCertificates(machine, ranks, size, kind) : []),
  ].sort((a, b) => b.seconds - a.seconds);
  return { seconds: certificates[0].seconds, certificates };
}

function latencyCertificate(distances: Float64Array, backwards: boolean): CompactCertificate {
  let far = 0;
  for (let rank = 1; rank < distances.length; rank++) if (distances[rank] > distances[far]) far = rank;
  const [from, to] = backwards ? [0, far] : [far, 0];
  const reason = `rank ${to} needs data from rank ${from}, and no path between them is faster`;
  return { kind: 'latency', seconds: distances[far], reason, witness: { from, to } };
}

/**
 * For rank 0 and `far`, one of the ranks farthest from it: at most β_g · (T − a_g) bytes arrive over link g, a_g being
 * the least Σα of paths that end with it.
 */
function pairCertificate(
  machine: SymmetricTopology,
  distances: Float64Array,
  bytes: Bytes,
  backwards: boolean,
): CompactCertificate {
  const group = new TranslationGroup(machine.shape);
  const diameter = distances.reduce((most, distance) => Math.max(most, distance), 0);
  let best = { seconds: 0, far: 0 };
  for (let far = 1; far < distances.length; far++) {
    if (distances[far] < diameter) continue;
    const ways = machine.generators.map(({ offset, latency, bandwidth }) => {
      return { rate: bandwidth, idle: latency + distances[group.add(far, offset)] };
    });
    const seconds = timeToFill(ways, bytes);
    if (seconds > best.seconds) best = { seconds, far };
  }
  const [from, to] = backwards ? [0, best.far] : [best.far, 0];
  const reason = `rank ${to} needs ${formatBytes(bytes)} from rank ${from}, which is ${formatSeconds(diameter)} away, through all its links`;
  return { kind: 'pair', seconds: best.seconds, reason, witness: { from, to } };
}

function spreadingCertificates(
  machine: SymmetricTopology,
  ranks: number,
  backwards: boolean,
): readonly CompactCertificate[] {
  const { generators, ports } = machine;
  const pipelined = generators.some(({ occupancy }) => occupancy === 'pipelined');
  return (['out', 'in'] as const).flatMap((direction): readonly CompactCertificate[] => {
    const links = pipelined ? Number.POSITIVE_INFINITY : generators.length;
    // On the transposed machine sending and receiving are exchanged.
    const slots = Math.min(links, (direction === 'out') === backwards ? ports.receive : ports.send);
    if (!Number.isFinite(slots)) return [];
    const rounds = roundsToReach(ranks, slots);
    const way = direction === 'out' ? 'send' : 'receive';
    const reason = `a chip can ${way} ${slots} messages at a time, so it takes at least ${rounds} rounds until all ${ranks} ranks have data from each other`;
    const seconds = rounds * minLatency(machine);
    return [{ kind: 'spreading', seconds, reason, witness: { direction } }];
  });
}

/** The best distance ρ: if links are blocking, all distances that occur are tried. */
function distanceCertificate(
  machine: SymmetricTopology,
  distances: Float64Array,
  shard: Bytes,
  backwards: boolean,
): CompactCertificate {
  const bandwidth = chipBandwidth(machine, machine.ports.receive);
  const sorted = distances.slice().sort();
  const blocking = machine.generators.every(({ occupancy }) => occupancy === 'blocking');
  let best = { seconds: 0, distance: 0, farther: 0 };
  for (let rank = 1; rank < (blocking ? sorted.length : 2); rank++) {
    if (rank > 1 && sorted[rank] === sorted[rank - 1]) continue;
    const farther = sorted.length - rank;
    const seconds = sorted[rank] + (farther * shard) / bandwidth;
    if (seconds > best.seconds) best = { seconds, distance: sorted[rank], farther };
  }
  const { seconds, distance, farther } = best;
  const way = backwards ? 'leave every rank to' : 'reach every rank from';
  const reason = `${formatBytes(farther * shard)} must ${way} ${formatSeconds(distance)} away or farther, through ${formatBytesPerSecond(bandwidth)}`;
  return { kind: 'distance', seconds, reason, witness: { distance } };
}

function roundsCertificates(
  machine: SymmetricTopology,
  ranks: number,
  shard: Bytes,
  backwards: boolean,
): readonly CompactCertificate[] {
  const { generators, ports } = machine;
  const blocking = generators.every(({ occupancy }) => occupancy === 'blocking');
  if (!blocking || ports.receive < generators.length) return [];
  const together = chipBandwidth(machine, ports.receive);
  const slowest = generators.reduce((least, { bandwidth }) => Math.min(least, bandwidth), Number.POSITIVE_INFINITY);
  const rounds = roundsToReach(ranks, together / slowest);
  const bytes = (ranks - 1) * shard;
  const way = backwards ? 'send' : 'receive';
  const messages = rounds === 1 ? 'one message' : `${rounds} consecutive messages`;
  const reason = `every rank must ${way} ${formatBytes(bytes)}, and this takes at least ${messages}: their latencies add to the time of the bytes`;
  const seconds = rounds * minLatency(machine) + bytes / together;
  return [{ kind: 'gathering', seconds, reason, witness: {} }];
}

/** On a ring each of a chip's links is the end of a row of all other chips. */
function rowCertificates(
  machine: SymmetricTopology,
  ranks: number,
  shard: Bytes,
  backwards: boolean,
): readonly CompactCertificate[] {
  const { shape, generators } = machine;
  const isRing = generators.every(({ offset }) => offset === 1 || offset === ranks - 1);
  if (shape.length !== 1 || !isRing || generators.some(({ occupancy }) => occupancy !== 'blocking')) return [];
  const links = generators.length;
  const fastest = generators.reduce((most, { bandwidth }) => Math.max(most, bandwidth), 0);
  const messages = Math.ceil((ranks - 1) / links);
  const seconds = messages * minLatency(machine) + ((ranks - 1) * shard) / (links * fastest);
  const reason = `some link of a chip must ${backwards ? 'send' : 'receive'} ${formatBytes(((ranks - 1) * shard) / links)} for one chip after another, which takes as long as ${messages} messages`;
  return [{ kind: 'row', seconds, reason, witness: {} }];
}

/** Cuts around chips that differ in a set of axes only; the empty set is a single chip, whose ports may matter. */
function cutCertificates(
  machine: SymmetricTopology,
  ranks: number,
  size: Bytes,
  kind: Collective['kind'],
): readonly CompactCertificate[] {
  const { shape } = machine;
  let best: CompactCertificate | undefined;
  for (let set = 0; set < Math.min(2 ** shape.length - 1, mostAxisSets); set++) {
    const axes = shape.map((_, axis) => axis).filter((axis) => (set & (1 << axis)) !== 0);
    const inside = axes.reduce((product, axis) => product * shape[axis], 1);
    if (inside === ranks) continue;
    const leaving = leavingBandwidth(machine, new Set(axes));
    const which = inside === 1 ? 'every chip' : `the ${inside} chips that differ on axes ${axes.join(', ')} alone`;
    const cut =
      kind === 'allreduce'
        ? cutOfTotals(leaving * ranks, 2 * (ranks / inside - 1) * size, which)
        : cutOfShards(
            inside === 1 ? chipBandwidth(machine, machine.ports.receive) : inside * leaving,
            ((ranks - inside) * size) / ranks,
            `${kind === 'reducescatter' ? 'leave' : 'reach'} ${which}`,
          );
    const seconds = minLatency(machine) + cut.seconds;
    if (best !== undefined && seconds <= best.seconds) continue;
    const reason = `${cut.reason}, and the last message pays its latency`;
    best = { kind: 'cut', seconds, reason, witness: { axes } };
  }
  return best === undefined ? [] : [best];
}

function cutOfShards(bandwidth: number, bytes: Bytes, where: string) {
  const reason = `${formatBytes(bytes)} must ${where} through ${formatBytesPerSecond(bandwidth)}`;
  return { seconds: bytes / bandwidth, reason };
}

function cutOfTotals(bandwidth: number, bytes: Bytes, which: string) {
  const reason = `${formatBytes(bytes)} must go between sets like ${which}, through ${formatBytesPerSecond(bandwidth)} in total`;
  return { seconds: bytes / bandwidth, reason };
}

/** Bandwidth of the links of one chip that change a coordinate outside these axes. */
function leavingBandwidth({ shape, generators }: SymmetricTopology, axes: ReadonlySet<number>): number {
  const group = new TranslationGroup(shape);
  const others = [...shape.keys()].filter((axis) => !axes.has(axis));
  const leaving = generators.filter(({ offset }) => others.some((axis) => group.coordinate(offset, axis) !== 0));
  return leaving.reduce((sum, { bandwidth }) => sum + bandwidth, 0);
}
