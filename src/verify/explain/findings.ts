/** Puts findings into words: operations, their places in the plan, and a limit on how many findings of a kind are listed. */
import { operationKinds, type Plan, planBuffers } from '../../ir/plan.ts';
import type { PlanIndex } from '../../ir/plan-index.ts';
import type { Finding, PlanPlace } from '../../ir/verification.ts';
import { reportLimits } from './report-limits.ts';

export type StoryLine = Finding['story'][number];

/** A finding in words. */
export interface FindingText {
  readonly message: string;
  readonly story?: readonly StoryLine[];
}

/** The findings of one check. Texts are made only for findings that are listed, since a wrong plan may have millions. */
export class CheckFindings {
  private readonly code: Finding['code'];
  private readonly severity: Finding['severity'];
  private readonly written: Finding[] = [];
  private total = 0;
  private complete = true;

  constructor(code: Finding['code'], severity: Finding['severity'] = 'error') {
    this.code = code;
    this.severity = severity;
  }

  /** Adds a finding. @param explain called only if the finding is written out */
  add(explain: () => FindingText): void {
    if (this.total++ >= reportLimits.contributions) return;
    const { message, story = [] } = explain();
    this.written.push({ severity: this.severity, code: this.code, message, story });
  }

  get none(): boolean {
    return this.total === 0;
  }

  get full(): boolean {
    return this.total >= reportLimits.contributions;
  }

  /** Records that the check stopped early, so that there may be more findings than were added. */
  cutShort(): void {
    this.complete = false;
  }

  list(): readonly Finding[] {
    const untold = this.total - this.written.length;
    if (untold === 0 && this.complete) return this.written;
    const message = this.complete
      ? `${untold} more of the same kind ${untold === 1 ? 'is' : 'are'} not shown.`
      : 'There may be more of the same kind: the search ended here.';
    const rest = { count: untold, isComplete: this.complete };
    return [...this.written, { severity: this.severity, code: this.code, message, story: [], untold: rest }];
  }
}

/** Writes a slice: `output[3]` or `output[3..5]`, both ends included. */
function sliceText(buffer: number, offset: number, count: number): string {
  const name = planBuffers[buffer] ?? 'nothing';
  return count === 1 ? `${name}[${offset}]` : `${name}[${offset}..${offset + count - 1}]`;
}

/** Says what an operation does: `send output[3] to rank 1`. */
export function describeOperation(plan: Plan, operation: number): string {
  const { ops } = plan;
  const source = sliceText(ops.srcBuffer[operation], ops.srcOffset[operation], ops.srcCount[operation]);
  const target = sliceText(ops.dstBuffer[operation], ops.dstOffset[operation], ops.dstCount[operation]);
  const channel = ops.channel[operation] === 0 ? '' : `, channel ${ops.channel[operation]}`;
  const peer = `rank ${ops.peer[operation]}${channel}`;
  switch (operationKinds[ops.kind[operation]]) {
    case 'copy':
      return `copy ${source} to ${target}`;
    case 'reduce':
      return `reduce ${source} into ${target}`;
    case 'send':
      return `send ${source} to ${peer}`;
    case 'recv':
      return `recv ${target} from ${peer}`;
    case 'recvReduce':
      return `recvReduce into ${target} from ${peer}`;
  }
}

/** Returns the place of an operation in the plan. */
function placeOf(index: PlanIndex, operation: number, bulk = 0): PlanPlace {
  const { plan, laneOf, rankOf } = index;
  const lane = laneOf[operation];
  return {
    rank: rankOf[operation],
    lane: plan.laneId[lane],
    index: operation - plan.firstOp[lane],
    bulk,
    step: plan.ops.step[operation],
    range: plan.origins[plan.ops.origin[operation]],
  };
}

/** Names an operation: `rank 2 lane 1 op 5`. */
export function nameOf(index: PlanIndex, operation: number): string {
  const place = placeOf(index, operation);
  return `rank ${place.rank} lane ${place.lane} op ${place.index}`;
}

/** Returns one line of an explanation: the operation, what it does, and a remark. */
export function storyLineOf(index: PlanIndex, operation: number, remark = '', bulk = 0): StoryLine {
  const text = `${nameOf(index, operation)}: ${describeOperation(index.plan, operation)}${remark === '' ? '' : ` – ${remark}`}`;
  return { text, place: placeOf(index, operation, bulk) };
}
