/**
 * The checks of compact plans, which examine rank 0's program alone. Every rank r runs that program shifted by r, so shifting all ranks maps the full
 * plan to itself. Three facts follow (docs/verification.md proves them).
 *
 * - A statement about the operations of a single rank holds for all ranks if it holds for rank 0.
 * - The happens-before relation of the full plan has a cycle exactly if that of the program has one: projecting a cycle of the full plan gives a
 * cycle of the program, and a cycle of the program that leads from rank r to r ⊕ v closes in the full plan after as many rounds as v has order. So
 * runs and deadlocks of the program are those of the full plan.
 * - Accesses on one rank are certainly ordered if lane order and `after` order them. If they could only be ordered by messages, the program alone
 * does not decide. A small plan is then expanded and verified in full, a large one is refused.
 */
import { type CellMemory, layOutCells } from '../../ir/cell-memory.ts';
import { type CompactPlan, shiftedConnections, soleProgram } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { expandCompact } from '../../ir/expand.ts';
import { defaultLimits } from '../../ir/limits.ts';
import { operationCount, type Plan } from '../../ir/plan.ts';
import { type Connections, PlanIndex } from '../../ir/plan-index.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import type { Verification } from '../../ir/verification.ts';
import { CheckRecord } from '../../verify/check-record.ts';
import { smallestInflight } from '../../verify/checks/deadlock.ts';
import { checkInitialised } from '../../verify/checks/initialised.ts';
import { checkMatching } from '../../verify/checks/matching.ts';
import { checkDataRaces } from '../../verify/checks/races.ts';
import { checkLanesAndOperations, checkTogether } from '../../verify/checks/well-formed.ts';
import { describeDeadlock } from '../../verify/explain/deadlock.ts';
import { describeDeterminism, determinismText } from '../../verify/explain/determinism.ts';
import { checkedBy, decided } from '../../verify/kernel.ts';
import { type ExecutedOrder, executeBulk, HappensBefore } from '../../verify/order/happens-before.ts';
import type { Ownership } from '../../verify/ownership.ts';
import { verify } from '../../verify/verify.ts';
import { checkCompactFrame, checkShards } from './frame.ts';
import { compactVerifyLimits } from './limits.ts';
import { CompactLocalOrder } from './local-order.ts';
import { checkMoved, onlyMoves } from './moved.ts';
import { NamingRun } from './naming-run.ts';
import { checkReduced } from './reduced.ts';
import { resultsOf, SlotShift } from './results.ts';
import { otherTree } from './same-bits.ts';

export interface CompactVerifyOptions {
  /** Extents of the machine's axes, which must be those of the plan; default: not checked. */
  readonly shape?: readonly number[] | undefined;
  /** Transfers that a connection buffers (0 = rendezvous); default: unbounded. */
  readonly inflight?: number | undefined;
  /**
   * How long operations own their slices, for plans that are expanded. Properties shown for rank 0's program alone hold under both kinds of
   * ownership.
   */
  readonly ownership?: Ownership | undefined;
  /** Makes it an error if ranks combine a chunk with different trees. */
  readonly bitwise?: boolean | undefined;
  /** Largest number of memory slots, and of slots that operations access; default 2²⁷. */
  readonly slots?: number | undefined;
  /** Largest number of operations of all ranks at which a plan is expanded if its program alone does not decide; default 2²⁰. */
  readonly expandable?: number | undefined;
}

const defaultExpandable = 2 ** 20;

/**
 * Verifies a compact plan. Findings are about rank 0's program, in which ranks and shards are offsets.
 * @throws CccError `limit` for a plan larger than `slots`, and for one that would have to be expanded and is too large for that
 */
export function verifyCompact(plan: CompactPlan, options: CompactVerifyOptions = {}): Verification {
  const record = new CheckRecord(options.inflight);
  const doubt = new CompactChecks(plan, options, record).run();
  const verification = doubt === undefined ? record.verification() : verifyExpanded(plan, options, doubt);
  const operations = plan.ops.kind.length * plan.collective.ranks;
  if (operations <= compactVerifyLimits.operationsForKernel && verification.verdict !== 'malformed') {
    return decided(expandCompact(plan), verification, { ownership: options.ownership });
  }
  const why = `the ${operations} operations of all ranks are more than the kernel is given`;
  if (verification.verdict !== 'correct') return verification;
  return checkedBy(`the verifier on the program of rank 0 alone, since ${why}`, verification);
}

function verifyExpanded(plan: CompactPlan, options: CompactVerifyOptions, doubt: string): Verification {
  const { inflight, bitwise, ownership, slots, expandable = defaultExpandable } = options;
  const operations = plan.ops.kind.length * plan.collective.ranks;
  if (operations <= expandable) return verify(expandCompact(plan), { inflight, bitwise, ownership, slots });
  const message = `${doubt}. Only the full plan decides it, and its ${operations} operations are more than the ${expandable} that it is written out for.`;
  throw new CccError('limit', message);
}

const earlyRead = 'Whether a slot is written before it is read, messages decide that come round over other ranks';

/** Runs the checks in order; each relies on the checks before it. */
class CompactChecks {
  private readonly compact: CompactPlan;
  private readonly options: CompactVerifyOptions;
  private readonly record: CheckRecord;
  private readonly plan: Plan;

