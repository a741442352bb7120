/**
 * The certificate of one cut: bytes that must cross it over its bandwidth, plus the latency that no plan can hide. The
 * theorem is in certificates/cut.ts, the proof in docs/bounds.md, *Cuts*.
 */
import type { Certificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { type Bytes, formatBytes, formatBytesPerSecond, type Seconds } from '../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween } from '../needs.ts';
import { type BoundWorker, timeToFill } from '../time-to-fill.ts';
import { soonestAt } from './senders.ts';

/** A cut, and the ranks between which bytes are counted. */
export interface Cut {
  /** 1 for each node of the machine that is inside. */
  readonly inside: Uint8Array;
  /** Ranks inside whose data is counted. */
  readonly sources: readonly number[];
  /** Ranks outside, none of them a source. */
  readonly targets: readonly number[];
}

/**
 * Returns the certificate of a cut; undefined if nothing has to cross it, if nothing can, or if the bound does not
 * exceed the best one known.
 */
export function cutCertificate(
  collective: Collective,
  facts: MachineFacts,
  size: Bytes,
  cut: Cut,
  known: Seconds = 0,
): Certificate<'cut'> | undefined {
  const { topology } = facts;
  const bytes = bytesBetween(collective, size, cut.sources, cut.targets);
  if (bytes === 0) return undefined;
  const crossings = crossingsOf(facts, cut);
  const seconds = timeToFill(crossings, bytes);
  if (!Number.isFinite(seconds) || seconds <= known) return undefined;
  const bandwidth = crossings.reduce((sum, crossing) => sum + crossing.rate, 0);
  const inside = topology.chips.flatMap((chip, rank) => (cut.inside[chip] === 1 ? [rank] : []));
  const part = inside.length === 0 || inside.length === topology.chips.length ? cut.sources : inside;
  return {
    kind: 'cut',
    seconds,
    reason: `${describeRanks(part)} must send the others ${formatBytes(bytes)} through ${formatBytesPerSecond(bandwidth)} of bandwidth, and the last bytes to cross must still reach their destination`,
    witness: {
      inside: [...cut.inside.keys()].filter((node) => cut.inside[node] === 1),
      sources: cut.sources,
      targets: cut.targets,
    },
  };
}

function crossingsOf(facts: MachineFacts, { inside, sources, targets }: Cut): BoundWorker[] {
  const { topology } = facts;
  const { chips, links } = topology;
  const chipOf = (rank: number) => chips[rank];
  const before = facts.latencies.fromAny(sources.map(chipOf));
  const after = facts.backwards.fromAny(targets.map(chipOf));
  const crossings: BoundWorker[] = [];
  for (const [index, { from, to, bandwidth, latency, occupancy }] of links.entries()) {
    if (inside[from] !== 1 || inside[to] === 1) continue;
    const pre = occupancy === 'blocking' ? before[from] : soonestAt(facts, index, before);
    crossings.push({ rate: bandwidth, idle: pre + latency + after[to] });
  }
  for (const rank of sources) {
    if (inside[chips[rank]] === 0) crossings.push({ rate: facts.sends[rank], idle: after[chips[rank]] });
  }
  for (const rank of targets) {
    if (inside[chips[rank]] === 0) continue;
    const idle = facts.enteredByBlocking[rank] ? before[chips[rank]] : facts.nearestOther[rank];
    crossings.push({ rate: facts.receives[rank], idle });
  }
  return crossings.filter((crossing) => Number.isFinite(crossing.idle));
}

/** `rank 3`, `ranks 0, 1, 2`, or `ranks 0, 1, 2, … (16 in all)`. */
function describeRanks(ranks: readonly number[]): string {
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  const list = ranks.length <= 8 ? ranks.join(', ') : `${ranks.slice(0, 3).join(', ')}, … (${ranks.length} in all)`;
  return `ranks ${list}`;
}
