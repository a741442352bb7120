/**
 * Finds the source lines of the schedule from which a plan was made. The plan's document names the shipped schedule and its parameters. The schedule
 * is lowered again, and operations that are equal in both plans get the lines.
 */
import { collectiveFacts } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { OperationCode, operationCount, type Plan } from '../ir/plan.ts';
import { lower } from '../lower/index.ts';
import { relabel } from '../passes/index.ts';
import { fitness, instantiate, listShipped, loadScheduleFile } from '../read/index.ts';
import { type DocumentBlocks, isRecord } from './claims.ts';

/** Maximum number of operations: for a larger plan, lowering the schedule again would take as long as everything else. */
const mostOperations = 200_000;

/** The plan with the lines of its schedule as origins. Returns the plan unchanged if it was not made from a shipped schedule. */
export function withScheduleLines(plan: Plan, { origin }: DocumentBlocks, limits: Limits): Plan {
  if (!isRecord(origin) || typeof origin.schedule !== 'string' || operationCount(plan) > mostOperations) return plan;
  const again = madeAgain(plan, origin.schedule, orderIn(origin.ringOrder, plan.collective.ranks), limits);
  const origins = again === undefined ? undefined : matched(plan, again);
  if (again === undefined || origins === undefined) return plan;
  return { ...plan, ops: { ...plan.ops, origin: origins }, origins: again.origins };
}

/** The order of ranks: entry p is the rank in position p. Undefined if the document states none. */
function orderIn(value: unknown, ranks: number): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length !== ranks) return undefined;
  const order: unknown[] = value;
  return order.every((rank): rank is number => typeof rank === 'number') ? order : undefined;
}

function madeAgain(
  { collective }: Plan,
  schedule: string,
  order: readonly number[] | undefined,
  limits: Limits,
): Plan | undefined {
  if (!listShipped('schedules').includes(schedule)) return undefined;
  const { ranks, chunks, op, ordered, inPlace } = collective;
  const root =
    order !== undefined && collectiveFacts[collective.kind].rooted ? order.indexOf(collective.root) : collective.root;
  const file = loadScheduleFile(schedule);
  const request = { ranks, chunks, root, op, ordered, inPlace, parameters: {}, limits };
  try {
    if (root < 0 || !fitness(file, request).fits) return undefined;
    const made = instantiate(file, request);
    return lower(order === undefined ? made : relabel(made, order));
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

/**
 * By operation of the plan: the origin of the equal operation in the other plan; undefined if a message has none. Lanes are not compared, since
 * channels may be changed after the lowering.
 */
function matched(plan: Plan, again: Plan): Int32Array | undefined {
  const places = new Map<string, number[]>();
  forEachOperation(again, (operation, key) => {
    const known = places.get(key);
    if (known === undefined) places.set(key, [again.ops.origin[operation]]);
    else known.push(again.ops.origin[operation]);
  });
  const origins = new Int32Array(operationCount(plan)).fill(-1);
  let isWhole = true;
  forEachOperation(plan, (operation, key) => {
    const place = places.get(key)?.shift();
    if (place !== undefined) origins[operation] = place;
    else if (plan.ops.kind[operation] >= OperationCode.send) isWhole = false;
  });
  return isWhole ? origins : undefined;
}

/** @param visit called for each operation, in order, with a key that is the same for equal operations */
function forEachOperation({ firstLane, firstOp, ops }: Plan, visit: (operation: number, key: string) => void): void {
  for (let rank = 0; rank + 1 < firstLane.length; rank++) {
    for (let o = firstOp[firstLane[rank]]; o < firstOp[firstLane[rank + 1]]; o++) {
      const source = `${ops.srcBuffer[o]} ${ops.srcOffset[o]} ${ops.srcCount[o]}`;
      const target = `${ops.dstBuffer[o]} ${ops.dstOffset[o]} ${ops.dstCount[o]}`;
      visit(o, `${rank} ${ops.kind[o]} ${ops.peer[o]} ${ops.step[o]}: ${source} ${target}`);
    }
  }
}
