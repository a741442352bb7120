/** Who may have sent what comes over a pipelined link, which is busy from the start of each message on (docs/bounds.md, *Cuts*). */
import { itemAt, matrixAt } from '../ir/indexing.ts';
import type { Link } from '../ir/topology.ts';
import type { Seconds } from '../ir/units.ts';
import type { Question } from './question.ts';

/** Larger machines are not looked at pair by pair. */
const mostNodes = 128;

/**
 * When the first message over a link can start, and the least way from there to it. Messages take ways of least Σα; on large machines any may
 * lead over any link.
 * @param before by node, the least Σα from a source
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
