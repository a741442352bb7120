/** Writes the lines of a report that say what the checks have shown about a correct plan. */
import { operationCount, type Plan } from '../../ir/plan.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Ownership } from '../ownership.ts';

export function wellFormedText(plan: Plan, topology: Topology | undefined): string {
  const routed = topology === undefined ? '' : `; ${topology.name} has a route for every message`;
  return `well formed: ${operationCount(plan)} operations of ${plan.buffers.length} ranks are in range${routed}`;
}

export function matchedText(messages: number): string {
  return `matched: each of ${messages} messages is sent and received, in order, with equal counts`;
}

export const initialisedText = 'initialised: nothing is read before it is written';

export function liveText(inflight: number | undefined, smallest: number | undefined): string {
  return `no deadlock with ${inflight ?? 'unbounded'} transfers in flight per connection; the smallest safe limit is ${smallest}`;
}

export function raceFreeText({ bulks }: Plan, ownership: Ownership): string {
  const over = bulks === 1 ? '' : `, over ${bulks} bulks`;
  return `no data race in any interleaving${over}: race-free under ${ownership} ownership`;
}

export function resultText({ collective }: Plan): string {
  const required = collective.kind === 'custom' ? 'its conditions require' : `${collective.kind} requires`;
  return `result: every output slot holds what ${required}`;
}

export const barrierText = 'result: no rank leaves before every rank has entered';

export function capacityText({ name }: Topology): string {
  return `capacity: no link of ${name} carries more than the claimed rounds`;
}
