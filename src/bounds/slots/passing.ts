/**
 * Passing bound for broadcasts, and collectives that contain one (roots.ts), over a chip with one link in, one link
 * onwards and one link back: a message that passes through occupies these links, and one that stops there is forwarded
 * late. The theorem is in certificates/passing.ts, the proof in docs/bounds.md, *Passing*.
 */
import type { Certificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { DisjointSets } from '../../ir/disjoint-sets.ts';
import { type Bytes, type BytesPerSecond, formatBytes, type Seconds } from '../../ir/units.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import { minStaggeredArea } from './area.ts';
import { greatestRefuted } from './greatest-refuted.ts';
import { rootsOf, type SlotRoot, transposedFacts } from './roots.ts';

/** Limits: nodes, message sizes in multiples of the latency, and chips for which the bound is computed. */
const most = { nodes: 256, latencies: 4000, chips: 3 };

/** A chip with one link in (e), one link onwards (f) and one link back (g). */
interface Passage {
  /** The chip's rank, i in the proof. */
  readonly through: number;
  /** α(e), α(f) and α(g). */
  readonly latencies: readonly [Seconds, Seconds, Seconds];
  readonly bandwidth: BytesPerSecond;
  /** Least Σα from the root to e. */
  readonly before: Seconds;
}

export function passingBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  if (size === 0 || collective.custom !== undefined || facts.topology.nodes.length > most.nodes) return [];
  let best: { readonly passage: Passage; readonly from: SlotRoot } | undefined;
  let longest = 0;
  for (const from of rootsOf(collective, facts)) {
    const machine = from.direction === 'out' ? facts : transposedFacts(facts);
    for (const passage of once(machine, `passages ${from.root}`, () => passagesFrom(machine, from.root))) {
      const seconds = minTime(passage, size);
      if (seconds <= longest) continue;
      best = { passage, from };
      longest = seconds;
    }
  }
  if (best === undefined) return [];
  const { passage, from } = best;
  const reason = `${formatBytes(size)} between rank ${from.root} and the ranks behind rank ${passage.through} are either stored at that rank or pass it in messages that occupy its links, and it needs them itself`;
  const witness = { root: from.root, direction: from.direction, through: passage.through };
  return [{ kind: 'passing', seconds: longest, reason, witness }];
}

/** The passages farthest from the root. */
function passagesFrom(facts: MachineFacts, root: number): Passage[] {
  const passages = facts.topology.chips.flatMap((_, through) => passageAt(through, root, facts) ?? []);
  return passages.sort((a, b) => b.before - a.before).slice(0, most.chips);
}

function passageAt(through: number, root: number, facts: MachineFacts): Passage | undefined {
  const { chips, links } = facts.topology;
  const entering = links.filter(({ to }) => to === chips[through]);
  if (through === root || entering.length !== 2) return undefined;
  const parts = partsWithout(facts, chips[through]);
  const isNear = (node: number) => parts.of(node) === parts.of(chips[root]);
  const inward = entering.filter(({ from }) => isNear(from));
  const back = entering.filter(({ from }) => !isNear(from));
  const onward = links.filter(({ from, to }) => from === chips[through] && !isNear(to));
  if (inward.length !== 1 || onward.length !== 1 || !chips.includes(onward[0].to)) return undefined;
  const ways = [inward[0], onward[0], back[0]];
  if (ways.some(({ occupancy }) => occupancy !== 'blocking')) return undefined;
  return {
    through,
    latencies: [inward[0].latency, onward[0].latency, back[0].latency],
    bandwidth: Math.max(...ways.map(({ bandwidth }) => bandwidth)),
    before: facts.latencies.from(chips[root])[inward[0].from],
  };
}

function partsWithout({ topology }: MachineFacts, left: number): DisjointSets {
  const parts = new DisjointSets(topology.nodes.length);
  for (const { from, to } of topology.links) if (from !== left && to !== left) parts.join(from, to);
  return parts;
}

/** The greatest refuted time; 0 where the message is so large that the bound would gain little. */
function minTime(passage: Passage, size: Bytes): Seconds {
  const { latencies, bandwidth, before } = passage;
  const bytes = size / bandwidth;
  const latency = latencies[0] + latencies[1];
  if (!(bytes <= most.latencies * latency)) return 0;
  return before + greatestRefuted(bytes + latency, (window) => isRefuted(passage, bytes, window));
}

/**
 * Whether the time is refuted.
 * @param bytes M/β, in seconds like X and Z below
 */
function isRefuted({ latencies: [first, second, back] }: Passage, bytes: Seconds, window: Seconds): boolean {
  const latency = first + second;
  for (let count = 0; count * latency <= window - bytes; count++) {
    const returned = Math.min(bytes, maxReturned(window - back, latency, count));
    const passing = count === 0 ? 0 : Math.min(bytes, window - count * latency - bytes + returned);
    if (canRelay(bytes - passing, window - count * latency - passing, first, second)) return false;
  }
  return true;
}

/** The maximum of Z/β: with j useful messages Z/β = j(C − Z/β) − aj(j + 1)/2, where C = W + post − α(g). */
function maxReturned(time: Seconds, latency: Seconds, count: number): Seconds {
  let returned = 0;
  for (let used = 1; used <= count; used++) {
    const next = (used * time - (latency * used * (used + 1)) / 2) / (used + 1);
    if (next <= returned) break;
    returned = next;
  }
  return returned;
}

/** Whether so many bytes can arrive over one link and continue over another in the given time (G in the proof). */
function canRelay(bytes: Seconds, time: Seconds, first: Seconds, second: Seconds): boolean {
  if (bytes <= 0) return time >= 0;
  if (time < bytes + first + second) return false;
  return bytes * time <= time ** 2 - minStaggeredArea(time, first) - minStaggeredArea(time, second);
}
