/** Keeps the plan about which the verifier and the kernel disagree, so that whoever reports it can send it along. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unprovedText } from '../emit/json.ts';
import { Disagreement } from '../verify/kernel.ts';

/** The error, with the file that the plan was saved in; other errors as they are. Threads lose what is not in the message. */
export function withPlanSaved(error: unknown): unknown {
  if (!(error instanceof Disagreement)) return error;
  try {
    const path = join(mkdtempSync(join(tmpdir(), 'ccc-')), 'disagreement.json');
    writeFileSync(path, [...unprovedText(error.plan)].join(''));
    return new Error(`${error.message}; the plan is in ${path}`);
  } catch (second) {
    return new Error(`${error.message}; the plan could not be saved: ${String(second)}`);
  }
}
