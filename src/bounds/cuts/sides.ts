/** Sides of cuts, and the bytes that must cross them. */

import { linkColumns } from '../../graph/link-columns.ts';
import type { Collective } from '../../ir/collective.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween } from '../needs.ts';

/** One side of a cut: the nodes on it, and the ranks whose memory is on it. */
export interface Side {
  readonly inside: Uint8Array;
  readonly holders: Uint8Array;
  /** Set if a flow search produced this side: true if it is the tightest of all, false if the search ended early. */
  readonly exact?: boolean;
}

/** The complement of a side. */
export function opposite({ inside, holders, ...rest }: Side): Side {
  return { inside: inside.map((bit) => 1 - bit), holders: holders.map((bit) => 1 - bit), ...rest };
}

/** The rate of a cut: bytes that must cross it per byte of message, divided by its bandwidth. */
export function crossingRate(collective: Collective, facts: MachineFacts, side: Side): number {
  const bandwidth = sideBandwidth(facts, side);
  if (bandwidth === 0) return 0;
  const { sources, targets } = acrossAll(side);
  return bytesBetween(collective, 1, sources, targets) / bandwidth;
}

function sideBandwidth({ topology, sends, receives }: MachineFacts, { inside, holders }: Side): number {
  const { from, to, bandwidth: widths } = linkColumns(topology);
  const { chips } = topology;
  let bandwidth = 0;
  for (let link = 0; link < widths.length; link++) {
    if (inside[from[link]] > inside[to[link]]) bandwidth += widths[link];
  }
  for (let rank = 0; rank < chips.length; rank++) {
    const isInside = inside[chips[rank]];
    if (holders[rank] > isInside) bandwidth += sends[rank];
    if (holders[rank] < isInside) bandwidth += receives[rank];
  }
  return bandwidth;
}

/** All ranks of this side as sources, and all others as targets. */
export function acrossAll({ holders }: Side): { readonly sources: number[]; readonly targets: number[] } {
  const sources: number[] = [];
  const targets: number[] = [];
  for (let rank = 0; rank < holders.length; rank++) {
    if (holders[rank] === 1) sources.push(rank);
    else targets.push(rank);
  }
  return { sources, targets };
}
