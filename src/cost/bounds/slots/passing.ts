/**
 * Broadcast (and backwards in time reduce, or what does either) over a chip i that has the root on one side and a part of the machine
 * with a chip v next to i on the other, joined by one blocking link each way: what v gets stops at i, and is sent on late, or passes i in
 * messages that keep both links all the time, and i must get it in another way.
 *
 * Let link e lead to i from the root's side, f from i to v and g back to i, a = α(e) + α(f), β be the greatest bandwidth of the three, and W be T
 * less the least Σα from the root to e. Of each byte take a way to v, and one to i that ends there. Let X bytes pass i on their way to
 * v, and k messages pass it that are on any of the ways: they keep both links for a + n/β each and shut out all others. In the time that
 * is left, M − X bytes come to i over e and later leave it over f: for W' they take G(M − X) or more, the least W' ≥ (M − X)/β + a for
 * which (M − X)·W' ≤ β·(W'² − area(W', α(e)) − area(W', α(f))), as for relays. With the Z ≤ X bytes that come to i over g,
 *
 *   W ≥ ka + X/β + G(M − X),   W ≥ ka + X/β + (M − Z)/β,
 *
 * the second for e, over which all others come to i. Of the Z bytes let z_j have come in the j-th message that passes. What came in it or later
 * goes back over g after it: W ≥ ja + (z₁ + … + z_j)/β + α(g) + (z_j + z_{j+1} + …)/β, so that
 *
 *   z_j/β ≤ max(0, W − α(g) − Z/β − ja).
 *
 * For each k the greatest Z is best, and the greatest X, for X/β + G(M − X) falls with X. If no k has a W, no plan takes T.
 */

import type { Certificate } from '../../../ir/certificate.ts';
import type { Collective } from '../../../ir/collective.ts';
import { DisjointSets } from '../../../ir/disjoint-sets.ts';
import { type Bytes, type BytesPerSecond, formatBytes, type Seconds } from '../../../ir/units.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import { area } from './area.ts';
import { type Root, rootsOf, turnedRound } from './roots.ts';

/** On larger machines, and for so many latencies' worth of bytes, it is not looked for; and of how many chips it is worked out. */
const most = { nodes: 256, latencies: 4000, chips: 3 };

/** A chip with one way in, one on and one back. */
interface Passage {
  /** The rank of i. */
  readonly through: number;
  /** α(e), α(f) and α(g). */
  readonly latencies: readonly [Seconds, Seconds, Seconds];
  readonly bandwidth: BytesPerSecond;
  /** Least Σα from the root to e. */
  readonly before: Seconds;
}

export function passingBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  if (size === 0 || collective.custom !== undefined || facts.topology.nodes.length > most.nodes) return [];
  let best: { readonly passage: Passage; readonly from: Root } | undefined;
  let longest = 0;
  for (const from of rootsOf(collective, facts)) {
    const machine = from.direction === 'out' ? facts : turnedRound(facts);
    for (const passage of once(machine, `passages ${from.root}`, () => passagesFrom(machine, from.root))) {
      const seconds = leastTime(passage, size);
      if (seconds <= longest) continue;
      best = { passage, from };
      longest = seconds;
    }
  }
  if (best === undefined) return [];
  const { passage, from } = best;
  const reason = `${formatBytes(size)} stop at rank ${passage.through} on their way between rank ${from.root} and what is behind, or pass it in messages that keep its links, and it needs them as well`;
  const witness = { root: from.root, direction: from.direction, through: passage.through };
  return [{ kind: 'passing', seconds: longest, reason, witness }];
}

/** Those farthest from the root. */
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

/** The greatest T that is refuted, by halving; 0 where bytes are so many that little would come of it. */
function leastTime(passage: Passage, size: Bytes): Seconds {
  const { latencies, bandwidth, before } = passage;
  const bytes = size / bandwidth;
  const latency = latencies[0] + latencies[1];
  if (!(bytes <= most.latencies * latency)) return 0;
  let refuted = bytes + latency;
  let open = 2 * refuted;
  while (isRefuted(passage, bytes, open)) open *= 2;
  for (let round = 0; round < 40; round++) {
    const middle = (refuted + open) / 2;
    if (isRefuted(passage, bytes, middle)) refuted = middle;
    else open = middle;
  }
  return before + refuted;
}

/** @param bytes M/β, as X and Z below */
function isRefuted({ latencies: [first, second, back] }: Passage, bytes: Seconds, window: Seconds): boolean {
  const latency = first + second;
  for (let count = 0; count * latency <= window - bytes; count++) {
    const returned = Math.min(bytes, mostReturned(window - back, latency, count));
    const passing = count === 0 ? 0 : Math.min(bytes, window - count * latency - bytes + returned);
    if (canRelay(bytes - passing, window - count * latency - passing, first, second)) return false;
  }
  return true;
}

/** The greatest Z/β: with j messages of use, Z/β = j(C − Z/β) − aj(j + 1)/2, C being W + post − α(g). */
function mostReturned(time: Seconds, latency: Seconds, count: number): Seconds {
  let returned = 0;
  for (let used = 1; used <= count; used++) {
    const next = (used * time - (latency * used * (used + 1)) / 2) / (used + 1);
    if (next <= returned) break;
    returned = next;
  }
  return returned;
}

/** Whether so many bytes can come over one link and go on over another in the time: G. */
function canRelay(bytes: Seconds, time: Seconds, first: Seconds, second: Seconds): boolean {
  if (bytes <= 0) return time >= 0;
  if (time < bytes + first + second) return false;
  return bytes * time <= time ** 2 - area(time, first) - area(time, second);
}
