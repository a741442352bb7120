/**
 * The verifier: the ladder of rungs (design.md §7). Each rung relies on the ones before it, so the first that fails ends
 * it and decides the verdict. See docs/verification.md for what a proof means and why it is one.
 */
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Topology } from '../ir/topology.ts';
import type { Determinism, ProvedPlan, Verification } from '../ir/verification.ts';
import { Ascent } from './ascent.ts';
import { checkBarrier } from './barrier.ts';
import { checkCapacity } from './capacity.ts';
import { checkMatching, connect } from './connections.ts';
import { smallestInflight, tellDeadlock } from './deadlock.ts';
import { checkDeterminism, tellDeterminism } from './determinism.ts';
import { HappensBefore, run } from './happens-before.ts';
import { checkInitialised } from './initialised.ts';
import type { Ownership } from './ownership.ts';
import { indexPlan, layOut } from './plan-index.ts';
import { checkRaces } from './races.ts';
import { checkResult } from './result.ts';
import { checkFrame, checkOperations, checkTogether } from './well-formed.ts';

/** What the plan is verified for. */
export interface VerifyOptions {
  /** The machine it must run on: routes, the limit of transfers in flight and claimed rounds are checked against it. */
  readonly topology?: Topology | undefined;
  /** Transfers that a connection buffers (0 = rendezvous); default: the topology's limit, else unbounded. */
  readonly inflight?: number | undefined;
  /** Makes it an error if ranks combine a chunk with different trees. */
  readonly bitwise?: boolean | undefined;
  /** How long operations own their slices: `strict` for runtimes such as MPI; default `event`. */
  readonly ownership?: Ownership | undefined;
  /**
   * What memory holds that nothing has written. `empty`: reading it is an error (the default). `unknown`: it is read with a
   * warning, as where buffers are kept between calls, and the plan is wrong if what lies there gets into a result.
   */
  readonly unwritten?: 'empty' | 'unknown' | undefined;
  /** Largest number of memory slots, and of slots that operations touch, in all; default 2²⁷. */
  readonly slots?: number | undefined;
}

const defaultSlots = 2 ** 27;

/**
 * Verifies a plan whose tables hold their invariants (src/ir/plan.ts).
 * @throws CccError `range` for a limit in flight that is no number, `limit` for a plan larger than `slots`.
 */
export function verify(plan: Plan, options: VerifyOptions = {}): Verification {
  const record = new Ascent(options.inflight ?? options.topology?.inflight);
  climb(plan, options, record);
  return record.verification();
}

/** Verifies a plan and, if it is correct, vouches for it: the only place that makes a `ProvedPlan`. */
export function prove(
  plan: Plan,
  options: VerifyOptions = {},
): { readonly verification: Verification; readonly proved: ProvedPlan | undefined } {
  const verification = verify(plan, options);
  if (verification.verdict !== 'correct') return { verification, proved: undefined };
  // The one cast that stands for the proof: the brand exists in the type alone, so that nobody else can write it down.
  return { verification, proved: { plan, verification } as ProvedPlan };
}

/** Climbs the ladder until a rung fails. */
function climb(plan: Plan, options: VerifyOptions, record: Ascent): void {
  const { topology, bitwise = false, ownership = 'event', unwritten = 'empty', slots = defaultSlots } = options;
  const wellFormed = `well formed: ${operationCount(plan)} operations of ${plan.buffers.length} ranks are in range`;
  const frame = checkFrame(plan, topology);
  if (!frame.none) return void record.passes(frame, wellFormed);
  const index = indexPlan(plan);
  const operations = checkOperations(index);
  if (!operations.none) return void record.passes(operations, wellFormed);
  const connections = connect(index);
  const memory = layOut(index, slots);
  const routed = topology === undefined ? '' : `; ${topology.name} has a route for every message`;
  if (!record.passes(checkTogether(index, connections, memory, topology), wellFormed + routed)) return;

  const messages = `matched: each of ${connections.sends.length} messages is sent and received, in order, with equal counts`;
  if (!record.passes(checkMatching(index, connections), messages)) return;

  const happens = new HappensBefore(index, connections, record.inflight);
  const ran = run(happens);
  const initialised = checkInitialised(happens, memory, ran, unwritten === 'empty' ? 'error' : 'warning');
  const written = initialised.none
    ? 'initialised: nothing is read before it is written'
    : 'memory that nothing has written may hold anything';
  if (!record.passes(initialised, written)) return;

  record.smallestInflight = smallestInflight(index, connections);
  const { smallestInflight: smallest } = record;
  const stuck = ran.order.length < operationCount(plan);
  const live = `no deadlock with ${record.inflight ?? 'unbounded'} transfers in flight per connection; the smallest safe limit is ${smallest}`;
  if (stuck) return void record.passes(tellDeadlock(happens, ran, smallest), live);
  record.proved.push(live);

  const bulks = plan.bulks === 1 ? '' : `, over ${plan.bulks} bulks`;
  const raceFree = `no data race in any interleaving${bulks}: race-free under ${ownership} ownership`;
  if (!record.passes(checkRaces(happens, memory, ran, ownership), raceFree)) return;

  if (plan.collective.kind === 'barrier') {
    if (!record.passes(checkBarrier(happens, ran), 'result: no rank leaves before every rank has entered')) return;
  } else {
    const { findings, symbolic } = checkResult({ index, memory, connections, order: ran.order });
    if (!record.passes(findings, `result: every output slot holds what ${plan.collective.kind} says`)) return;
    record.determinism = checkDeterminism(index, memory, symbolic);
    if (record.determinism !== undefined) {
      if (!record.passes(tellDeterminism(record.determinism, bitwise), determinismText(record.determinism))) return;
    }
  }

  if (topology !== undefined && plan.rounds.length > 0) {
    const fits = `capacity: no link of ${topology.name} carries more than the claimed rounds`;
    record.passes(checkCapacity(index, topology), fits);
  }
}

function determinismText({ identical }: Determinism): string {
  return identical
    ? 'deterministic: identical on all ranks'
    : 'deterministic for each rank, but not identical on all ranks (see the warning)';
}
