/**
 * Theorem (docs/bounds.md, *Lengths*, along routes). Give each link a length; a message covers the lengths of all links of its route. For a byte of a
 * root, the messages that first bring it to each other rank form an arborescence of routes, which is no lighter than the lightest one. In a
 * reduction, take for each rank the last message that leaves it with a part of the root's result. Bytes of different roots share no message, so bytes
 * × length is at least the sum, over all roots, of m × the weight of the lightest arborescence.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { collectiveFacts } from '../ir/collective.ts';
import { itemAt, matrixAt } from '../ir/indexing.ts';
import { Routes } from '../ir/routes.ts';
import type { Seconds } from '../ir/units.ts';
import { timeForDistance } from './lengths.ts';
import { sumOf } from './machine.ts';
import { everyone, type Question } from './question.ts';
import type { Work } from './work.ts';

export function provedByRoutes({ lengths }: Witnesses['routes'], question: Question): Seconds {
  const { collective, machine, size, work } = question;
  const { kind, root, counts } = collective;
  const gathers = kind === 'reduce' || kind === 'reducescatter';
  if (!gathers && kind !== 'broadcast' && kind !== 'allgather') return 0;
  if (counts !== undefined || machine.topology.nodes.some(({ multicast }) => multicast)) return 0;
  const all = everyone(question);
  const routes = Routes.of(machine.topology);
  const far = all.map((from) => all.map((to) => (gathers ? length(to, from) : length(from, to))));
  const roots = collectiveFacts[kind].rooted ? [root] : all;
  const lightest = sumOf(roots.map((each) => lightestFrom(each, far, work)));
  return timeForDistance((lightest * size) / roots.length, lengths, question);

  function length(from: number, to: number): number {
    if (from === to) return Number.POSITIVE_INFINITY;
    const ways = Array.from({ length: routes.choices(from, to) }, (_, channel) => routes.between(from, to, channel));
    work.spend(sumOf(ways.map((way) => 1 + (way?.links.length ?? 0))));
    return Math.min(...ways.map((way) => sumOf((way?.links ?? []).map((link) => itemAt(lengths, link)))));
  }
}

/**
 * The weight of the lightest spanning arborescence from a root, by the algorithm of Chu and Liu (1965) and Edmonds (1967): each node chooses its
 * lightest incoming edge. A cycle of such edges is contracted to one node; the weight of an edge into the cycle is then reduced by the weight of
 * the cycle's edge into the same node, which it would replace.
 * @param far `far[from][to]`: the length of each edge
 */
function lightestFrom(root: number, far: readonly (readonly number[])[], work: Work): number {
  work.spend(5 * far.length ** 2);
  const nodes = [...far.keys()];
  const shortest = nodes.map((to) => (to === root ? 0 : Math.min(...nodes.map((from) => matrixAt(far, from, to)))));
  const before = nodes.map((to) =>
    to === root ? root : nodes.findIndex((from) => itemAt(far, from)[to] === shortest[to]),
  );
  const ahead = (node: number) => nodes.reduce((at) => itemAt(before, at), node);
  const onRound = nodes.map(ahead).find((node) => node !== root);
  if (onRound === undefined) return sumOf(shortest);
  const round = new Set<number>();
  for (let node = onRound; !round.has(node); node = itemAt(before, node)) round.add(node);
  const parts = [...nodes.filter((node) => !round.has(node)).map((node) => [node]), [...round]];
  const inRound = (to: number) => (round.has(to) ? itemAt(shortest, to) : 0);
  const between = (from: readonly number[], to: readonly number[]) =>
    Math.min(...from.flatMap((a) => to.map((b) => matrixAt(far, a, b) - inRound(b))));
  const smaller = parts.map((from) => parts.map((to) => (from === to ? Number.POSITIVE_INFINITY : between(from, to))));
  return (
    sumOf([...round].map(inRound)) +
    lightestFrom(
      parts.findIndex(([node]) => node === root),
      smaller,
      work,
    )
  );
}
