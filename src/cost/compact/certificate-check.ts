/**
 * Checks certificates of bounds on compact plans from what one chip sees of its machine. It shares nothing with the search (bound.ts)
 * and prefers the plainest way. What is proved of one rank holds of all, and of a reducescatter what is proved of an allgather on
 * the machine with every link turned round, which has the same links from every chip, and the ports of receiving for sending.
 */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import { compactKinds, type Generator, type SymmetricTopology } from '../../ir/compact.ts';
import type { Certificate } from '../../ir/report.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../../ir/units.ts';

/** Certificates may claim this much more than what is recomputed here: rounding. */
const rounding = 1 + 1e-9;

/** What can be proved of a collective: what a pair of ranks exchanges, and what there is of it in all. */
interface Claim {
  readonly kind: CollectiveKind;
  readonly machine: SymmetricTopology;
  readonly size: Bytes;
}

/** True if the certificate proves that no correct plan for the collective takes less than `certificate.seconds`; false for collectives with a root. */
export function checkCompactCertificate(
  certificate: Certificate,
  { kind, ranks, counts }: Collective,
  machine: SymmetricTopology,
  size: Bytes,
): boolean {
  if (!compactKinds.includes(kind) || counts !== undefined) return false;
  if (machine.shape.reduce((product, extent) => product * extent, 1) !== ranks) return false;
  const proved = provedBy(certificate, { kind, machine, size });
  return proved !== undefined && certificate.seconds >= 0 && certificate.seconds <= proved * rounding;
}

/** The time that the witness proves; undefined if it proves nothing. */
function provedBy({ kind, witness }: Certificate, claim: Claim): Seconds | undefined {
  const { axes, distance, rounds, from, to, lengths, direction, row } = witness;
  const { machine } = claim;
  const isPair = typeof from === 'number' && typeof to === 'number';
  switch (kind) {
    case 'trivial':
      return 0;
    case 'latency':
      return isPair ? provedByWay(from, to, machine) : undefined;
    case 'spreading':
      return provedBySpreading(direction, machine);
    case 'compute':
      return provedByReductions(claim);
    default:
      if (isPair) return provedByPair(from, to, claim);
      if (typeof axes === 'object') return provedByCut(axes, claim);
      if (typeof lengths === 'object') return provedByLengths(lengths, claim);
      if (row !== undefined) return provedByRow(claim);
      if (typeof distance === 'number') return provedByDistance(distance, claim);
      return rounds === undefined ? provedByTotal(direction, claim) : provedByRounds(claim);
  }
}

/** Any rank needs something of any other, over links of so much latency at least. */
function provedByWay(from: number, to: number, machine: SymmetricTopology): Seconds | undefined {
  const offset = offsetBetween(from, to, machine);
  return offset === undefined ? undefined : waysFromZero(machine)[offset];
}

function offsetBetween(from: number, to: number, { shape }: SymmetricTopology): number | undefined {
  const group = new TranslationGroup(shape);
  const isRank = (rank: number) => Number.isInteger(rank) && rank >= 0 && rank < group.order;
  return isRank(from) && isRank(to) ? group.add(to, group.negate(from)) : undefined;
}

/**
 * What rank `to` needs of `from` leaves `from` over its links: β·(T − a) bytes over each at most, a being the latency of the link and of the
 * way on. So much is through by T; the least T for which it is enough is found by halving.
 */
function provedByPair(from: number, to: number, { kind, machine, size }: Claim): Seconds | undefined {
  const offset = offsetBetween(from, to, machine);
  if (offset === undefined || offset === 0) return undefined;
  const group = new TranslationGroup(machine.shape);
  const ways = waysFromZero(machine);
  const bytes = kind === 'allreduce' ? size : shardOf(machine, size);
  const through = (seconds: Seconds): Bytes =>
    sumOf(
      machine.generators.map((generator) => {
        const onward = ways[group.add(offset, group.negate(generator.offset))];
        return generator.bandwidth * Math.max(0, seconds - generator.latency - onward);
      }),
    );
  let [least, most] = [ways[offset], ways[offset] + bytes / Math.min(...machine.generators.map((g) => g.bandwidth))];
  for (let halving = 0; halving < 100; halving++) {
    const middle = (least + most) / 2;
    if (through(middle) < bytes) least = middle;
    else most = middle;
  }
  return least;
}

