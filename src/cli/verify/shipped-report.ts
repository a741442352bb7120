/** What `ccc verify --all` says: a line per schedule that is right, the whole story of one that is wrong. */
import type { ShippedReport } from '../../session/verify/range.ts';
import { isCorrect, unfinishedText, verifyDocument, verifyReport } from './report.ts';

/** Every schedule that works for some number of ranks in the range is right for all that it works for. */
export function allCorrect(shipped: readonly ShippedReport[]): boolean {
  return shipped.every(({ report }) => report === undefined || isCorrect(report));
}

export function shippedText(shipped: readonly ShippedReport[]): string {
  return shipped.map(shippedLine).join('');
}

/** Whether a limit of work left something out. */
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
