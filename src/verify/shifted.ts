/**
 * Full plans in which all ranks run one program, shifted: proved on rank 0's program, as compact plans are. That the plan is what rank 0's
 * program says of all ranks is not believed but looked at here, operation by operation.
 */
import { outputChunks } from '../ir/collective.ts';
import { isConstant } from '../ir/column.ts';
import type { CompactPlan } from '../ir/compact.ts';
import { OperationCode, type OperationTable, type Plan } from '../ir/plan.ts';
import { Routes } from '../ir/routes.ts';
import { TranslationGroup } from '../ir/translation-group.ts';
import type { Verification } from '../ir/verification.ts';
import { verifyProgram } from './compact/verify.ts';
import {
  capacityText,
  initialisedText,
  liveText,
  matchedText,
  raceFreeText,
  resultText,
  wellFormedText,
} from './facts.ts';
import { indexPlan } from './plan-index.ts';
import { checkCapacity } from './rungs/capacity.ts';
import { checkFrame } from './rungs/well-formed.ts';
import { allRun } from './same-program.ts';
import { defaultSlots, type VerifyOptions } from './verify.ts';

/**
 * What `verify` says of a correct allgather whose ranks all run rank 0's program shifted, in less time, and that program; undefined where it is
 * something else, or the program alone does not show that it is correct.
 */
export function verifyShifted(
  plan: Plan,
  shape: readonly number[],
  options: VerifyOptions,
): { readonly verification: Verification; readonly program: CompactPlan } | undefined {
  const { topology, inflight = topology?.inflight, ownership = 'event', unwritten = 'empty' } = options;
  if (plan.collective.kind !== 'allgather' || unwritten !== 'empty' || !checkFrame(plan, topology).none)
    return undefined;
  const program = firstProgram(plan, shape);
  if (program === undefined || exceeds(program, options.slots ?? defaultSlots)) return undefined;
  const ofProgram = verifyProgram(program, { inflight, shape });
  if (ofProgram?.verdict !== 'correct' || ofProgram.findings.length > 0) return undefined;
  const group = new TranslationGroup(shape);
  if (!allRun(plan, program, group)) return undefined;
  const smallest = ofProgram.smallestInflight;
  const proved = [
    wellFormedText(plan, topology),
    matchedText(plan.collective.ranks * sendsOf(program.ops)),
    initialisedText,
    liveText(inflight, smallest),
    raceFreeText(plan, ownership),
    resultText(plan),
  ];
  if (topology !== undefined) {
    const routes = Routes.of(topology);
    if (!hasRoutes(program, group, routes)) return undefined;
    if (plan.rounds.length > 0) {
      if (!checkCapacity(indexPlan(plan), routes).none) return undefined;
      proved.push(capacityText(topology));
    }
  }
  const facts = { inflight, smallestInflight: smallest, determinism: undefined, proved };
  return { verification: { verdict: 'correct', findings: [], ...facts }, program };
}

/** Rank 0's program as a compact plan; undefined where ranks have not all as many lanes and operations, and for what a compact plan cannot say. */
function firstProgram(plan: Plan, shape: readonly number[]): CompactPlan | undefined {
  const { ranks } = plan.collective;
  const { firstLane, laneId, firstOp, ops, buffers, rounds: _, ...rest } = plan;
  const lanes = firstLane[1];
  const operations = firstOp[lanes];
  const waits = ops.firstAfter[operations];
  const plain = isConstant(ops.relay, -1);
  const evenly =
    plain &&
    laneId.length === ranks * lanes &&
    ops.kind.length === ranks * operations &&
    ops.afterOp.length === ranks * waits;
  if (!evenly) return undefined;
  const of = (column: Int32Array): Int32Array => column.subarray(0, operations);
  const program: OperationTable = {
    ...{ kind: of(ops.kind), peer: of(ops.peer), channel: of(ops.channel), step: of(ops.step), origin: of(ops.origin) },
    ...{ srcBuffer: of(ops.srcBuffer), srcOffset: of(ops.srcOffset), srcCount: of(ops.srcCount) },
    ...{ dstBuffer: of(ops.dstBuffer), dstOffset: of(ops.dstOffset), dstCount: of(ops.dstCount) },
    ...{ receivedFirst: of(ops.receivedFirst), relay: of(ops.relay) },
    firstAfter: ops.firstAfter.subarray(0, operations + 1),
    ...{ afterOp: ops.afterOp.subarray(0, waits), afterBulks: ops.afterBulks.subarray(0, waits) },
  };
  return {
    ...rest,
    ...{ shape, sharded: false, buffers: buffers[0], ops: program },
    ...{ laneId: laneId.subarray(0, lanes), firstOp: firstOp.subarray(0, lanes + 1) },
  };
}

/** Whether the memory of all ranks, or what operations touch of it, is more than the limit. */
function exceeds({ collective, buffers, ops }: CompactPlan, slots: number): boolean {
  const { ranks } = collective;
  const cells = buffers.input + outputChunks(collective, 0) + buffers.scratch;
  let touched = 0;
  for (let o = 0; o < ops.kind.length; o++) touched += ops.srcCount[o] + ops.dstCount[o];
  return ranks * Math.max(cells, touched) > slots;
}

function sendsOf(ops: OperationTable): number {
  return ops.kind.reduce((sends, kind) => sends + (kind === OperationCode.send ? 1 : 0), 0);
}

/** Whether the machine has a route for the messages of every rank. */
function hasRoutes({ ops }: CompactPlan, group: TranslationGroup, routes: Routes): boolean {
  const peers = new Set(ops.peer.filter((peer, o) => ops.kind[o] === OperationCode.send && peer >= 0));
  for (const peer of peers) {
    const images = group.images(peer);
    for (let rank = 0; rank < images.length; rank++) {
      if (routes.between(rank, images[rank]) === undefined) return false;
    }
  }
  return true;
}
