/** What the same collective takes on the machine as it was before `--without` took something away. */
import { compile } from '../../compile/compile.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { formatSeconds } from '../../ir/units.ts';
import type { FoundPlan } from './found-plan.ts';
import { type CompileOptions, readRequest } from './request.ts';

/** A line for people; undefined where there is no plan for the whole machine, or none of that many chips. */
export async function intactText(
  kindText: string,
  { without: _, ...options }: CompileOptions,
  { bundle: { cost } }: FoundPlan,
): Promise<string | undefined> {
  try {
    const { request } = await readRequest(kindText, { ...options, effort: 'quick' });
    const { bundle } = compile({ ...request, exhaustive: false });
    const ratio = Number((cost.seconds / bundle.cost.seconds).toPrecision(3));
    const takes = `${formatSeconds(bundle.cost.seconds)} on ${oneLine(request.topology.name)}`;
    return `the whole machine: ${takes} by a quick search; this plan takes ${ratio} times as long`;
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}
