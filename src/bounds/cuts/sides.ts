/** Sides of cuts, and what must cross them. */

import { linkColumns } from '../../graph/link-columns.ts';
import type { Collective } from '../../ir/collective.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { bytesBetween } from '../needs.ts';

/** A side of a cut: nodes, and ranks whose data is there. */
export interface Side {
  readonly inside: Uint8Array;
  readonly holders: Uint8Array;
  /** Set where a flow searched for the tightest of all: whether this is it, or the best that the search came to. */
  readonly exact?: boolean;
}

/** The other side. */
export function opposite({ inside, holders, ...rest }: Side): Side {
  return { inside: inside.map((bit) => 1 - bit), holders: holders.map((bit) => 1 - bit), ...rest };
}

/** Bytes that must cross a cut, of a message of one, for its bandwidth. */
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

/** All ranks on the one side, and on the other. */
export function acrossAll({ holders }: Side): { readonly sources: number[]; readonly targets: number[] } {
  const sources: number[] = [];
  const targets: number[] = [];
  for (let rank = 0; rank < holders.length; rank++) {
    if (holders[rank] === 1) sources.push(rank);
    else targets.push(rank);
  }
  return { sources, targets };
}
