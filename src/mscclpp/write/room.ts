/** Estimates, before anything is written, whether a gpu can hold the thread blocks of a plan. */
import type { Plan } from '../../ir/plan.ts';
import type { Topology } from '../../ir/topology.ts';
import { formatBytes } from '../../ir/units.ts';
import { judged } from '../check/limits.ts';
import { executionLimits } from '../execution-plan.ts';
import { executor } from './target.ts';

/** The number of thread blocks that a gpu of a machine can hold, and where that limit comes from. */
export interface ResidentBlocks {
  readonly count: number;
  /** The beginning of a sentence that ends with the count, such as `h100:2 has room for`. */
  readonly source: string;
}

/**
 * The number of thread blocks that one gpu runs at once. Blocks wait for each other, so that all blocks of a plan must be resident: one on each
 * multiprocessor. A machine file that states the number of lanes of a chip thereby states the number of multiprocessors.
 */
export function residentBlocks(topology: Topology | undefined): ResidentBlocks {
  const models = [topology?.lane, ...Object.values(topology?.protocols ?? {}).map(({ lane }) => lane)];
  const counts = models.flatMap((lane) => (lane?.count === undefined ? [] : [lane.count])).filter(Number.isFinite);
  if (topology === undefined || counts.length === 0) {
    return { count: executor.blocks, source: 'a gpu is sure to have room for' };
  }
  return { count: Math.min(...counts), source: `a gpu of ${topology.name} has room for` };
}

/**
 * What the plan lacks room for, as a certain lower bound, in time linear in the operations of one bulk. Every operation becomes at least one
 * operation of a block, so that a rejected plan would not fit however it were written.
 */
export function surelyLackingRoom(plan: Plan, topology: Topology | undefined): readonly string[] {
  const blocks = blocksFor(plan, { each: 1, room: executionLimits.operations });
  const tooMany = blocksLacking(blocks, plan, topology, 'at least ');
  if (tooMany.length > 0) return tooMany;
  const operations = plan.ops.kind.length * plan.bulks;
  if (operations <= judged.events) return [];
  return [`it has ${operations} operations in all bulks, and files of up to ${judged.events} can be judged`];
}

/** What the plan probably lacks room for, as an estimate for searches. */
export function probablyLackingRoom(plan: Plan, topology: Topology | undefined): readonly string[] {
  const likely = blocksLacking(blocksFor(plan, typical), plan, topology, 'about ');
  return likely.length > 0 ? likely : surelyLackingRoom(plan, topology);
}

/**
 * Estimate of the number of operations in blocks for each operation of a plan, and the room that a block has for them besides the link to the next
 * block. Measured on ring:8, full:8, h100 and mi300x (bench/mscclpp.ts): 2.2 to 4.6 operations, up to 6.5 in scans.
 */
const typical = { each: 6.5, room: executionLimits.operations - 6 } as const;

/** @param bound `at least ` if the count is a lower bound, `about ` if it is an estimate */
export function blocksLacking(
  blocks: number,
  { bulks, firstLane }: Plan,
  topology: Topology | undefined,
  bound = '',
): readonly string[] {
  const { count, source } = residentBlocks(topology);
  if (blocks <= count) return [];
  const lanes = firstLane.reduce((max, first, rank) => Math.max(max, first - (firstLane[rank - 1] ?? 0)), 0);
  const why = lanes > count ? `: the plan has ${lanes} lanes on a rank` : bulks > 1 ? ` for its ${bulks} bulks` : '';
  const hint = lanes <= count && bulks > 1 ? ' (fewer --bulks need fewer)' : '';
  return [`it needs ${bound}${blocks} blocks of a gpu at once${why}, and ${source} ${count}${hint}`];
}

/** The maximum number of blocks of a rank. */
function blocksFor(
  { bulks, firstLane, firstOp, ops }: Plan,
  { each, room }: { readonly each: number; readonly room: number },
): number {
  let max = 0;
  for (let rank = 0; rank + 1 < firstLane.length; rank++) {
    let blocks = 0;
    for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++) {
      const operations = (firstOp[lane + 1] - firstOp[lane]) * bulks;
      const peers = new Set(ops.peer.subarray(firstOp[lane], firstOp[lane + 1])).size;
      // A lane that serves more peers in turn than a block has channels continues in another block whenever the channels are used up.
      const byChannels = peers > executionLimits.channels ? operations / executionLimits.channels : 0;
      blocks += Math.ceil(Math.max((operations * each) / room, each === 1 ? 0 : byChannels));
    }
    max = Math.max(max, blocks);
  }
  return max;
}

/** Whether a size exceeds 32-bit sizes and offsets. @param max bytes of the largest message that they can address */
export function addressLacking(size: number | undefined, max: number): readonly string[] {
  if (size === undefined || size <= max) return [];
  return [
    `the runtime has 32-bit offsets, with which this plan moves up to ${formatBytes(max)} (${max} bytes), not ${size}`,
  ];
}
