/** What `ccc verify --all` says: a line per schedule that is right, the whole story of one that is wrong. */
import type { ShippedReport } from './range.ts';
import { isCorrect, verifyDocument, verifyReport } from './report.ts';

/** Every schedule that works for some number of ranks in the range is right for all that it works for. */
export function allCorrect(shipped: readonly ShippedReport[]): boolean {
  return shipped.every(({ report }) => report === undefined || isCorrect(report));
}

export function shippedText(shipped: readonly ShippedReport[]): string {
  return shipped.map(shippedLine).join('');
}

function shippedLine({ name, report }: ShippedReport): string {
  if (report === undefined) return `not verified: ${name} works for none of these numbers of ranks\n`;
  const text = verifyReport(report);
  return isCorrect(report) ? text.slice(0, text.indexOf('\n') + 1) : text;
}

export function shippedDocument(shipped: readonly ShippedReport[]): object {
  return {
    ok: allCorrect(shipped),
    schedules: shipped.map(({ name, report }) => ({ name, ...(report === undefined ? {} : verifyDocument(report)) })),
  };
}
