/**
 * Lower bounds for an allgather on a machine that looks the same from every chip, from what one chip sees. A reducescatter
 * backwards in time moves what an allgather moves, on the machine with every link turned round: values of different shards never
 * merge, so as many bytes must leave every rank there as come to it here. It has the same bounds, and has to reduce besides.
 *
 * - Latency: the farthest rank's shard needs that long.
 * - Spreading: with d messages under way at a time, each for at least α, a rank's data are known to (1 + d)^t ranks after t·α.
 * - Distance and bandwidth together, on blocking links: let K be the shards of ranks that are ρ or farther away (in Σα). A message that
 *   brings some of them to rank 0, over a route of latency L, starts no earlier than ρ − L and holds its last link for L + bytes/β.
 *   So the first such message of a link ends no earlier than ρ + bytes/β, and the others take bytes/β each after that: link g
 *   brings at most β_g·(T − ρ) bytes, and T ≥ ρ + K·M / (N·Σβ). With ρ = least α this is the cut around one chip, and that holds of
 *   pipelined links too. Where a chip has P ports and more links, only the P fastest bring something at a time.
 * - Rounds and bandwidth together, on blocking links: ⌈log₁₊ᵣ N⌉ messages follow one another before a rank can have everything, r being
 *   all links' bandwidth over the slowest one's, and their latencies add to the time of the bytes (the proof stands in ../bounds/gathering.ts).
 * - Cuts around the chips that agree on some coordinates: if H of them lie together, N − H shards have to come in to them through all
 *   links that lead out of the set, and as many bytes leave it.
 */
import type { Collective } from '../../ir/collective.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import type { Bound, Certificate } from '../../ir/report.ts';
import { type Bytes, type BytesPerSecond, formatBytes, formatBytesPerSecond, formatSeconds } from '../../ir/units.ts';
import { latenciesToZero } from './distances.ts';

/** Sets of axes that are looked at. */
const mostAxisSets = 1 << 10;

/**
 * The best lower bound that is known on the time of an allgather of M = `size` bytes, with all its certificates, best first; or of a
 * reducescatter, for which `machine` is the one with every link turned round.
 */
export function compactLowerBound(collective: Collective, machine: SymmetricTopology, size: Bytes): Bound {
  const { ranks } = collective;
  if (ranks < 2) {
    const reason = 'nothing has to be sent';
    return { seconds: 0, certificates: [{ kind: 'trivial', seconds: 0, reason, witness: {} }] };
  }
  const distances = latenciesToZero(machine);
  const shard = size / ranks;
  const backwards = collective.kind === 'reducescatter';
  const certificates = [
    latencyCertificate(distances, backwards),
    ...spreadingCertificates(machine, ranks, backwards),
    distanceCertificate(machine, distances, shard, backwards),
    ...roundsCertificates(machine, ranks, shard, backwards),
    ...cutCertificates(machine, ranks, shard, backwards),
    ...(backwards ? computeCertificates(machine, ranks, size) : []),
  ].sort((a, b) => b.seconds - a.seconds);
  return { seconds: certificates[0].seconds, certificates };
}

function latencyCertificate(distances: Float64Array, backwards: boolean): Certificate {
  let far = 0;
  for (let rank = 1; rank < distances.length; rank++) if (distances[rank] > distances[far]) far = rank;
  const [from, to] = backwards ? [0, far] : [far, 0];
  const reason = `rank ${to} needs something of rank ${from}, which is that far away`;
  return { kind: 'latency', seconds: distances[far], reason, witness: { from, to } };
}

function leastLatency({ generators }: SymmetricTopology): number {
  return generators.reduce((least, { latency }) => Math.min(least, latency), Number.POSITIVE_INFINITY);
}

function spreadingCertificates(machine: SymmetricTopology, ranks: number, backwards: boolean): readonly Certificate[] {
  const { generators, ports } = machine;
  const pipelined = generators.some(({ occupancy }) => occupancy === 'pipelined');
  return (['out', 'in'] as const).flatMap((direction): readonly Certificate[] => {
    const links = pipelined ? Number.POSITIVE_INFINITY : generators.length;
    // What a chip sends on the machine that is turned round, it receives.
    const slots = Math.min(links, (direction === 'out') === backwards ? ports.receive : ports.send);
    if (!Number.isFinite(slots)) return [];
    let rounds = 0;
    for (let known = 1; known < ranks; known *= 1 + slots) rounds++;
    const way = direction === 'out' ? 'send' : 'receive';
    const reason = `in ${rounds} rounds at least, as a chip can ${way} ${slots} messages at a time, all ${ranks} ranks hear of one another`;
    const seconds = rounds * leastLatency(machine);
    return [{ kind: 'spreading', seconds, reason, witness: { direction, slots, rounds } }];
  });
}

