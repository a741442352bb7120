/** The check of bounds on what stops at a chip on its way, or passes it (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import type { Link, Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { behind, isForAll, partAround } from './relay.ts';
import { sumOf, waysFrom } from './ways.ts';

/** What the certificate says: whose bytes go to all others (`out`) or come from them (`in`), and over which rank. */
export interface PassingWitness {
  readonly root: number;
  readonly direction: 'out' | 'in';
  readonly through: number;
}

/** Numbers of messages that are gone through; what needs more is not believed. */
const mostCounted = 2000;

/** All in seconds: what the proof needs of the three links, the window of time, and M/β. */
interface Window {
  readonly inward: Seconds;
  readonly onward: Seconds;
  readonly back: Seconds;
  readonly time: Seconds;
  readonly bytes: Seconds;
}

/** Whether no number of messages that pass the chip leaves time enough, in a plan that takes less than the time claimed. */
export function provesPassing(
  claimed: Seconds,
  { root, direction, through }: PassingWitness,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): boolean {
  const { chips } = topology;
  if (chips[root] === undefined || chips[through] === undefined || root === through) return false;
  if (!(size > 0) || !Number.isFinite(claimed) || !isForAll(root, direction, collective)) return false;
  const turned = topology.links.map((link) => ({ ...link, from: link.to, to: link.from }));
  const machine = direction === 'out' ? topology : { ...topology, links: turned };
  const links = linksAround(machine, chips[root], chips[through]);
  if (links === undefined) return false;
  const [inward, onward, back] = links;
  const time = claimed * (1 - 1e-9) - waysFrom(machine, [chips[root]])[inward.from];
  const bytes = size / Math.max(inward.bandwidth, onward.bandwidth, back.bandwidth);
  const window = { inward: inward.latency, onward: onward.latency, back: back.latency, time, bytes };
  if (inward.latency + onward.latency <= 0) return false;
  // Each message that passes takes its latencies besides the bytes that must come over the first link.
  const most = Math.floor((time - bytes) / (inward.latency + onward.latency));
  if (most > mostCounted) return false;
  return !Array.from({ length: Math.max(0, most) + 1 }, (_, count) => count).some((count) => isEnough(count, window));
}

/** The only links to the chip from the side of the root, from there to a rank's chip on the other side, and back, all of which block. */
function linksAround(topology: Topology, root: number, chip: number): [Link, Link, Link] | undefined {
  const near = partAround(topology, chip, root);
  const entering = topology.links.filter((link) => link.to === chip);
  const inward = entering.filter(({ from }) => near.has(from));
  const back = entering.filter(({ from }) => !near.has(from));
  const onward = topology.links.filter((link) => link.from === chip && !near.has(link.to));
  if (inward.length !== 1 || back.length !== 1 || onward.length !== 1) return undefined;
  if (!topology.chips.includes(onward[0].to)) return undefined;
  const links: [Link, Link, Link] = [inward[0], onward[0], back[0]];
  return links.every(({ occupancy }) => occupancy === 'blocking') ? links : undefined;
}

/** Whether all that is needed fits in if so many messages pass the chip. */
function isEnough(count: number, { inward, onward, back, time, bytes }: Window): boolean {
  const held = count * (inward + onward);
  const messages = Array.from({ length: count }, (_, message) => message + 1);
  const canReturn = (returned: Seconds): boolean =>
    returned <= sumOf(messages.map((nth) => Math.max(0, time - back - returned - nth * (inward + onward))));
  let [returned, tooMuch] = canReturn(bytes) ? [bytes, bytes] : [0, bytes];
  for (let round = 0; round < 50 && returned < tooMuch; round++) {
    const middle = (returned + tooMuch) / 2;
    if (canReturn(middle)) returned = middle;
    else tooMuch = middle;
  }
  const passing = count === 0 ? 0 : Math.min(bytes, time - held - bytes + tooMuch);
  if (passing < 0) return false;
  const [relayed, left] = [bytes - passing, time - held - passing];
  if (relayed <= 0) return left >= 0;
  return left >= relayed + inward + onward && relayed * left <= left ** 2 - behind(left, inward) - behind(left, onward);
}
