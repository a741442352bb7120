/**
 * Checks certificates of bounds on compact plans from the view of one chip. It shares no code with the search
 * (bound.ts), and prefers the plainest method. What is proved for one rank holds for all; a reducescatter has the
 * bounds of an allgather on the transposed machine, where sending and receiving ports are exchanged.
 */

import type { WitnessFields } from '../../certificates/fields.ts';
import { checkedTimeToFill } from '../../certificates/time-to-fill.ts';
import { type CertificateVerdict, judgeWitness } from '../../certificates/verdict.ts';
import { Work } from '../../certificates/work.ts';
import type { CompactWitnesses, Direction } from '../../ir/certificate.ts';
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import { compactKinds, type Generator, type SymmetricTopology } from '../../ir/compact.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../../ir/units.ts';
import { longestTime } from '../../ir/units.ts';

/** The collective: what a pair of ranks exchanges, and the total. */
interface Question {
  readonly kind: CollectiveKind;
  readonly machine: SymmetricTopology;
  readonly size: Bytes;
  readonly work: Work;
}

/**
 * Whether the certificate, which may be arbitrary input, proves that no correct plan for the collective takes less than
 * its `seconds`.
 */
export function judgeCompactCertificate(
  certificate: unknown,
  { kind, ranks, counts }: Collective,
  machine: SymmetricTopology,
  size: Bytes,
): CertificateVerdict {
  const isKnown = compactKinds.includes(kind) && counts === undefined && ranksOf(machine.shape) === ranks;
  const isAsked = isKnown && Number.isFinite(size) && size >= 0;
  return judgeWitness(certificate, witnesses, (of, claimed, fields) => {
    if (!isAsked || (ranks < 2 && of !== 'trivial')) return false;
    const proved = provedBy(of, fields, { kind, machine, size, work: new Work() });
    return Number.isFinite(proved) && claimed <= proved;
  });
}

type Kind = keyof CompactWitnesses;

/** @throws Unreadable if a field is not what its kind requires */
const witnesses: {
  readonly [K in Kind]: (fields: WitnessFields, machine: SymmetricTopology) => CompactWitnesses[K];
} = {
  trivial: () => ({}),
  latency: pairFrom,
  pair: pairFrom,
  spreading: (fields) => ({ direction: fields.direction() }),
  distance: (fields) => ({ distance: fields.number('distance', 0, longestTime) }),
  gathering: () => ({}),
  row: () => ({}),
  cut: (fields, { shape }) => ({ axes: fields.indices('axes', shape.length) }),
  distances: (fields, { generators }) => ({ lengths: fields.lengths(generators.length) }),
  messages: (fields) => ({ direction: fields.direction() }),
  reductions: () => ({}),
  'stopped-links': () => ({}),
};

function pairFrom(fields: WitnessFields, { shape }: SymmetricTopology): CompactWitnesses['pair'] {
  return { from: fields.index('from', ranksOf(shape)), to: fields.index('to', ranksOf(shape)) };
}

/** The time that the witness proves; 0 if it proves nothing. */
function provedBy(kind: Kind, fields: WitnessFields, question: Question): Seconds {
  const { machine } = question;
  switch (kind) {
    case 'trivial':
      return 0;
    case 'latency':
      return provedByWay(witnesses.latency(fields, machine), question);
    case 'pair':
      return provedByPair(witnesses.pair(fields, machine), question);
    case 'spreading':
      return provedBySpreading(witnesses.spreading(fields, machine).direction, question);
    case 'distance':
      return provedByDistance(witnesses.distance(fields, machine).distance, question);
    case 'gathering':
      return provedByGathering(question);
    case 'row':
      return provedByRow(question);
    case 'cut':
      return provedByCut(witnesses.cut(fields, machine).axes, question);
    case 'distances':
      return provedByDistances(witnesses.distances(fields, machine).lengths, question);
    case 'messages':
      return provedByMessages(witnesses.messages(fields, machine).direction, question);
    case 'reductions':
      return provedByReductions(question);
    case 'stopped-links':
      return provedByStoppedLinks(question);
  }
}

