/** Writes the report of `ccc run`, as text and as JSON. */

import { oneLine } from '../../ir/plain-text.ts';
import { counted, formatBytes, formatBytesPerSecond, formatSeconds, type Seconds } from '../../ir/units.ts';
import type { PlanRun } from '../../jobs/run-plan.ts';
import { type InputKind, type Mismatch, type StepTimes, stepTimes } from '../../run/index.ts';
import { ratesOf } from '../rates.ts';

/** A run, and what its report mentions. */
export interface ReportedRun extends PlanRun {
  readonly inputs: InputKind;
  readonly timeline: boolean;
}

/** Returns minimum and median of the repetitions. */
function summary(seconds: readonly Seconds[]): { readonly min: Seconds; readonly median: Seconds } {
  const sorted = [...seconds].sort((a, b) => a - b);
  return { min: sorted[0], median: sorted[sorted.length >> 1] };
}

function stepsOf({ plan, result, timeline }: ReportedRun): readonly StepTimes[] | undefined {
  return timeline && result.times !== undefined ? stepTimes(plan, result.times) : undefined;
}

/** Writes a few lines: what ran, how long it took, at which bandwidths, and whether the results are right. */
export function runText(shown: ReportedRun): string {
  const { plan, dtype, result } = shown;
  const { kind, ranks } = plan.collective;
  const { min, median } = summary(result.seconds);
  const { algorithmBandwidth, busBandwidth } = ratesOf(plan.collective, result.size, min);
  const lines = [
    `${oneLine(plan.name)}: ${kind} of ${formatBytes(result.size)} of ${dtype} on ${counted(ranks, 'rank')}, ` +
      `${counted(result.threads, 'thread')}, ${formatBytes(result.memory)} of buffers`,
    `  measured  ${formatSeconds(min)} at best, median ${formatSeconds(median)} of ${counted(result.seconds.length, 'run')}`,
    `  rates  algbw ${formatBytesPerSecond(algorithmBandwidth)}, busbw ${formatBytesPerSecond(busBandwidth)}`,
    ...checkLines(shown),
  ];
  const steps = stepsOf(shown);
  if (steps !== undefined) lines.push('  step  operations       start         end', ...steps.map(stepLine));
  return `${lines.join('\n')}\n`;
}

function checkLines({ plan, result, inputs, verification }: ReportedRun): readonly string[] {
  const { wrong } = result;
  if (wrong === undefined) return ['  check  not asked for'];
  if (wrong.length > 0) return wrong.map((mismatch) => `  WRONG  ${mismatchText(mismatch)}`);
  const how = inputs === 'exact' ? 'bit by bit' : 'within rounding';
  const same =
    inputs === 'random' && plan.collective.kind === 'allreduce' && verification.determinism?.identical === true
      ? ', and the same bits on all ranks'
      : '';
  return [`  check  every output element is right, ${how}${same}`];
}

function mismatchText({ rank, element, expected, found }: Mismatch): string {
  return `rank ${rank}, output element ${element}: expected ${expected}, found ${found}`;
}

function stepLine({ step, operations, start, end }: StepTimes): string {
  const cells = [String(step).padStart(6), String(operations).padStart(12)];
  return `${cells.join('')}${formatSeconds(start).padStart(12)}${formatSeconds(end).padStart(12)}`;
}

/** Makes the document of `--json`; times are in seconds, bandwidths in bytes per second. */
export function runDocument(shown: ReportedRun): object {
  const { plan, dtype, inflight, verification, result, inputs } = shown;
  const { wrong } = result;
  const { min, median } = summary(result.seconds);
  return {
    ok: wrong === undefined || wrong.length === 0,
    plan: plan.name,
    collective: { kind: plan.collective.kind, ranks: plan.collective.ranks, op: plan.collective.op },
    verdict: verification.verdict,
    size: result.size,
    dtype,
    bulks: plan.bulks,
    inflight,
    threads: result.threads,
    memory: result.memory,
    basis: 'measured',
    seconds: { min, median, all: result.seconds },
    ...ratesOf(plan.collective, result.size, min),
    check: wrong === undefined ? undefined : { inputs, ok: wrong.length === 0, wrong: wrong.map(jsonMismatch) },
    timeline: stepsOf(shown),
  };
}

/** Writes values as text, since JSON has no 64-bit integers, infinities or NaN. */
function jsonMismatch({ rank, element, expected, found }: Mismatch): object {
  return { rank, element, expected: String(expected), found: String(found) };
}
