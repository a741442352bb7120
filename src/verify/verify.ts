/**
 * The verifier. It runs the checks of `checks/` in a fixed order and says what each of them has shown or found (docs/verification.md). A check relies
 * on the checks before it, so the first failure ends the sequence and determines the verdict. The checks decide, and `explain/` puts their findings
 * into words. The verdict alone is not trusted: the kernel decides (prove.ts), and a disagreement between the two is an internal error.
 */

import { type CellMemory, layOutCells } from '../ir/cell-memory.ts';
import { isConstant } from '../ir/column.ts';
import { defaultLimits } from '../ir/limits.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import { type Connections, PlanIndex } from '../ir/plan-index.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import type { Verification } from '../ir/verification.ts';
import { CheckRecord } from './check-record.ts';
import { checkBarrierOrder } from './checks/barrier.ts';
import { checkCapacity } from './checks/capacity.ts';
import { smallestInflight } from './checks/deadlock.ts';
import { checkDeterminism } from './checks/determinism.ts';
import { checkInitialised } from './checks/initialised.ts';
import type { MovedBytes } from './checks/limits.ts';
import { checkMatching } from './checks/matching.ts';
import { checkDataRaces } from './checks/races.ts';
import { checkResult } from './checks/result.ts';
import { checkFrame, checkLanesAndOperations, checkRoutes, checkTogether } from './checks/well-formed.ts';
import { describeDeadlock } from './explain/deadlock.ts';
import { describeDeterminism, determinismText } from './explain/determinism.ts';
import {
  barrierText,
  capacityText,
  initialisedText,
  liveText,
  matchedText,
  raceFreeText,
  resultText,
  wellFormedText,
} from './explain/shown-properties.ts';
import { type ExecutedOrder, executeBulk, HappensBefore } from './order/happens-before.ts';
import type { Ownership } from './ownership.ts';

/** The machine, the message and the runtime that a plan is verified for. */
export interface VerifyOptions {
  /** The machine it must run on: routes, the limit of transfers in flight and claimed rounds are checked against it. */
  readonly topology?: Topology | undefined;
  /** The message that the plan will move, if known: the machine's limits on commands are checked for it. */
  readonly load?: MovedBytes | undefined;
  /** Transfers that a connection buffers (0 = rendezvous); default: the topology's limit, else unbounded. */
  readonly inflight?: number | undefined;
  /** Makes it an error if ranks combine a chunk with different trees. */
  readonly bitwise?: boolean | undefined;
  /** How long operations own their slices: `strict` for runtimes such as MPI; default `event`. */
  readonly ownership?: Ownership | undefined;
  /**
   * What memory holds before anything is written to it. `empty` (the default): reading it is an error. `unknown`: reading it is a warning, as in
   * runtimes that keep buffers between calls, and the plan is wrong only if the unknown value reaches a result.
   */
  readonly unwritten?: 'empty' | 'unknown' | undefined;
  /** Largest number of memory slots, and of slots that operations touch, in all; default 2²⁷. */
  readonly slots?: number | undefined;
}

/**
 * Verifies a plan whose tables satisfy their invariants (src/ir/plan.ts).
 * @throws CccError `range` if the limit of transfers in flight is no valid number, `limit` for a plan larger than `slots`.
 */
export function verify(plan: Plan, options: VerifyOptions = {}): Verification {
  const record = new CheckRecord(options.inflight ?? options.topology?.inflight);
  const form = checkUpToMessages(plan, options, record);
  if (form === undefined) return record.verification();
  // Most plans run to their end without buffers. That order is then a run with any number of buffers too, since buffers only remove edges.
  // Relays are the exception: they wait for buffers.
  const unbuffered = executeBulk(new HappensBefore(form.index, form.connections, 0));
  const isLive = unbuffered.order.length === operationCount(plan);
  if (isLive && isConstant(plan.ops.relay, -1)) {
    const quick = record.copy();
    checkAlongRun(unbuffered, isLive, form, options, quick);
    if (isOrderless(quick)) return quick.verification();
  }
  // Mistakes are explained along a run with the buffers that the machine has.
  checkAlongRun(executeBulk(form.happens), isLive, form, options, record);
  return record.verification();
}

/**
 * Returns the verification of a plan that the kernel has accepted and that runs on its machine, without running the checks again. The smallest safe
 * number of transfers in flight is then unknown.
 * @param bitwise whether all ranks combine each chunk by the same tree, which must be true; undefined if nothing is reduced
 */
