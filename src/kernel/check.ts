/**
 * The kernel decides whether a full plan is right. It imports nothing from the rest of ccc, so that nothing else has to be believed, and is written to be
 * read beside docs/verification.md: each file names the section that argues it.
 */
import { checkBarrier } from './barrier.ts';
import { checkCollective } from './collective.ts';
import { matchMessages } from './connections.ts';
import { layOut } from './form.ts';
import { checkMachineLimits } from './machine-limits.ts';
import { eventGraph, happeningOrder, runOf } from './order.ts';
import { checkRaces } from './races.ts';
import { isWhole, requireForm } from './refusal.ts';
import { checkResult } from './result.ts';
import type { PlanTables } from './tables.ts';

/** What is assumed of whoever runs the plan. */
export interface RuntimeConditions {
  /** How many messages a connection buffers: 0 is rendezvous; undefined means any number, so that a send never waits. */
  readonly inflight?: number | undefined;
  /** `event`: an operation touches memory at one instant. `strict`: it owns its slices from posting to completion, as in MPI. Default `event`. */
  readonly ownership?: 'event' | 'strict' | undefined;
  /** `empty`: reading memory that nothing has written is an error. `unknown`: it yields a value that no collective asks for. Default `empty`. */
  readonly unwritten?: 'empty' | 'unknown' | undefined;
  /** The most chunks that buffers may hold, and that operations may move. Default 2 ** 27. */
  readonly slots?: number | undefined;
}

/** Cells of buffers and of messages are numbered together in 32 bits. */
const maxSlots = 2 ** 30;

/**
 * Checks that every run of a plan, whatever the timing of ranks and messages, ends with the right result.
 * @returns whether all ranks combine each chunk with the same tree; undefined where nothing is reduced
 * @throws Refusal if the plan is wrong, or too large to be decided
 */
export function checkPlan(plan: PlanTables, conditions: RuntimeConditions = {}): boolean | undefined {
  const { inflight = Number.POSITIVE_INFINITY, ownership, unwritten, slots = 2 ** 27 } = conditions;
  const ownsFromPosting = ownership === 'strict';
  requireForm(inflight === Number.POSITIVE_INFINITY || isWhole(inflight, 0), 'inflight is not a whole number');

  checkCollective(plan.collective);
  const layout = layOut(plan, Math.min(slots, maxSlots));
  checkMachineLimits(plan);
  const messages = matchMessages(plan, layout, inflight);

  const graph = eventGraph(plan, layout, messages, inflight, ownsFromPosting);
  const run = runOf(graph);
  const happening = happeningOrder(graph, run);

  checkRaces({ plan, layout, graph, run, happening }, ownsFromPosting);
  if (plan.collective.kind === 'barrier') checkBarrier(plan, layout, graph, run);
  return checkResult(plan, layout, messages, happening, unwritten === 'unknown');
}
