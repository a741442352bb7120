/** Batches of trees so small that on every edge one way over switches can carry all of a batch: a message takes one way. */
import type { Tree } from './pack.ts';
import type { PathFlow } from './path-flows.ts';

/** @param flows the ways between two ranks; trees are divided where the widest that is left is narrower than they are */
export function sharedAmongWays(
  trees: readonly Tree[],
  flows: (from: number, to: number) => readonly PathFlow[],
): readonly Tree[] {
  const left = new Map<string, number[]>();
  const waysOf = (from: number, to: number): number[] => {
    const known = left.get(`${from} ${to}`) ?? amountsByWay(flows(from, to));
    left.set(`${from} ${to}`, known);
    return known;
  };
  return trees.flatMap((tree) => {
    const parts: Tree[] = [];
    for (let rest = tree.amount; rest > 0; rest -= parts[parts.length - 1].amount) {
      const widest = tree.edges.reduce((least, { from, to }) => Math.min(least, ...waysOf(from, to).slice(0, 1)), rest);
      const amount = Math.max(1, Math.floor(widest));
      for (const { from, to } of tree.edges) {
        const ways = waysOf(from, to);
        ways[0] -= amount;
        ways.sort((a, b) => b - a);
      }
      parts.push({ ...tree, amount });
    }
    return parts;
  });
}

/** What each way can carry, the widest first. */
function amountsByWay(flows: readonly PathFlow[]): number[] {
  const amounts = new Map<string, number>();
  for (const { through, amount } of flows) amounts.set(through.join(), (amounts.get(through.join()) ?? 0) + amount);
  return [...amounts.values()].sort((a, b) => b - a);
}
