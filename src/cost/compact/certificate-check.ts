/**
 * Checks certificates of bounds on compact plans from what one chip sees of its machine. It shares nothing with the search (bound.ts)
 * and prefers the plainest way. What is proved of one rank holds of all, and of a reducescatter what is proved of an allgather on
 * the machine with every link turned round, which has the same links from every chip, and the ports of receiving for sending.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Generator, SymmetricTopology } from '../../ir/compact.ts';
import type { Certificate } from '../../ir/report.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../../ir/units.ts';

/** Certificates may claim this much more than what is recomputed here: rounding. */
const rounding = 1 + 1e-9;

/** True if the certificate proves that no correct plan for an allgather or a reducescatter takes less than `certificate.seconds`. */
export function checkCompactCertificate(
  certificate: Certificate,
  { kind, ranks, counts }: Collective,
  machine: SymmetricTopology,
  size: Bytes,
): boolean {
  if ((kind !== 'allgather' && kind !== 'reducescatter') || counts !== undefined) return false;
  if (machine.shape.reduce((product, extent) => product * extent, 1) !== ranks) return false;
  const proved = provedBy(certificate, kind === 'reducescatter', machine, size);
  return proved !== undefined && certificate.seconds >= 0 && certificate.seconds <= proved * rounding;
}

/** The time that the witness proves; undefined if it proves nothing. */
function provedBy(
  { kind, witness }: Certificate,
  backwards: boolean,
  machine: SymmetricTopology,
  size: Bytes,
): Seconds | undefined {
  const { axes, distance, rounds, from, to } = witness;
  switch (kind) {
    case 'trivial':
      return 0;
    case 'latency':
      return typeof from === 'number' && typeof to === 'number' ? provedByWay(from, to, machine) : undefined;
    case 'spreading':
      return provedBySpreading(witness.direction, machine);
    case 'compute':
      return backwards ? provedByReductions(machine, size) : undefined;
    default:
      if (typeof axes === 'object') return provedByCut(axes, backwards, machine, size);
      if (typeof distance === 'number') return provedByDistance(distance, backwards, machine, size);
      return rounds === undefined ? undefined : provedByRounds(backwards, machine, size);
  }
}

/** Any rank needs something of any other, over links of so much latency at least. */
function provedByWay(from: number, to: number, machine: SymmetricTopology): Seconds | undefined {
  const group = new TranslationGroup(machine.shape);
  const isRank = (rank: number) => Number.isInteger(rank) && rank >= 0 && rank < group.order;
  return isRank(from) && isRank(to) ? waysFromZero(machine)[group.add(to, group.negate(from))] : undefined;
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
function provedByDistance(
  distance: Seconds,
  backwards: boolean,
  machine: SymmetricTopology,
  size: Bytes,
): Seconds | undefined {
  const { generators } = machine;
  if (distance > leastLatency(generators) && !isBlocking(generators)) return undefined;
  // As many ranks are this far from rank 0 as it is from: the way from r to 0 is the one from 0 to ⊖r, shifted.
  const ways = waysFromZero(machine);
  const farther = ways.reduce((count, way, rank) => (rank > 0 && way >= distance ? count + 1 : count), 0);
  return farther === 0 ? undefined : distance + (farther * shardOf(machine, size)) / throughPorts(machine, backwards);
}

/** On blocking links it takes so many messages in a row to have all shards together, and their bytes after the latencies. */
function provedByRounds(backwards: boolean, machine: SymmetricTopology, size: Bytes): Seconds | undefined {
  const { generators, ports, shape } = machine;
  if (!isBlocking(generators) || (backwards ? ports.send : ports.receive) < generators.length) return undefined;
  const together = sumOf(generators.map(({ bandwidth }) => bandwidth));
  const slowest = Math.min(...generators.map(({ bandwidth }) => bandwidth));
  const others = ranksOf(shape) - 1;
  return (
    messagesInARow(shape, 1 + together / slowest) * leastLatency(generators) +
    (others * shardOf(machine, size)) / together
  );
}

/** What must come to (or leave) the chips that differ on these axes alone, from all others. */
function provedByCut(
  axes: readonly number[],
  backwards: boolean,
  machine: SymmetricTopology,
  size: Bytes,
): Seconds | undefined {
  const { shape, generators } = machine;
  if (new Set(axes).size !== axes.length || axes.some((axis) => shape[axis] === undefined)) return undefined;
  const inside = axes.reduce((product, axis) => product * shape[axis], 1);
  const outside = ranksOf(shape) - inside;
  const leaving = generators.filter(({ offset }) =>
    coordinatesOf(offset, shape).some((coordinate, axis) => coordinate !== 0 && !axes.includes(axis)),
  );
  const bandwidth =
    inside === 1 ? throughPorts(machine, backwards) : inside * sumOf(leaving.map((generator) => generator.bandwidth));
  return outside === 0 ? undefined : leastLatency(generators) + (outside * shardOf(machine, size)) / bandwidth;
}

/** Some rank does its even share of the reductions or more, and where links are idle meanwhile it has as many bytes to send besides. */
function provedByReductions(machine: SymmetricTopology, size: Bytes): Seconds | undefined {
  const { reduce, generators, shape } = machine;
  if (reduce === undefined) return undefined;
  const bytes = (ranksOf(shape) - 1) * shardOf(machine, size);
  if (reduce.overlap) return bytes / reduce.throughput;
  return bytes / reduce.throughput + leastLatency(generators) + bytes / throughPorts(machine, true);
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