/** Every rank's data must reach all others, or come from them; known to 1 + d times as many ranks after each message. */
function provedBySpreading(
  direction: Certificate['witness'][string],
  { generators, ports, shape }: SymmetricTopology,
): Seconds | undefined {
  if (direction !== 'out' && direction !== 'in') return undefined;
  const most = direction === 'out' ? ports.send : ports.receive;
  const slots = Math.min(most, isBlocking(generators) ? generators.length : Number.POSITIVE_INFINITY);
  if (!(slots >= 1)) return undefined;
  return messagesInARow(shape, 1 + slots) * leastLatency(generators);
}

/** The shards of ranks that are so far away, in Σα, come over links that are of no use for them before; pipelined links may be earlier. */
function provedByDistance(distance: Seconds, { kind, machine, size }: Claim): Seconds | undefined {
  const { generators } = machine;
  const backwards = kind === 'reducescatter';
  if (kind === 'allreduce') return undefined;
  if (distance > leastLatency(generators) && !isBlocking(generators)) return undefined;
  // As many ranks are this far from rank 0 as it is from: the way from r to 0 is the one from 0 to ⊖r, shifted.
  const ways = waysFromZero(machine);
  const farther = ways.reduce((count, way, rank) => (rank > 0 && way >= distance ? count + 1 : count), 0);
  return farther === 0 ? undefined : distance + (farther * shardOf(machine, size)) / throughPorts(machine, backwards);
}

/** On blocking links it takes so many messages in a row to have all shards together, and their bytes after the latencies. */
function provedByRounds({ kind, machine, size }: Claim): Seconds | undefined {
  const { generators, ports, shape } = machine;
  const backwards = kind === 'reducescatter';
  if (kind === 'allreduce') return undefined;
  if (!isBlocking(generators) || (backwards ? ports.send : ports.receive) < generators.length) return undefined;
  const together = sumOf(generators.map(({ bandwidth }) => bandwidth));
  const slowest = Math.min(...generators.map(({ bandwidth }) => bandwidth));
  const others = ranksOf(shape) - 1;
  return (
    messagesInARow(shape, 1 + together / slowest) * leastLatency(generators) +
    (others * shardOf(machine, size)) / together
  );
}

/** Round a ring of blocking links, everything that comes to a chip over one of them has come from one chip to the next. */
function provedByRow({ kind, machine, size }: Claim): Seconds | undefined {
  const { shape, generators } = machine;
  const ranks = ranksOf(shape);
  if (kind === 'allreduce' || shape.length !== 1 || !isBlocking(generators)) return undefined;
  if (generators.some(({ offset }) => offset !== 1 && offset !== ranks - 1)) return undefined;
  const others = (ranks - 1) / generators.length;
  const fastest = Math.max(...generators.map(({ bandwidth }) => bandwidth));
  return Math.ceil(others) * leastLatency(generators) + (others * shardOf(machine, size)) / fastest;
}

/**
 * What must come to (or leave) the chips that differ on these axes alone, from all others. The k sets of such chips, each taken for one
 * participant, send each other 2(k − 1)·M in an allreduce; in an alltoall this says less than lengths.
 */
function provedByCut(axes: readonly number[], { kind, machine, size }: Claim): Seconds | undefined {
  const { shape, generators } = machine;
  if (kind === 'alltoall') return undefined;
  if (new Set(axes).size !== axes.length || axes.some((axis) => shape[axis] === undefined)) return undefined;
  const inside = axes.reduce((product, axis) => product * shape[axis], 1);
  const outside = ranksOf(shape) - inside;
  if (outside === 0) return undefined;
  const leaving = generators.filter(({ offset }) =>
    coordinatesOf(offset, shape).some((coordinate, axis) => coordinate !== 0 && !axes.includes(axis)),
  );
  const throughLinks = sumOf(leaving.map((generator) => generator.bandwidth));
  if (kind === 'allreduce') {
    const bytes = 2 * (ranksOf(shape) / inside - 1) * size;
    return leastLatency(generators) + bytes / (ranksOf(shape) * throughLinks);
  }
  const bandwidth = inside === 1 ? throughPorts(machine, kind === 'reducescatter') : inside * throughLinks;
  return leastLatency(generators) + (outside * shardOf(machine, size)) / bandwidth;
}