export function verificationOfCorrect(
  plan: Plan,
  { topology, inflight, ownership = 'event' }: VerifyOptions,
  bitwise: true | undefined,
): Verification {
  const record = new CheckRecord(inflight ?? topology?.inflight);
  const index = new PlanIndex(plan);
  const connections = index.connections;
  const runsUnbuffered = executeBulk(new HappensBefore(index, connections, 0)).order.length === operationCount(plan);
  record.smallestInflight = runsUnbuffered ? 0 : smallestInflight(index, connections);
  record.determinism = bitwise && { identical: true, differing: [] };
  const isBarrier = plan.collective.kind === 'barrier';
  record.proved.push(
    ...[wellFormedText(plan, topology), matchedText(connections.sends.length), initialisedText],
    ...[liveText(record.inflight, record.smallestInflight), raceFreeText(plan, ownership)],
    isBarrier ? barrierText : resultText(plan),
    ...(record.determinism === undefined ? [] : [determinismText(record.determinism)]),
    ...(topology === undefined || plan.rounds.length === 0 ? [] : [capacityText(topology)]),
  );
  return record.verification();
}

/** Whether the findings do not depend on the run: findings about the result do not, since a plan without races has one result. */
function isOrderless({ verdict, findings }: CheckRecord): boolean {
  return verdict === 'correct' && findings.every(({ code }) => code === 'not-bitwise');
}

/** What the checks along a run need: the results of the checks before them. */
interface CheckedForm {
  readonly index: PlanIndex;
  readonly connections: Connections;
  readonly memory: CellMemory;
  readonly happens: HappensBefore;
  readonly routes: Routes | undefined;
}

/** Checks that the plan is well formed and that its messages match; returns undefined if one of these checks fails. */
function checkUpToMessages(plan: Plan, options: VerifyOptions, record: CheckRecord): CheckedForm | undefined {
  const { topology, slots = defaultLimits.slots } = options;
  const wellFormed = wellFormedText(plan, topology);
  const frame = checkFrame(plan, topology);
  if (!frame.none) return void record.passes(frame, wellFormed);
  const index = new PlanIndex(plan);
  const operations = checkLanesAndOperations(index);
  if (!operations.none) return void record.passes(operations, wellFormed);
  const connections = index.connections;
  const memory = layOutCells(index, slots);
  const routes = topology && Routes.of(topology);
  const together = checkTogether(index, connections, memory);
  if (!together.none) return void record.passes(together, wellFormed);
  const routed = routes === undefined ? together : checkRoutes(index, routes);
  if (!record.passes(routed, wellFormed)) return undefined;
  const messages = connections.sends.length;
  if (!record.passes(checkMatching(index, connections), matchedText(messages))) return undefined;
  return { index, connections, memory, routes, happens: new HappensBefore(index, connections, record.inflight) };
}

/**
 * Checks initialisation, deadlock, data races and results along one run, until one check fails.
 * @param runsUnbuffered whether the plan runs to its end without buffers
 */
function checkAlongRun(
  ran: ExecutedOrder,
  runsUnbuffered: boolean,
  form: CheckedForm,
  options: VerifyOptions,
  record: CheckRecord,
): void {
  const { index, connections, memory, happens } = form;
  const { plan } = index;
  const initialised = checkInitialised(happens, memory, ran, options.unwritten === 'unknown' ? 'warning' : 'error');
  const written = initialised.none ? initialisedText : 'memory that nothing has written may hold anything';
  if (!record.passes(initialised, written)) return;

  const smallest = runsUnbuffered ? 0 : smallestInflight(index, connections);
  record.smallestInflight = smallest;
  const stuck = ran.order.length < operationCount(plan);
  const live = liveText(record.inflight, smallest);
  if (stuck) return void record.passes(describeDeadlock(happens, ran, smallest), live);
  record.proved.push(live);

  const { ownership = 'event' } = options;
  if (!record.passes(checkDataRaces(happens, memory, ran, ownership), raceFreeText(plan, ownership))) return;
  checkResults(ran, form, options, record);
}

/** Checks the result, identical bits and claimed rounds along a complete run without data races. */
function checkResults(
  ran: ExecutedOrder,
  form: CheckedForm,
  { bitwise = false }: VerifyOptions,
  record: CheckRecord,
): void {
  const { index, connections, memory, happens, routes } = form;
  const { plan } = index;
  if (plan.collective.kind === 'barrier') {
    if (!record.passes(checkBarrierOrder(happens, ran), barrierText)) return;
  } else {
    const { findings, symbolic } = checkResult({ index, memory, connections, order: ran.order });
    if (!record.passes(findings, resultText(plan))) return;
    record.determinism = checkDeterminism(index, memory, symbolic);
    if (record.determinism !== undefined) {
      if (!record.passes(describeDeterminism(record.determinism, bitwise), determinismText(record.determinism))) return;
    }
  }
  if (routes !== undefined && plan.rounds.length > 0) {
    record.passes(checkCapacity(index, routes), capacityText(routes.topology));
  }
}
