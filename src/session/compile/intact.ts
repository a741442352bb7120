/** The time of a collective on a machine as it was before links and chips were removed from it. */
import { CccError } from '../../ir/diagnostic.ts';
import type { Seconds } from '../../ir/units.ts';
import { searchPlan } from '../../search/compile.ts';
import { collectiveRequest } from '../collectives.ts';
import type { PlanContext } from './plan-context.ts';
import { planRequest } from './plan-request.ts';

/** The time of a quick search's plan on the whole machine, and how many times as long the plan for the rest of the machine takes. */
export interface IntactTime {
  readonly topology: string;
  readonly effort: 'quick';
  readonly seconds: Seconds;
  readonly slowdown: number;
}

/**
 * @param seconds the time of the plan on what is left of the machine
 * @returns undefined if nothing was removed, for several groups, and where the whole machine has no plan
 */
export async function intactTime(
  { collective: asked, options }: Pick<PlanContext, 'collective' | 'options'>,
  hasGroups: boolean,
  seconds: Seconds,
): Promise<IntactTime | undefined> {
  if (!asked.machine.hasLostParts || hasGroups) return undefined;
  try {
    const machine = await asked.machine.whole();
    if (machine === undefined) return undefined;
    const { collective, dtype, size, definition } = asked;
    const { kind, root, op, ordered, inPlace, counts } = collective;
    const request = collectiveRequest(kind, machine, { root, op, ordered, inPlace, counts, dtype, size });
    const plain = await planRequest({ ...request, definition }, { ...options, effort: 'quick', explain: false });
    const whole = searchPlan(plain).bundle.cost.seconds;
    return { topology: machine.name, effort: 'quick', seconds: whole, slowdown: seconds / whole };
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}
