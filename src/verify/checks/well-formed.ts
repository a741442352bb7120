/**
 * Checks that a plan is well formed; all later checks rely on it. The invariants of the tables (src/ir/plan.ts) hold already and are not checked
 * again.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import { type Contribution, type CustomCondition, inputChunks, outputChunks } from '../../ir/collective.ts';
import { contributionsIn, ranksWithResults, runsOfRank, type WantedRun } from '../../ir/custom-results.ts';
import {
  isReceive,
  isSend,
  OperationCode,
  operationCount,
  type Plan,
  type ProgramBuffers,
  planBuffers,
} from '../../ir/plan.ts';
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import type { Routes } from '../../ir/routes.ts';
import { unequalSwap } from '../../ir/shards.ts';
import type { Topology } from '../../ir/topology.ts';
import { counted } from '../../ir/units.ts';
import { CheckFindings, describeOperation, nameOf, storyLineOf } from '../explain/findings.ts';

/** Largest number of bulks. Positions in time (bulk × operations of a lane) then stay exact in double precision. */
export const maxBulks = 2 ** 28;

const [inputCode, outputCode, scratchCode] = planBuffers.map((_, code) => code);

function isCount(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

/** Checks what concerns the plan as a whole: collective, bulks and buffers. */
export function checkFrame(plan: Plan, topology: Topology | undefined): CheckFindings {
  const findings = new CheckFindings('malformed');
  const expect = (holds: boolean, message: () => string): void => {
    if (!holds) findings.add(() => ({ message: message() }));
  };
  const { ranks, chunks, root, kind, custom } = plan.collective;
  const { bulks, scratchPerBulk, buffers } = plan;
  expect(isCount(ranks, 1), () => `A collective has at least one rank, not ${ranks}.`);
  expect(isCount(chunks, 1), () => `A shard has at least one chunk, not ${chunks}.`);
  expect(isCount(root, 0) && root < ranks, () => `The root must be a rank from 0 to ${ranks - 1}, not ${root}.`);
  expect(isCount(bulks, 1) && bulks <= maxBulks, () => `bulks must be from 1 to ${maxBulks}, not ${bulks}.`);
  expect(isCount(scratchPerBulk, 1), () => `scratchPerBulk must be at least 1, not ${scratchPerBulk}.`);
  expect(
    buffers.length === ranks,
    () => `There are programs for ${counted(buffers.length, 'rank')}; the collective has ${ranks}.`,
  );
  expect(plan.firstLane.length === ranks + 1, () => 'The table of lanes does not have one entry per rank.');
  expect(
    (kind === 'custom') === (custom !== undefined),
    () => 'A custom collective, and no other, states its condition.',
  );
  expect(topology === undefined || topology.chips.length === ranks, () => {
    return `The plan is for ${counted(ranks, 'rank')}; ${topology?.name} has ${topology?.chips.length} chips.`;
  });
  if (!findings.none) return findings;
  const swap = unequalSwap(plan.collective);
  expect(swap === undefined, () => {
    return `In place, ranks ${swap?.join(' and ')} must give each other the same number of bytes: the one shard takes the place of the other.`;
  });
  checkCustom(plan, findings);
  if (!findings.none) return findings;
  for (let rank = 0; rank < ranks; rank++) {
    const wanted = { input: inputChunks(plan.collective, rank), output: outputChunks(plan.collective, rank) };
    for (const buffer of ['input', 'output'] as const) {
      const declared = buffers[rank][buffer];
      const size = `${kind} of ${ranks} ranks with ${chunks} chunks per shard needs ${wanted[buffer]}`;
      expect(declared === wanted[buffer], () => `Rank ${rank} declares ${declared} chunks of ${buffer}; ${size}.`);
    }
    const { scratch } = buffers[rank];
    expect(isCount(scratch, 0), () => `Rank ${rank} declares ${scratch} chunks of scratch.`);
  }
  return findings;
}

function checkCustom(plan: Plan, findings: CheckFindings): void {
  const { custom, ranks } = plan.collective;
  if (custom === undefined) return;
  const sizes = [...custom.input, ...custom.output];
  if (custom.input.length !== ranks || custom.output.length !== ranks || !sizes.every((size) => isCount(size, 0))) {
    findings.add(() => ({ message: 'A custom collective gives every rank a number of input and of output chunks.' }));
    return;
  }
  for (let rank = 0; rank < ranksWithResults(custom.results); rank++) {
    for (const run of runsOfRank(custom.results, rank)) {
      if (run.parts === null || isInRange(run, run.parts, custom)) continue;
      for (let slot = run.slot; slot < run.slot + run.count; slot++) checkSlot(run, slot, custom, findings);
    }
  }
}

/**
 * Whether all slots of a run exist, and the chunks that they need exist. It is enough to check the first and the last slot, since the others lie in
 * between.
 */
function isInRange(run: WantedRun, parts: readonly Contribution[], { input, output }: CustomCondition): boolean {
  const { rank, slot, count, at } = run;
  const isInput = (from: Contribution): boolean =>
    isCount(at + from.chunk, 0) && at + from.chunk + count <= (input[from.rank] ?? 0);
  return slot + count <= (output[rank] ?? 0) && parts.length > 0 && parts.every(isInput);
}

function checkSlot(run: WantedRun, slot: number, custom: CustomCondition, findings: CheckFindings): void {
  const contributions = contributionsIn(run, slot - run.slot) ?? [];
  const wrong = contributions.find((from) => !isCount(from.chunk, 0) || !(from.chunk < (custom.input[from.rank] ?? 0)));
  const where = `What the custom collective wants in output[${slot}] of rank ${run.rank}`;
  if (!(slot < (custom.output[run.rank] ?? 0))) findings.add(() => ({ message: `${where} lies outside its output.` }));
  else if (contributions.length === 0) findings.add(() => ({ message: `${where} is the reduction of nothing.` }));
  else if (wrong !== undefined) {
    findings.add(() => ({ message: `${where} needs input[${wrong.chunk}] of rank ${wrong.rank}, which is no input.` }));
  }
}

/** Checks each lane and each operation by itself. @param index the index of a plan that has passed `checkFrame` */
export function checkLanesAndOperations(index: PlanIndex): CheckFindings {
  const { plan } = index;
  const findings = new CheckFindings('malformed');
  for (let rank = 0; rank < plan.buffers.length; rank++) {
    const ids = plan.laneId.subarray(plan.firstLane[rank], plan.firstLane[rank + 1]);
    if (new Set(ids).size !== ids.length)
      findings.add(() => ({ message: `Two lanes of rank ${rank} have the same id.` }));
  }
  for (let o = 0; o < operationCount(plan); o++) {
    const fault = faultOf(index, o);
    if (fault === undefined) continue;
    findings.add(() => ({
      message: `${nameOf(index, o)} (${describeOperation(plan, o)}): ${fault}.`,
      story: [storyLineOf(index, o)],
    }));
  }
  return findings;
}

/** Returns what is wrong with one operation, as the end of a sentence, or undefined. */
function faultOf(index: PlanIndex, o: number): string | undefined {
  const { plan, rankOf } = index;
  const { ops } = plan;
  const rank = rankOf[o];
  const reads = !isReceive(plan, o);
  const writes = !isSend(plan, o);
  if (reads && writes) {
    if (ops.srcCount[o] !== ops.dstCount[o])
      return `it takes ${counted(ops.srcCount[o], 'chunk')} to a place of ${ops.dstCount[o]}`;
  } else {
    const peer = ops.peer[o];
    if (peer === rank) return 'a rank does not send to itself; use copy or reduce';
    const { ranks } = plan.collective;
    if (peer < 0 || peer >= ranks) return `the peer must be a rank from 0 to ${ranks - 1}`;
    if (ops.channel[o] < 0) return `the channel is ${ops.channel[o]}; channels are numbered from 0`;
  }
  if (ops.step[o] < 0) return `the step is ${ops.step[o]}; steps are numbered from 0`;
  return (
    (reads ? faultOfSlice(plan, rank, ops.srcBuffer[o], ops.srcOffset[o], ops.srcCount[o]) : undefined) ??
    (writes ? faultOfSlice(plan, rank, ops.dstBuffer[o], ops.dstOffset[o], ops.dstCount[o]) : undefined) ??
    (writes && !plan.collective.inPlace && ops.dstBuffer[o] === inputCode
      ? 'out of place, the input is read-only'
      : undefined) ??
    faultOfWaits(index, o)
  );
}

function faultOfSlice(plan: Plan, rank: number, code: number, offset: number, count: number): string | undefined {
  const size = sizeOf(plan.buffers[rank], code);
  if (size === undefined) return 'it needs a slice of input, output or scratch';
  if (count < 1) return `a slice has at least one chunk, not ${count}`;
  if (offset < 0 || offset + count > size) return `${planBuffers[code]} of rank ${rank} has ${counted(size, 'chunk')}`;
  return undefined;
}

/** Returns the number of chunks in the buffer with this code, or undefined if there is no such buffer. */
function sizeOf({ input, output, scratch }: ProgramBuffers, code: number): number | undefined {
  if (code === inputCode) return input;
  if (code === outputCode) return output;
  return code === scratchCode ? scratch : undefined;
}

function faultOfWaits(index: PlanIndex, o: number): string | undefined {
  const { plan, rankOf } = index;
  const { firstAfter, afterOp, afterBulks } = plan.ops;
  for (let a = firstAfter[o]; a < firstAfter[o + 1]; a++) {
    if (!(afterOp[a] >= 0 && afterOp[a] < rankOf.length && rankOf[afterOp[a]] === rankOf[o])) {
      return 'it waits for an operation that its rank does not have';
    }
    if (afterBulks[a] < 0)
      return `it waits for an operation ${-afterBulks[a]} bulks later; only earlier ones can be waited for`;
    if (afterBulks[a] === 0 && afterOp[a] === o) return 'it waits for itself';
  }
  return undefined;
}

/** Checks what concerns several operations: that connections keep to one lane on each side, and that operands do not overlap. */
export function checkTogether(index: PlanIndex, connections: Connections, memory: CellMemory): CheckFindings {
  const findings = new CheckFindings('malformed');
  checkLanes(index, connections.sends, connections.firstSend, 'sends', findings);
  checkLanes(index, connections.receives, connections.firstReceive, 'receives', findings);
  const { ops } = index.plan;
  for (let o = 0; o < ops.kind.length; o++) {
    const local = ops.kind[o] === OperationCode.copy || ops.kind[o] === OperationCode.reduce;
    if (local && Math.abs(memory.sourceCell[o] - memory.targetCell[o]) < ops.srcCount[o]) {
      findings.add(() => {
        const message = `${nameOf(index, o)} (${describeOperation(index.plan, o)}): source and destination share memory.`;
        return { message, story: [storyLineOf(index, o)] };
      });
    }
  }
  return findings;
}

/** Checks that all sends of a connection are in one lane, and all its receives in one lane. Otherwise "the k-th send" would not be defined. */
function checkLanes(index: PlanIndex, ops: Int32Array, first: Int32Array, what: string, findings: CheckFindings): void {
  const { plan, laneOf, rankOf } = index;
  for (let c = 0; c + 1 < first.length; c++) {
    for (let k = first[c] + 1; k < first[c + 1]; k++) {
      if (laneOf[ops[k]] === laneOf[ops[first[c]]]) continue;
      findings.add(() => ({
        message:
          `Rank ${rankOf[ops[k]]} ${what} on its connection with rank ${plan.ops.peer[ops[k]]}, channel ` +
          `${plan.ops.channel[ops[k]]}, in two lanes: all of them must stand in one.`,
        story: [storyLineOf(index, ops[first[c]]), storyLineOf(index, ops[k])],
      }));
      break;
    }
  }
}

/** Checks that the machine has a route for every message, from the chip of the sender to that of the receiver. */
export function checkRoutes(index: PlanIndex, routes: Routes): CheckFindings {
  const findings = new CheckFindings('malformed');
  const { plan, rankOf } = index;
  const [known, ranks] = [new Set<number>(), plan.collective.ranks];
  for (let o = 0; o < rankOf.length; o++) {
    const [from, to] = [rankOf[o], plan.ops.peer[o]];
    if (!isSend(plan, o) || known.has(from * ranks + to)) continue;
    known.add(from * ranks + to);
    if (routes.between(from, to) !== undefined) continue;
    findings.add(() => ({
      message: `Rank ${from} sends to rank ${to}, but ${routes.topology.name} has no route between their chips.`,
      story: [storyLineOf(index, o)],
    }));
  }
  return findings;
}
