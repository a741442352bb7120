/** Writes the output of `ccc compile --compact`: the plan, and the report on it. */
import { compactPlanText } from '../../compact/plan-json.ts';
import type { CompiledCompactPlan } from '../../session/compile/compact-plan.ts';
import { note, writeJson, writeResult } from '../output.ts';
import { widthOf } from '../terminal.ts';
import { compactDocument, compactReport } from './report.ts';

export async function presentCompact(
  { result }: CompiledCompactPlan,
  { json, output }: { readonly json?: boolean; readonly output?: string },
): Promise<void> {
  if (json !== true || output !== undefined) await writeResult(compactPlanText(result.bundle), output);
  if (json === true) writeJson(compactDocument(result));
  else note(compactReport(result, widthOf(process.stderr)));
}
