/** What the same collective takes on the machine as it was before `--without` took something away. */

import { CccError } from '../../ir/diagnostic.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { formatSeconds, type Seconds } from '../../ir/units.ts';
import { compile } from '../../search/compile.ts';
import type { FoundPlan } from './found-plan.ts';
import { type CompileOptions, readRequest } from './request.ts';

/** The plan of a quick search on the whole machine, and how many times as long the one for what is left of it takes. */
export interface IntactTime {
  readonly topology: string;
  readonly effort: 'quick';
  readonly seconds: Seconds;
  readonly slowdown: number;
}

/** Undefined where nothing was taken away, for several groups, and where the whole machine has no plan, or none of that many chips. */
export async function intactTime(
  kindText: string,
  { without, ...options }: CompileOptions,
  { bundle: { cost }, groups }: FoundPlan,
): Promise<IntactTime | undefined> {
  if (without === undefined || groups !== undefined) return undefined;
  try {
    const { request } = await readRequest(kindText, { ...options, effort: 'quick' });
    const { seconds } = compile({ ...request, exhaustive: false }).bundle.cost;
    return { topology: request.topology.name, effort: 'quick', seconds, slowdown: cost.seconds / seconds };
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

export function intactText({ topology, seconds, slowdown }: IntactTime): string {
  const takes = `${formatSeconds(seconds)} on ${oneLine(topology)}`;
  return `the whole machine: ${takes} by a quick search; this plan takes ${Number(slowdown.toPrecision(3))} times as long`;
}