/** Every rank needs something from every other, over paths of at least this latency. */
function provedByWay({ from, to }: CompactWitnesses['latency'], { machine, work }: Question): Seconds {
  return waysFromZero(machine, work)[offsetBetween(from, to, machine)];
}

function offsetBetween(from: number, to: number, { shape }: SymmetricTopology): number {
  const group = new TranslationGroup(shape);
  return group.add(to, group.negate(from));
}

/**
 * What rank `to` needs from `from` leaves `from` over its links: at most β·(T − a) bytes over each, where a is the
 * latency of the link and of the rest of the path.
 */
function provedByPair({ from, to }: CompactWitnesses['pair'], { kind, machine, size, work }: Question): Seconds {
  const offset = offsetBetween(from, to, machine);
  if (offset === 0) return 0;
  const group = new TranslationGroup(machine.shape);
  const ways = waysFromZero(machine, work);
  const links = machine.generators.map(({ offset: link, bandwidth, latency }) => {
    return { rate: bandwidth, idle: latency + ways[group.add(offset, group.negate(link))] };
  });
  return Math.max(ways[offset], checkedTimeToFill(links, kind === 'allreduce' ? size : shardOf(machine, size)));
}

/**
 * Every rank's data must reach all others, or come from them; each message multiplies the number of ranks that know it
 * by at most 1 + d.
 */
function provedBySpreading(direction: Direction, { machine }: Question): Seconds {
  const { generators, ports, shape } = machine;
  const most = direction === 'out' ? ports.send : ports.receive;
  const slots = Math.min(most, isBlocking(generators) ? generators.length : Number.POSITIVE_INFINITY);
  if (!(slots >= 1) || !Number.isFinite(slots)) return 0;
  return messagesInARow(shape, 1 + slots) * leastLatency(generators);
}

/** The shards of ranks that are so far away, in Σα, come over links that are of no use for them before; pipelined links may be earlier. */
function provedByDistance(distance: Seconds, { kind, machine, size, work }: Question): Seconds {
  const { generators } = machine;
  const backwards = kind === 'reducescatter';
  if (kind === 'allreduce') return 0;
  if (distance > leastLatency(generators) && !isBlocking(generators)) return 0;
  // As many ranks are this far from rank 0 as it is from: the way from r to 0 is the one from 0 to ⊖r, shifted.
  const ways = waysFromZero(machine, work);
  const farther = ways.reduce((count, way, rank) => (rank > 0 && way >= distance ? count + 1 : count), 0);
  return farther === 0 ? 0 : distance + (farther * shardOf(machine, size)) / throughPorts(machine, backwards);
}

/** On blocking links it takes so many messages in a row to have all shards together, and their bytes after the latencies. */
function provedByGathering({ kind, machine, size }: Question): Seconds {
  const { generators, ports, shape } = machine;
  const backwards = kind === 'reducescatter';
  if (kind === 'allreduce') return 0;
  if (!isBlocking(generators) || (backwards ? ports.send : ports.receive) < generators.length) return 0;
  const together = sumOf(generators.map(({ bandwidth }) => bandwidth));
  const slowest = Math.min(...generators.map(({ bandwidth }) => bandwidth));
  const others = ranksOf(shape) - 1;
  return (
    messagesInARow(shape, 1 + together / slowest) * leastLatency(generators) +
    (others * shardOf(machine, size)) / together
  );
}

/**
 * The bound on a ring of blocking links (row.ts): whatever enters a chip over a link was forwarded along that direction from chip to chip, one
 * message after the other, so that the latencies of the hops add to the time of the bytes. 0 for machines that are no such ring.
 */
function provedByRow({ kind, machine, size }: Question): Seconds {
  const { shape, generators } = machine;
  const ranks = ranksOf(shape);
  if (kind === 'allreduce' || shape.length !== 1 || !isBlocking(generators)) return 0;
  if (generators.some(({ offset }) => offset !== 1 && offset !== ranks - 1)) return 0;
  const others = (ranks - 1) / generators.length;
  const fastest = Math.max(...generators.map(({ bandwidth }) => bandwidth));
  return Math.ceil(others) * leastLatency(generators) + (others * shardOf(machine, size)) / fastest;
}

