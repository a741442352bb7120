/** Section 7 of docs/verification.md: a barrier has no result. Nobody leaves it before everybody has entered it. */
import type { Layout } from './form.ts';
import { type EventGraph, eventOf, operationOf } from './order.ts';
import { Refusal } from './refusal.ts';
import { intAt, itemAt, type PlanTables } from './tables.ts';

/**
 * Something that each rank does comes before something that each other rank does. Otherwise a rank could be through with all its operations while
 * another has not begun.
 * @param run all nodes of the graph in an order that it allows
 * @throws Refusal 'wrong-result'
 */
export function checkBarrier({ buffers }: PlanTables, { rankOf }: Layout, graph: EventGraph, run: Int32Array): void {
  const ranks = buffers.length;
  if (run.length * ranks > 2 ** 36) throw new Refusal('limit', 'a barrier of too many operations and ranks');
  const { operations, nodesPerEvent, firstPredecessor, predecessors } = graph;
  const everybody = (1n << BigInt(ranks)) - 1n;
  /** Sets of ranks as bits. By node: the ranks that do something before it. By rank: those that do something before something of the rank. */
  const entered: bigint[] = [];
  const known = buffers.map((_, rank) => 1n << BigInt(rank));
  for (const node of run) {
    // Each bulk is a barrier by itself, and all are alike.
    if (node >= nodesPerEvent * operations) continue;
    const rank = intAt(rankOf, operationOf(graph, eventOf(graph, node)));
    let before = 1n << BigInt(rank);
    for (let edge = intAt(firstPredecessor, node); edge < intAt(firstPredecessor, node + 1); edge++) {
      before |= itemAt(entered, intAt(predecessors, edge));
    }
    entered[node] = before;
    known[rank] = itemAt(known, rank) | before;
  }
  for (const [rank, ranksBefore] of known.entries()) {
    if (ranksBefore !== everybody)
      throw new Refusal('wrong-result', `rank ${rank} can leave before all others have entered`);
  }
}
