/** Writes the report of `ccc verify --all`: one line for each correct schedule, the whole explanation for each wrong one. */
import type { ShippedReport } from '../../session/verify/range.ts';
import { isCorrect, unfinishedText, verifyDocument, verifyReport } from './report.ts';

/** Whether every schedule is correct for all numbers of ranks in the range that it supports. */
export function allCorrect(shipped: readonly ShippedReport[]): boolean {
  return shipped.every(({ report }) => report === undefined || isCorrect(report));
}

export function shippedText(shipped: readonly ShippedReport[]): string {
  return shipped.map(shippedLine).join('');
}

/** Whether a work limit kept something from being verified. */
export function someUnfinished(shipped: readonly ShippedReport[]): boolean {
  return shipped.some(({ unfinished }) => unfinished !== undefined);
}

function shippedLine({ name, report, unfinished }: ShippedReport): string {
  const left = unfinished === undefined ? '' : `${name} is ${unfinishedText(unfinished)}\n`;
  if (report === undefined) return left || `not verified: ${name} works for none of these numbers of ranks\n`;
  const text = verifyReport(report);
  return `${isCorrect(report) ? text.slice(0, text.indexOf('\n') + 1) : text}${left}`;
}

export function shippedDocument(shipped: readonly ShippedReport[]): object {
  return {
    ok: allCorrect(shipped) && !someUnfinished(shipped),
    schedules: shipped.map(({ name, report, unfinished }) => ({
      name,
      ...(report === undefined ? { unfinished } : verifyDocument(report)),
    })),
  };
}