/**
 * What must come to (or leave) the chips that differ on these axes alone, from all others. The k sets of such chips, each taken for one
 * participant, send each other 2(k − 1)·M in an allreduce; in an alltoall this says less than lengths.
 */
function provedByCut(axes: readonly number[], { kind, machine, size }: Question): Seconds {
  const { shape, generators } = machine;
  if (kind === 'alltoall') return 0;
  const inside = axes.reduce((product, axis) => product * shape[axis], 1);
  const outside = ranksOf(shape) - inside;
  if (outside === 0) return 0;
  const group = new TranslationGroup(shape);
  const others = [...shape.keys()].filter((axis) => !axes.includes(axis));
  const leaving = generators.filter(({ offset }) => others.some((axis) => group.coordinate(offset, axis) !== 0));
  const throughLinks = sumOf(leaving.map((generator) => generator.bandwidth));
  if (kind === 'allreduce') {
    const bytes = 2 * (ranksOf(shape) / inside - 1) * size;
    return leastLatency(generators) + bytes / (ranksOf(shape) * throughLinks);
  }
  const bandwidth = inside === 1 ? throughPorts(machine, kind === 'reducescatter') : inside * throughLinks;
  return leastLatency(generators) + (outside * shardOf(machine, size)) / bandwidth;
}

/** Every rank's item for each other goes over links whose lengths add up to the distance at least; all links have Σ l·β to give. */
function provedByDistances(lengths: readonly number[], { kind, machine, size, work }: Question): Seconds {
  const { generators } = machine;
  if (kind !== 'alltoall') return 0;
  const weighed = { ...machine, generators: generators.map((g, i) => ({ ...g, latency: lengths[i] })) };
  const ways = waysFromZero(weighed, work);
  const room = sumOf(generators.map(({ bandwidth }, i) => bandwidth * lengths[i]));
  if (!(room > 0)) return 0;
  return leastLatency(generators) + (shardOf(machine, size) * sumOf([...ways])) / room;
}

/** An allreduce takes 2(N − 1)·M bytes of messages; some rank sends, and some receives, no less than an even share. */
function provedByMessages(direction: Direction, { kind, machine, size }: Question): Seconds {
  if (kind !== 'allreduce') return 0;
  const bytes = 2 * (ranksOf(machine.shape) - 1) * shardOf(machine, size);
  return leastLatency(machine.generators) + bytes / throughPorts(machine, direction === 'out');
}

/** Some rank does its even share of the reductions or more, after something has come to it. */
function provedByReductions({ kind, machine, size }: Question): Seconds {
  const { reduce, generators, shape } = machine;
  if (reduce === undefined || (kind !== 'reducescatter' && kind !== 'allreduce')) return 0;
  return leastLatency(generators) + ((ranksOf(shape) - 1) * shardOf(machine, size)) / reduce.throughput;
}

/** Where links are idle meanwhile it has as many bytes to send besides; of an allreduce twice as many. */
function provedByStoppedLinks(question: Question): Seconds {
  const { kind, machine, size } = question;
  if (machine.reduce === undefined || machine.reduce.overlap) return 0;
  const bytes = (kind === 'allreduce' ? 2 : 1) * (ranksOf(machine.shape) - 1) * shardOf(machine, size);
  const reducing = provedByReductions(question);
  return reducing === 0 ? 0 : reducing + bytes / throughPorts(machine, true);
}

/** The minimum Σα of any path from rank 0 to each rank, in seconds, by relaxing edges until nothing changes (Bellman and Ford). */
function waysFromZero({ shape, generators }: SymmetricTopology, work: Work): Float64Array {
  const group = new TranslationGroup(shape);
  const onward = generators.map(({ offset, latency }) => ({ latency, lead: group.translation(offset) }));
  const ways = new Float64Array(group.order).fill(Number.POSITIVE_INFINITY);
  ways[0] = 0;
  for (let changed = [0]; changed.length > 0; ) {
    work.spend(changed.length * onward.length);
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
