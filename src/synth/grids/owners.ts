/**
 * How many places of each axis get blocks of their own in an allreduce: as many as there are, unless blocks were so short that their latency is all
 * they take, or the plan were beyond a limit. With fewer of them there are fewer messages. On the axes that a part takes after its first they cost next to nothing,
 * since little is left to send there; on the first, links are idle between one block and the next, unless bulks fill the gaps.
 */
import { type Collective, messageChunks } from '../../ir/collective.ts';
import type { GridAxis } from '../../ir/grid-routes.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Bytes } from '../../ir/units.ts';
import type { Doing, Level } from './axis-by-axis.ts';

/** A part's axes in its order, with their owners. */
export type Order = readonly Level[];

/** On the axes after the first, owners are halved so many times at most for the sake of a limit. */
const mostHalvings = 3;

/**
 * The orders of all parts of a vector, with one owner on each axis where more are beyond a limit.
 * @param leastBlock shorter blocks than this are not worth their messages
 */
export function allreduceOrders(
  collective: Collective,
  axes: readonly GridAxis[],
  { size, leastBlock, limits }: { readonly size: Bytes; readonly leastBlock: Bytes; readonly limits: Limits },
): readonly Order[] {
  const forSize = halvingsFor(axes, size / axes.length, leastBlock);
  const ordersWith = (halvings: readonly number[]): readonly Order[] =>
    axes.map((_, part) => ordered([...axes.slice(part), ...axes.slice(0, part)], halvings));
  const most = Math.max(...axes.map(({ extent }) => Math.ceil(Math.log2(extent))));
  for (let first = forSize[0]; first <= most; first++) {
    for (let rest = 0; rest <= mostHalvings; rest++) {
      const orders = ordersWith(forSize.map((least, level) => (level === 0 ? first : Math.max(least, rest))));
      const chunks = orders.reduce((sum, order) => sum + blocksOf(order), 0);
      if (beyondLimits({ ...collective, chunks }, orders, 'both', limits) === undefined) return orders;
    }
  }
  return ordersWith(axes.map(() => most));
}

function ordered(axes: readonly GridAxis[], halvings: readonly number[]): Order {
  return axes.map((axis, level) => ({ axis, owners: Math.ceil(axis.extent / 2 ** halvings[level]) }));
}

/** Of the last axis first, until blocks are long enough or have one owner on each axis. */
function halvingsFor(axes: readonly GridAxis[], part: Bytes, leastBlock: Bytes): readonly number[] {
  const halvings = axes.map(() => 0);
  for (let level = axes.length - 1; level >= 0; level--) {
    const isTooShort = (): boolean => part / blocksOf(ordered(axes, halvings)) < leastBlock;
    while (isTooShort() && axes.some(({ extent }) => extent > 2 ** halvings[level])) halvings[level]++;
  }
  return halvings;
}

/** Blocks that a part is cut into. */
export function blocksOf(order: Order): number {
  return order.reduce((product, { owners }) => product * owners, 1);
}

/** What of a plan is beyond its limit, told from its numbers before it is made. */
export function beyondLimits(
  collective: Collective,
  orders: readonly Order[],
  doing: Doing,
  limits: Limits,
): string | undefined {
  const { ranks, inPlace } = collective;
  const times = doing === 'both' ? 2 : 1;
  // A message is sent and received.
  const operations = orders.reduce((sum, order) => sum + 2 * times * messagesOf(order, ranks), 0);
  if (operations > limits.operations) {
    return `${Math.ceil(operations)} operations are more than the limit operations = ${limits.operations}`;
  }
  // What is reduced is a copy of the input, which is read and written.
  const copied = doing === 'spread' || inPlace ? 0 : 2;
  const slots = (2 * times + copied) * messageChunks(collective) * ranks;
  if (slots <= limits.slots) return undefined;
  return `operations on ${slots} chunks in all are more than the limit slots = ${limits.slots} (--limit slots=${slots} raises it far enough)`;
}

/** On a line every block goes over all but one of the links; on later axes only lines of owners take part. */
function messagesOf(order: Order, ranks: number): number {
  let [sum, taking] = [0, ranks];
  for (const { axis, owners } of order) {
    sum += (taking / axis.extent) * (axis.extent - 1) * owners;
    taking *= owners / axis.extent;
  }
  return sum;
}
