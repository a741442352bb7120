/**
 * Randomised greedy construction of allgathers and broadcasts: in each step every rank receives the chunks that the
 * fewest of its neighbours could bring later (rarest first).
 */
import type { Random } from '../../ir/random.ts';
import { Holdings } from '../list/holdings.ts';
import { Moves, type Spread } from '../list/spread.ts';
import { type UnitMachine, unitsOf } from './machine.ts';

/** One attempt with the given rounds in each step; undefined if some rank lacks something at the end. */
export function attemptSteps(
  { routes, units }: UnitMachine,
  spread: Spread,
  split: readonly number[],
  random: Random,
): Moves | undefined {
  const holdings = new Holdings(spread);
  const into = Array.from({ length: spread.ranks }, (_, rank) => routes.filter(({ to }) => to === rank));
  const moves = new Moves();
  for (const rounds of split) {
    const first = moves.length;
    for (const own of into) {
      const order = random.shuffle([...own]);
      // Routes with the fewest useful items choose first.
      order.sort((a, b) => holdings.useful(a.from, a.to) - holdings.useful(b.from, b.to));
      const neighbours = own.map(({ from }) => from);
      for (const way of order) {
        const items = rarest(holdings, way, neighbours, rounds * unitsOf(way, units), random);
        for (const item of items.sort((a, b) => a - b)) {
          moves.add(way.from, way.to, item);
          holdings.promise(way.to, item);
        }
      }
    }
    for (let row = first; row < moves.length; row++) holdings.arrive(moves.to.at(row), moves.item.at(row));
    moves.endStep(rounds);
  }
  return holdings.missing === 0 ? moves : undefined;
}

/**
 * Up to `count` items that a route can bring, ordered by how few of the receiver's neighbours have them, then by how
 * few ranks have them.
 */
function rarest(
  holdings: Holdings,
  { from, to }: { readonly from: number; readonly to: number },
  neighbours: readonly number[],
  most: number,
  random: Random,
): number[] {
  const { holders } = holdings;
  const scored = holdings.usefulItems(from, to).map((item) => {
    const near = neighbours.reduce((count, rank) => count + (holdings.isHeld(rank, item) ? 1 : 0), 0);
    return { item, score: near * holders.length + holders[item] + random.next() / 2 ** 32 };
  });
  return scored
    .sort((a, b) => a.score - b.score)
    .slice(0, most)
    .map(({ item }) => item);
}
