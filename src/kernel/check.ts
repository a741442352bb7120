/** The kernel says yes exactly if every interleaving of a full plan ends with the right result: docs/verification.md has the argument. */
import { chunksPerShard, connect, layOut } from './form.ts';
import { orderOf } from './order.ts';
import { isWhole, need, type Tables } from './plan.ts';
import { checkRaces } from './races.ts';
import { checkBarrier, resultOf } from './result.ts';

export interface Conditions {
  readonly inflight?: number | undefined; // transfers that a connection buffers: 0 is rendezvous, undefined any number
  readonly ownership?: 'event' | 'strict' | undefined;
  readonly unwritten?: 'empty' | 'unknown' | undefined; // empty memory must not be read; unknown has what nobody asks for
  readonly slots?: number | undefined; // the most chunks that buffers may hold, and that operations may touch
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
function checkLimits({ bulks, buffers, size, limits, ops, collective }: Tables): void {
  const [{ counts }, chunks] = [collective, chunksPerShard(collective)];
  const { alignment = 0, messageIds = 1 } = limits ?? {};
  need(isWhole(messageIds, 1) && isWhole(limits?.alignment ?? 1, 1) && isWhole(size ?? 0, 0), 'limits or size');
  const largest = buffers.reduce((most, { input, output }) => Math.max(most, input, output), 1);
  const unit = counts ? alignment : (largest / chunks) * alignment; // a chunk is M divided by those of the largest buffer
  const isWholeUnits = (bytes: number) => bytes % unit === 0 && (bytes === 0 || bytes >= bulks * chunks * unit);
  const send =
    alignment > 0 && !(counts ?? [size ?? Number.NaN]).every(isWholeUnits) ? Array.from(ops.kind).indexOf(2) : -1;
  need(send < 0, `has chunks that are not one or more units of ${alignment} bytes`, 'over-capacity', send);
}
