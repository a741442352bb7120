/**
 * Which chips can send messages over a pipelined link. The link is occupied from the start of each such message, wherever its sender is, so that cuts
 * need the earliest possible start (docs/bounds.md, *Cuts*).
 */
import { itemAt, matrixAt } from '../ir/indexing.ts';
import type { Link } from '../ir/topology.ts';
import type { Seconds } from '../ir/units.ts';
import type { Question } from './question.ts';

/** On machines with more nodes, pairs of chips are not examined, and any chip is assumed to send over any link. */
const mostNodes = 128;

/**
 * For each link, the earliest time at which a chip that sends over it can start, plus the min Σα from any such chip to the link. Routes have min Σα,
 * so a chip sends over a link only if the link lies on a shortest path from it to another chip; where no chip does, any may.
 * @param before by node, the min Σα from a source
 */
export function soonestSenders(before: readonly Seconds[], { machine }: Question): (link: Link) => Seconds {
  const { chips, topology } = machine;
  const nearest = machine.ways(chips);
  if (topology.nodes.length > mostNodes) return ({ from }) => itemAt(nearest, from);
  const ways = chips.map((chip) => machine.ways([chip]));
  return ({ from, to, latency }) => {
    const onwards = machine.ways([to]);
    const senders = chips.filter((chip, rank) =>
      chips.some((other) => {
        const tolerance = 1e-12 + 1e-9 * matrixAt(ways, rank, other);
        return (
          other !== chip &&
          matrixAt(ways, rank, from) + latency + itemAt(onwards, other) - matrixAt(ways, rank, other) <= tolerance
        );
      }),
    );
    if (senders.length === 0) return itemAt(nearest, from);
    const start = Math.min(...senders.map((chip) => itemAt(before, chip)));
    return (
      start +
      Math.min(
        ...chips.map((chip, rank) => (senders.includes(chip) ? matrixAt(ways, rank, from) : Number.POSITIVE_INFINITY)),
      )
    );
  };
}