/** The best distance ρ: all that occur are tried, if links block. */
function distanceCertificate(
  machine: SymmetricTopology,
  distances: Float64Array,
  shard: Bytes,
  backwards: boolean,
): Certificate {
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
  const way = backwards ? 'leave every rank to' : 'come to every rank from';
  const reason = `${formatBytes(farther * shard)} must ${way} ${formatSeconds(distance)} away or farther, through ${formatBytesPerSecond(bandwidth)}`;
  const kind = farther === distances.length - 1 ? 'bandwidth' : 'combined';
  return { kind, seconds, reason, witness: { distance, farther } };
}

function roundsCertificates(
  machine: SymmetricTopology,
  ranks: number,
  shard: Bytes,
  backwards: boolean,
): readonly Certificate[] {
  const { generators, ports } = machine;
  const blocking = generators.every(({ occupancy }) => occupancy === 'blocking');
  if (!blocking || ports.receive < generators.length) return [];
  const together = chipBandwidth(machine, ports.receive);
  const slowest = generators.reduce((least, { bandwidth }) => Math.min(least, bandwidth), Number.POSITIVE_INFINITY);
  let rounds = 0;
  for (let reached = 1; reached < ranks * (1 - 1e-9); reached *= 1 + together / slowest) rounds++;
  const bytes = (ranks - 1) * shard;
  const way = backwards ? 'send out' : 'take in';
  const reason = `every rank must ${way} ${formatBytes(bytes)}, and it takes ${rounds} messages in a row to have them together: both times add up`;
  const seconds = rounds * leastLatency(machine) + bytes / together;
  return [{ kind: 'combined', seconds, reason, witness: { direction: backwards ? 'out' : 'in', rounds } }];
}

/** Bytes per second into (or out of) a chip with so many ports: its fastest links at work. */
function chipBandwidth({ generators }: SymmetricTopology, ports: number): BytesPerSecond {
  const fastest = generators.map(({ bandwidth }) => bandwidth).sort((a, b) => b - a);
  return fastest.slice(0, ports).reduce((sum, bandwidth) => sum + bandwidth, 0);
}

/** Cuts around the chips that differ on a set of axes only; the empty set is a single chip, whose ports may count. */
function cutCertificates(
  machine: SymmetricTopology,
  ranks: number,
  shard: Bytes,
  backwards: boolean,
): readonly Certificate[] {
  const { shape } = machine;
  let best: Certificate | undefined;
  for (let set = 0; set < Math.min(2 ** shape.length - 1, mostAxisSets); set++) {
    const axes = shape.map((_, axis) => axis).filter((axis) => (set & (1 << axis)) !== 0);
    const inside = axes.reduce((product, axis) => product * shape[axis], 1);
    if (inside === ranks) continue;
    const bandwidth =
      inside === 1 ? chipBandwidth(machine, machine.ports.receive) : inside * leavingBandwidth(machine, new Set(axes));
    const bytes = (ranks - inside) * shard;
    const seconds = leastLatency(machine) + bytes / bandwidth;
    if (best !== undefined && seconds <= best.seconds) continue;
    const which = inside === 1 ? 'every chip' : `the ${inside} chips that differ on axes ${axes.join(', ')} alone`;
    const reason = `${formatBytes(bytes)} must ${backwards ? 'leave' : 'come to'} ${which} through ${formatBytesPerSecond(bandwidth)}, and the last message has its latency to pay`;
    best = { kind: 'bandwidth', seconds, reason, witness: { axes } };
  }
  return best === undefined ? [] : [best];
}

/** Of one chip: the bandwidth of its links that change a coordinate on another axis than these. */
function leavingBandwidth({ shape, generators }: SymmetricTopology, axes: ReadonlySet<number>): BytesPerSecond {
  return generators.reduce((sum, { offset, bandwidth }) => {
    let rest = offset;
    let leaves = false;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (rest % shape[axis] !== 0 && !axes.has(axis)) leaves = true;
      rest = Math.floor(rest / shape[axis]);
    }
    return leaves ? sum + bandwidth : sum;
  }, 0);
}

/**
 * A shard of N contributions takes N − 1 reductions, so some rank has to reduce (N − 1)·M/N bytes or more. Where reducing and
 * communicating exclude each other, that rank has to send as many bytes besides.
 */
function computeCertificates(machine: SymmetricTopology, ranks: number, size: Bytes): readonly Certificate[] {
  const { reduce, ports } = machine;
  if (reduce === undefined) return [];
  const bytes = ((ranks - 1) * size) / ranks;
  const work = `${formatBytes(bytes)} at ${formatBytesPerSecond(reduce.throughput)}`;
  const witness = { bytes: bytes * ranks };
  if (reduce.overlap) {
    const reason = `some rank has to reduce ${work}`;
    return [{ kind: 'compute', seconds: bytes / reduce.throughput, reason, witness }];
  }
  const bandwidth = chipBandwidth(machine, ports.receive);
  const seconds = bytes / reduce.throughput + leastLatency(machine) + bytes / bandwidth;
  const reason = `some rank has to reduce ${work}, and at other times to send as much through ${formatBytesPerSecond(bandwidth)}`;
  return [{ kind: 'compute', seconds, reason, witness }];
}
