/** What it costs that a chunk cannot be divided: where C is given, no plan comes nearer to its bound than whole chunks let it. */
import type { CollectiveKind } from '../ir/collective.ts';
import type { Link, Topology } from '../ir/topology.ts';

/** Which side of its links every chip passes (N − 1)·C chunks over. */
const sides: Partial<Readonly<Record<CollectiveKind, 'to' | 'from'>>> = { allgather: 'to', reducescatter: 'from' };

/**
 * At least how many times as long as its bytes alone a collective in whole chunks takes: of the n = (N − 1)·C chunks that pass a
 * chip over k links that are alike, ⌈n/k⌉ pass one of them. 1 where nothing is known.
 */
export function wholeChunkFactor(kind: CollectiveKind, topology: Topology, chunks: number): number {
  const side = sides[kind];
  if (side === undefined || topology.links.some((link) => !isLike(link, topology.links[0]))) return 1;
  const passing = (topology.chips.length - 1) * chunks;
  const degrees = topology.chips.map((chip) => topology.links.filter((link) => link[side] === chip).length);
  const fewest = Math.min(...degrees);
  // Other chips have more links: they are done earlier, in whole chunks too.
  return fewest === 0 || passing === 0 ? 1 : Math.ceil(passing / fewest) / (passing / fewest);
}

function isLike(link: Link, other: Link): boolean {
  return link.bandwidth === other.bandwidth && link.latency === other.latency;
}
