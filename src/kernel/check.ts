/**
 * The kernel says yes exactly if every interleaving of a full plan ends with the right result (docs/verification.md). It imports nothing
 * from outside this folder, and nothing else is believed about a full plan.
 */
import { layOut } from './form.ts';
import { type Order, orderOf } from './order.ts';
import { Refusal, type Tables } from './plan.ts';
import { checkRaces, type Ownership } from './races.ts';
import { resultOf } from './result.ts';

export interface Conditions {
  /** Transfers that a connection buffers: 0 is rendezvous, undefined any number. */
  readonly inflight?: number | undefined;
  readonly ownership?: Ownership | undefined;
  /** Whether it is refused to read memory that nothing has written (`empty`, the default), or that brings what nobody asks for. */
  readonly unwritten?: 'empty' | 'unknown' | undefined;
  /** The most chunks that buffers may hold, and that operations may touch. */
  readonly slots?: number | undefined;
}

/** `bitwise`: all ranks combine each chunk with the same tree; undefined where nothing is reduced. */
export type Answer =
  | { readonly ok: true; readonly bitwise: boolean | undefined }
  | { readonly ok: false; readonly verdict: string; readonly message: string };

/** Operations of all bulks that are written out. */
const mostEvents = 2 ** 26;

export function check(plan: Tables, conditions: Conditions = {}): Answer {
  const { inflight, ownership = 'event', unwritten = 'empty', slots = 2 ** 27 } = conditions;
  try {
    const memory = layOut(plan, slots);
    // Bulks meet in scratch alone: bulk 0 and the first that uses its copy again.
    const bulks = plan.bulks > plan.scratchPerBulk ? plan.scratchPerBulk + 1 : 1;
    if (plan.ops.kind.length * bulks > mostEvents) throw new Refusal('limit', `more than ${mostEvents} operations`);
    const order = orderOf(plan, bulks, inflight);
    const run = order.run();
    checkRaces(order, memory, run, ownership);
    const bitwise = resultOf(order, memory, run, unwritten);
    if (plan.collective.kind === 'barrier') checkBarrier(order, run);
    return { ok: true, bitwise };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, verdict: error.verdict, message: error.message };
    throw error;
  }
}

/** Nobody leaves before everybody has entered: something that each rank does comes before something that each other one does. */
function checkBarrier(order: Order, run: Int32Array): void {
  const known: bigint[] = [];
  const seen = order.plan.buffers.map((_, rank) => 1n << BigInt(rank));
  for (const event of run) {
    const rank = order.rankOf[event % order.count];
    order.predecessors(event);
    known[event] = order.before.reduce((ranks, one) => ranks | known[one], 1n << BigInt(rank));
    const isJoint = order.inflight === 0 && order.plan.ops.kind[event % order.count] === 2;
    if (isJoint) known[event] |= 1n << BigInt(order.plan.ops.peer[event % order.count]);
    seen[rank] |= known[event];
  }
  const early = seen.findIndex((ranks) => ranks !== (1n << BigInt(seen.length)) - 1n);
  if (early >= 0) throw new Refusal('wrong-result', `rank ${early} can leave before every rank has entered`);
}
