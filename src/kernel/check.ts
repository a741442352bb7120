/** The kernel says yes exactly if every interleaving of a full plan ends with the right result (docs/verification.md). It imports nothing
 *  from outside this folder, and nothing else is believed about a full plan. */
import { connect, layOut } from './form.ts';
import { orderOf } from './order.ts';
import { isWhole, need, type Tables } from './plan.ts';
import { checkRaces } from './races.ts';
import { checkBarrier, resultOf } from './result.ts';

/** A connection buffers `inflight` transfers: 0 is rendezvous, undefined any number. `empty` memory, the default, must not be read before it
 *  is written; of `unknown` memory that brings what nobody asks for. `slots`: the most chunks that buffers hold, and that operations touch. */
export interface Conditions {
  readonly inflight?: number | undefined;
  readonly ownership?: 'event' | 'strict' | undefined;
  readonly unwritten?: 'empty' | 'unknown' | undefined;
  readonly slots?: number | undefined;
}

/** Whether all ranks combine each chunk with the same tree; undefined where nothing is reduced. @throws Refusal where the answer is no */
export function check(plan: Tables, conditions: Conditions = {}): boolean | undefined {
  const { inflight = Number.POSITIVE_INFINITY, ownership, unwritten, slots = 2 ** 27 } = conditions;
  need(inflight === Number.POSITIVE_INFINITY || isWhole(inflight, 0), 'inflight');
  const memory = layOut(plan, slots);
  checkLimits(plan);
  const order = orderOf(connect(memory, inflight), inflight, ownership === 'strict');
  checkRaces(order);
  if (plan.collective.kind === 'barrier') checkBarrier(order);
  return resultOf(order, unwritten === 'unknown');
}

/** Limits that the plan states must be limits; where something is sent each shard must have an aligned unit for every chunk and bulk. */
function checkLimits({ bulks, buffers, size, limits, ops, collective: { counts, chunks } }: Tables): void {
  const { alignment = 0, messageIds = 1 } = limits ?? {};
  need(isWhole(messageIds, 1) && isWhole(limits?.alignment ?? 1, 1) && isWhole(size ?? 0, 0), 'limits or size');
  // A chunk is M divided by those of the largest buffer.
  const largest = buffers.reduce((most, { input, output }) => Math.max(most, input, output), 1);
  const unit = counts ? alignment : (largest / chunks) * alignment;
  const isWholeUnits = (bytes: number) => bytes % unit === 0 && (bytes === 0 || bytes >= bulks * chunks * unit);
  const send = alignment === 0 ? -1 : Array.from(ops.kind).indexOf(2);
  const isAligned = send < 0 || (counts ?? [size ?? Number.NaN]).every(isWholeUnits);
  need(isAligned, `has chunks that are not one or more units of ${alignment} bytes`, 'over-capacity', send);
}
