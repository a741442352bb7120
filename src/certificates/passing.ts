/**
 * Theorem (docs/bounds.md, *Passing*). All other ranks need M bytes from the root. Chip i has one link e from the root's side, one link f on to the
 * chip of another rank and one link g back from that side, all blocking, and no others between these sides and it. Let a = α(e) + α(f), β be the max
 * bandwidth of the three, W be T minus the min Σα from the root to e, and G(x) the min W′ ≥ x/β + a with x·W′ ≤ β·(W′² − area(W′, α(e)) − area(W′,
 * α(f))) (area: area.ts). If k messages with X bytes pass through i without stopping, and Z ≤ X bytes come to i over g, then W ≥ ka + X/β + G(M − X),
 * W ≥ ka + X/β + (M − Z)/β and Z/β ≤ Σ over j ≤ k of max(0, W − α(g) − Z/β − ja). T is refuted if no k allows all three.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Link } from '../ir/topology.ts';
import type { Seconds } from '../ir/units.ts';
import { checkedStaggeredArea } from './area.ts';
import { isForAll } from './demands.ts';
import { type CheckedMachine, sumOf } from './machine.ts';
import type { Question } from './question.ts';

/** The largest k that is tried; a certificate that needs more is refused. */
const mostCounted = 2000;

/** Whether `done` seconds are refuted for every number k of messages that pass through the chip. */
export function provesPassing(
  done: Seconds,
  { root, direction, through }: Witnesses['passing'],
  question: Question,
): boolean {
  const { size, work } = question;
  if (root === through || size === 0 || !isForAll(root, direction, question)) return false;
  const machine = direction === 'out' ? question.machine : question.machine.turned();
  const rootChip = itemAt(machine.chips, root);
  const passage = passageAt(itemAt(machine.chips, through), rootChip, machine);
  if (passage === undefined) return false;
  const { inward, onward, back } = passage;
  const time = done - itemAt(machine.ways([rootChip]), inward.from);
  const bytes = size / Math.max(inward.bandwidth, onward.bandwidth, back.bandwidth);
  const latency = inward.latency + onward.latency;
  // The passing messages take their latencies one after the other, and all bytes must cross the links besides, so W limits k.
  const most = Math.max(0, Math.floor((time - bytes) / latency));
  if (latency <= 0 || most > mostCounted) return false;
  work.spend(50 * most ** 2);
  return !Array.from({ length: most + 1 }).some((_, count) => isEnough(count, passage, time, bytes));
}

/**
 * Whether the inequalities of the theorem allow that `count` messages pass through the chip.
 * @param time W
 * @param bytes M/β, in seconds
 */
function isEnough(count: number, { inward, onward, back }: Passage, time: Seconds, bytes: Seconds): boolean {
  const latency = inward.latency + onward.latency;
  const messages = Array.from({ length: count }, (_, message) => message + 1);
  const canReturn = (returned: Seconds): boolean =>
    returned <= sumOf(messages.map((nth) => Math.max(0, time - back.latency - returned - nth * latency)));
  let [returned, tooMuch] = canReturn(bytes) ? [bytes, bytes] : [0, bytes];
  for (let round = 0; round < 50 && returned < tooMuch; round++) {
    const middle = (returned + tooMuch) / 2;
    if (canReturn(middle)) returned = middle;
    else tooMuch = middle;
  }
  const held = count * latency;
  const passing = count === 0 ? 0 : Math.min(bytes, time - held - bytes + tooMuch);
  if (passing < 0) return false;
  const [relayed, left] = [bytes - passing, time - held - passing];
  if (relayed <= 0) return left >= 0;
  const isRoom =
    relayed * left <=
    left ** 2 - checkedStaggeredArea(left, inward.latency) - checkedStaggeredArea(left, onward.latency);
  return left >= relayed + latency && isRoom;
}

/** The three links of a chip that stands between a root and one or more other ranks. */
interface Passage {
  readonly inward: Link;
  readonly onward: Link;
  readonly back: Link;
}

/** The links to the chip from the root's side, on to a rank's chip and back, if there is one of each and they block. */
function passageAt(chip: number, root: number, machine: CheckedMachine): Passage | undefined {
  const near = machine.partAround(root, chip);
  const entering = machine.linksAt(chip, 'in');
  const inward = only(entering.filter(({ from }) => near.has(from)));
  const back = only(entering.filter(({ from }) => !near.has(from)));
  const onward = only(machine.linksAt(chip, 'out').filter(({ to }) => !near.has(to)));
  if (inward === undefined || back === undefined || onward === undefined) return undefined;
  const areBlocking = [inward, onward, back].every((link) => link.occupancy === 'blocking');
  return areBlocking && machine.chips.includes(onward.to) ? { inward, onward, back } : undefined;
}

/** The link, if there is exactly one. */
function only(links: readonly Link[]): Link | undefined {
  return links.length === 1 ? links[0] : undefined;
}
