/** Rewrites findings about a schedule in the terms of the file that its author wrote: transfers, loop values and chunks. */
import { type Collective, collectiveFacts } from '../ir/collective.ts';
import type { SourceRange } from '../ir/diagnostic.ts';
import { type Operation, operationAt, type Plan, type Slice } from '../ir/plan.ts';
import type { Finding, PlanPlace, Verification } from '../ir/verification.ts';
import { elaborate, type ScheduleFile, type ScheduleRequest } from '../read/schedule/index.ts';

/**
 * Adds loop values to the operations of counterexamples, and describes a race by its transfers and by what to change in the file, instead of a
 * missing dependency of the plan. Files that combine other files stay as they are, since their transfers are written elsewhere.
 * @param plan the plan that was verified, lowered from the schedule of the file
 */
export function inAuthorsWords(
  verification: Verification,
  plan: Plan,
  file: ScheduleFile,
  request: ScheduleRequest,
): Verification {
  if (verification.verdict === 'correct' || file.body.kind !== 'steps') return verification;
  // Plans do not count steps that have lost all their transfers, so that steps of pruned schedules cannot be matched.
  const loops = file.prune ? new Map<string, string>() : loopsOf(file, request);
  const findings = verification.findings.map((finding): Finding => {
    const story = finding.story.map(({ text, place }) => ({ text, place: withLoops(place, plan, loops) }));
    return { ...finding, story, message: messageOf({ ...finding, story }, plan) };
  });
  return { ...verification, findings };
}

/** Loop values by the place of a transfer in the file, its step and its two ranks; the first of several identical transfers counts. */
function loopsOf(file: ScheduleFile, request: ScheduleRequest): ReadonlyMap<string, string> {
  const loops = new Map<string, string>();
  elaborate(file, request, ({ range, step, source, destination, loopValues }) => {
    const key = keyOf(range, step + 1, source, destination);
    const values = /\(with (.*)\)/.exec(loopValues)?.[1];
    if (values !== undefined && !loops.has(key)) loops.set(key, values);
  });
  return loops;
}

function keyOf({ start }: SourceRange, step: number, source: number, destination: number): string {
  return `${start} ${step} ${source} ${destination}`;
}

/** Plans count steps from 1, since step 0 has the copies of initial values. */
function withLoops(place: PlanPlace, plan: Plan, loops: ReadonlyMap<string, string>): PlanPlace {
  if (place.range === undefined) return place;
  const operation = operationOf(place, plan);
  const peer = 'peer' in operation ? operation.peer : place.rank;
  const [source, destination] = operation.op === 'send' ? [place.rank, peer] : [peer, place.rank];
  const values = loops.get(keyOf(place.range, place.step, source, destination));
  return values === undefined ? place : { ...place, loops: values };
}

function operationOf({ rank, lane, index }: PlanPlace, plan: Plan): Operation {
  let at = plan.firstLane[rank];
  while (plan.laneId[at] !== lane) at++;
  return operationAt(plan, plan.firstOp[at] + index);
}

function messageOf(finding: Finding, plan: Plan): string {
  const [first, second] = finding.story.map(({ place }) => place);
  if (finding.code === 'wrong-result' && first === undefined && finding.message.startsWith('output[')) {
    return `${finding.message} No transfer brings anything there.`;
  }
  if (finding.code !== 'race' || first?.range === undefined || second?.range === undefined) return finding.message;
  const conflict = conflictOf(operationOf(first, plan), operationOf(second, plan));
  if (conflict === undefined || first.step !== second.step) return finding.message;
  const { slice, does } = conflict;
  return (
    `in step ${first.step} ${transferText(first)} and ${transferText(second)} ${does} ` +
    `${slotText(slice, plan.collective)} of rank ${first.rank}, and nothing says which comes first. ` +
    'In a step all is read before anything is written: leave one of them out, or write the one that is to come last in a later step.'
  );
}

/** `copy: r -> r + 1` with s = 1, r = 2. */
function transferText({ range, loops }: PlanPlace): string {
  const written =
    range === undefined ? '' : range.source.text.slice(range.start, range.end).replace(/\s+/g, ' ').trim();
  return `\`${written}\`${loops === undefined ? '' : ` with ${loops}`}`;
}

/** The slots on which two operations of a rank conflict. */
function conflictOf(first: Operation, second: Operation): { readonly slice: Slice; readonly does: string } | undefined {
  const written = overlap(writtenBy(first), writtenBy(second));
  if (written !== undefined) return { slice: written, does: 'both write' };
  const later = overlap(readBy(first), writtenBy(second));
  if (later !== undefined) return { slice: later, does: 'read and write' };
  const earlier = overlap(writtenBy(first), readBy(second));
  return earlier && { slice: earlier, does: 'write and read' };
}

function writtenBy(operation: Operation): Slice | undefined {
  return 'dst' in operation ? operation.dst : undefined;
}

function readBy(operation: Operation): Slice | undefined {
  return 'src' in operation ? operation.src : undefined;
}

function overlap(a: Slice | undefined, b: Slice | undefined): Slice | undefined {
  if (a === undefined || b === undefined || a.buffer !== b.buffer) return undefined;
  const offset = Math.max(a.offset, b.offset);
  const count = Math.min(a.offset + a.count, b.offset + b.count) - offset;
  return count <= 0 ? undefined : { buffer: a.buffer, offset, count };
}

/** `shard 2` or `chunk 1 of shard 2` of a buffer in shards, `chunk 1` of others, scratch by its slots. */
function slotText({ buffer, offset, count }: Slice, { kind, chunks }: Collective): string {
  const last = offset + count - 1;
  const many = (first: number, end: number, noun: string): string =>
    first === end ? `${noun} ${first}` : `${noun}s ${first} … ${end}`;
  if (buffer === 'scratch' || kind === 'custom') return many(offset, last, `${buffer} slot`);
  const inShards = collectiveFacts[kind].sharded;
  if (!inShards) return many(offset, last, 'chunk');
  if (offset % chunks === 0 && (last + 1) % chunks === 0) {
    return many(offset / chunks, Math.floor(last / chunks), `${buffer} shard`);
  }
  return `${many(offset, last, 'slot')} of the ${buffer}`;
}