  constructor(compact: CompactPlan, options: CompactVerifyOptions, record: CheckRecord) {
    this.compact = compact;
    this.options = options;
    this.record = record;
    this.plan = soleProgram(compact);
  }

  /**
   * Runs the checks in order and stops at the first failure.
   * @returns a sentence, without its full stop, on what the program alone cannot decide, or undefined
   */
  run(): string | undefined {
    const { compact, plan, record } = this;
    const { ranks } = compact.collective;
    const wellFormed = `well formed: ${operationCount(plan)} operations, which each of ${ranks} ranks runs shifted, are in range`;
    const frame = checkCompactFrame(compact, this.options.shape);
    if (!frame.none) return void record.passes(frame, wellFormed);
    const index = new PlanIndex(plan);
    const operations = checkLanesAndOperations(index);
    if (!operations.none) return void record.passes(operations, wellFormed);
    const shards = checkShards(index, compact);
    if (!shards.none) return void record.passes(shards, wellFormed);
    const group = new TranslationGroup(compact.shape);
    const connections = shiftedConnections(plan, group);
    const memory = layOutCells(index, this.slots);
    if (!record.passes(checkTogether(index, connections, memory), wellFormed)) return undefined;
    const messages = `matched: each of ${connections.sends.length} messages of a rank is sent and received, in order, with equal counts`;
    if (!record.passes(checkMatching(index, connections), messages)) return undefined;
    return this.checkOrder(index, connections, memory, group);
  }

  /** Checks initialisation, deadlock and data races, then the result. */
  private checkOrder(
    index: PlanIndex,
    connections: Connections,
    memory: CellMemory,
    group: TranslationGroup,
  ): string | undefined {
    const { record, plan } = this;
    const local = new CompactLocalOrder(index, connections);
    // Most plans run to their end without buffers. That order is then a run with any number of buffers too, since buffers only remove edges.
    const rendezvous = executeBulk(new HappensBefore(index, connections, 0));
    const live = rendezvous.order.length === operationCount(plan);
    const happens = new HappensBefore(index, connections, record.inflight);
    const ran = live ? rendezvous : executeBulk(happens);
    const certain = checkInitialised(local, memory, ran, 'error');
    if (!record.passes(certain, 'initialised: nothing is read before it is written')) return undefined;
    const smallest = live ? 0 : smallestInflight(index, connections);
    record.smallestInflight = smallest;
    const stuck = ran.order.length < operationCount(plan);
    const lively = `no deadlock with ${record.inflight ?? 'unbounded'} transfers in flight per connection; the smallest safe limit is ${smallest}`;
    if (stuck) {
      // The order of the program has all edges of the full plan's, and perhaps more. If even that order allows no early read, the full plan has none.
      if (!checkInitialised(happens, memory, ran, 'error').none) return earlyRead;
      return void record.passes(describeDeadlock(happens, ran, smallest), lively);
    }
    record.proved.push(lively);
    const races = checkDataRaces(local, memory, ran, 'event');
    if (!races.none) return `Accesses are not ordered within a rank: ${races.list()[0].message}`.replace(/\.$/, '');
    const bulks = plan.bulks === 1 ? '' : `, over ${plan.bulks} bulks`;
    record.passes(
      races,
      `no data race in any interleaving${bulks}: race-free under strict ownership, by what each rank knows itself`,
    );
    return this.checkResult(index, connections, memory, group, ran);
  }

  private checkResult(
    index: PlanIndex,
    connections: Connections,
    memory: CellMemory,
    group: TranslationGroup,
    { order }: ExecutedOrder,
  ): string | undefined {
    const { record, compact } = this;
    const { kind, ranks } = compact.collective;
    const holds = `result: every output slot holds what ${kind} requires, on rank 0 and so on every rank`;
    const run = new NamingRun(index, memory, connections, group);
    for (const operation of order) run.step(operation);
    if (kind === 'allgather' || kind === 'alltoall') {
      if (!onlyMoves(index.plan)) return `What reductions make of an ${kind} is followed in full plans only`;
      record.passes(checkMoved(index, memory, run, group), holds);
      return undefined;
    }
    const shift = new SlotShift(compact, group);
    const results = resultsOf(compact, memory, run, shift);
    if (!results.findings.none) return void record.passes(results.findings, holds);
    const reductions = { index, memory, connections, order, group, run, results, shift };
    const reduced = checkReduced(compact, reductions, this.slots);
    if (reduced === undefined) return 'What is reduced ends up in too many places to list';
    const other = otherTree(compact, group, run, results, shift);
    if (other === 'unknown')
      return 'Whether ranks that make their own sums combine them alike, the program alone does not say';
    if (!record.passes(reduced, holds) || ranks === 1) return undefined;
    const differing = other === 'none' ? [] : [{ chunk: other.chunk, ranks: [other.rank] }];
    record.determinism = { identical: other === 'none', differing };
    record.passes(
      describeDeterminism(record.determinism, this.options.bitwise ?? false),
      determinismText(record.determinism),
    );
    return undefined;
  }

  private get slots(): number {
    return this.options.slots ?? defaultLimits.slots;
  }
}
