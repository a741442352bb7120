/**
 * Theorem (docs/bounds.md, *Staging*). Where links and reductions reach a fast memory alone, a rank's chip copies into it what is sent of its input
 * or combined with others, and out of it, or from the input, what its output does not hold from the start: at the rate c of its copy engine, both
 * together unless it is duplex. And if its slots carry B ≤ c together, and a message keeps one for β·α bytes' time at least, K messages that carry W
 * bytes for the first time, nⱼ each in the order in which they begin, Pⱼ up to the j-th, take T = W/B + x with
 * nⱼ/c ≤ x + Pⱼ₋₁(1/B − 1/c) − (K − j + 1)βα/B. Backwards in time the same holds of what it receives.
 */
import type { Direction, Witnesses } from '../../ir/certificate.ts';
import type { Seconds } from '../../ir/units.ts';
import { ownValues, stagedBy } from './demands.ts';
import { sumOf } from './machine.ts';
import { allBut, type Question } from './question.ts';

export function provedByStaging({ rank }: Witnesses['staging'], question: Question): Seconds {
  const { topology, chips } = question.machine;
  const { copy } = topology.nodes[chips[rank]];
  if (topology.staging === undefined || copy === undefined) return 0;
  const { into, outOf } = stagedBy(question, rank);
  const copying = ((copy.duplex === true ? Math.max(into, outOf) : into + outOf) * question.size) / copy.throughput;
  return Math.max(copying, sendingBehind(rank, 'out', question), sendingBehind(rank, 'in', question));
}

/** W/B + x. */
function sendingBehind(rank: number, direction: Direction, question: Question): Seconds {
  const { machine, collective, size } = question;
  const rate = machine.topology.nodes[machine.chips[rank]].copy?.throughput ?? 0;
  const slots = machine.slots(rank, direction);
  if (slots === undefined || sumOf(slots) > rate || collective.kind === 'custom') return 0;
  const together = sumOf(slots);
  const latency = Math.min(...allBut(rank, question).map((other) => machine.latencies([rank], direction)[other]));
  const perMessage = (Math.min(...slots) * latency) / together;
  const bytes = ownValues(question)[direction][rank] * size;
  if (bytes === 0 || perMessage === 0) return bytes / together;
  return bytes / together + (1 - 1e-12) * delayOf(bytes, together, rate, perMessage, question);
}

/** The least x, to twelve digits: whether messages can carry W with it is tried out. */
function delayOf(bytes: number, together: number, rate: number, perMessage: Seconds, { work }: Question): Seconds {
  const isEnough = (x: Seconds): boolean => {
    let before = 0;
    const messages = Math.floor(x / perMessage);
    work.spend(messages);
    for (let j = 1; j <= messages; j++) {
      const most = rate * (x + before * (1 / together - 1 / rate) - (messages - j + 1) * perMessage);
      before += Math.max(0, most);
    }
    return before >= bytes;
  };
  let enough = perMessage;
  while (!isEnough(enough)) enough *= 2;
  let tooLittle = enough === perMessage ? 0 : enough / 2;
  while (enough - tooLittle > 1e-13 * enough) {
    const middle = tooLittle + (enough - tooLittle) / 2;
    if (middle <= tooLittle || middle >= enough) break;
    if (isEnough(middle)) enough = middle;
    else tooLittle = middle;
  }
  return tooLittle;
}