/** Every rank's item for each other goes over links whose lengths add up to the distance at least; all links have Σ l·β to give. */
function provedByLengths(lengths: readonly number[], { kind, machine, size }: Claim): Seconds | undefined {
  const { generators } = machine;
  if (kind !== 'alltoall' || lengths.length !== generators.length) return undefined;
  if (!lengths.every((length) => length >= 0 && Number.isFinite(length))) return undefined;
  const ways = waysFromZero({ ...machine, generators: generators.map((g, i) => ({ ...g, latency: lengths[i] })) });
  const room = sumOf(generators.map(({ bandwidth }, i) => bandwidth * lengths[i]));
  if (!(room > 0)) return undefined;
  return leastLatency(generators) + (shardOf(machine, size) * sumOf([...ways])) / room;
}

/** An allreduce takes 2(N − 1)·M bytes of messages; some rank sends, and some receives, no less than an even share. */
function provedByTotal(direction: Certificate['witness'][string], { kind, machine, size }: Claim): Seconds | undefined {
  if (kind !== 'allreduce' || (direction !== 'in' && direction !== 'out')) return undefined;
  const bytes = 2 * (ranksOf(machine.shape) - 1) * shardOf(machine, size);
  return leastLatency(machine.generators) + bytes / throughPorts(machine, direction === 'out');
}

/** Some rank does its even share of the reductions or more, and where links are idle meanwhile it has as many bytes to send besides; of an allreduce twice as many. */
function provedByReductions({ kind, machine, size }: Claim): Seconds | undefined {
  const { reduce, generators, shape } = machine;
  if (reduce === undefined || (kind !== 'reducescatter' && kind !== 'allreduce')) return undefined;
  const bytes = (ranksOf(shape) - 1) * shardOf(machine, size);
  if (reduce.overlap) return bytes / reduce.throughput;
  const sent = kind === 'allreduce' ? 2 * bytes : bytes;
  return bytes / reduce.throughput + leastLatency(generators) + sent / throughPorts(machine, true);
}

/** Least Σα from rank 0 to every rank: what a rank has found is handed on to where its links lead, until nothing gets shorter. */
function waysFromZero({ shape, generators }: SymmetricTopology): Float64Array {
  const group = new TranslationGroup(shape);
  const onward = generators.map(({ offset, latency }) => ({ latency, lead: group.translation(offset) }));
  const ways = new Float64Array(group.order).fill(Number.POSITIVE_INFINITY);
  ways[0] = 0;
  for (let changed = [0]; changed.length > 0; ) {
    const next: number[] = [];
    for (const rank of changed) {
      for (const { latency, lead } of onward) {
        const to = lead(rank);
        if (ways[rank] + latency >= ways[to]) continue;
        ways[to] = ways[rank] + latency;
        next.push(to);
      }
    }
    changed = next;
  }
  return ways;
}

/** The least k for which k messages in a row reach all ranks, if each makes them `times` as many. */
function messagesInARow(shape: readonly number[], times: number): number {
  let messages = 0;
  while (times ** messages < ranksOf(shape) * (1 - 1e-9)) messages++;
  return messages;
}

/** What a chip can take in at a time, or send out: as many of its fastest links as it has ports. */
function throughPorts({ generators, ports }: SymmetricTopology, sending: boolean): BytesPerSecond {
  const descending = generators.map(({ bandwidth }) => bandwidth).sort((a, b) => b - a);
  return sumOf(descending.slice(0, sending ? ports.send : ports.receive));
}

function coordinatesOf(rank: number, shape: readonly number[]): number[] {
  let rest = rank;
  return shape
    .toReversed()
    .map((extent) => {
      const coordinate = rest % extent;
      rest = Math.floor(rest / extent);
      return coordinate;
    })
    .reverse();
}

function shardOf({ shape }: SymmetricTopology, size: Bytes): Bytes {
  return size / ranksOf(shape);
}

function ranksOf(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

function isBlocking(generators: readonly Generator[]): boolean {
  return generators.every(({ occupancy }) => occupancy === 'blocking');
}

function leastLatency(generators: readonly Generator[]): Seconds {
  return Math.min(...generators.map(({ latency }) => latency));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
