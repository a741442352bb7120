/** Plans for tests of what is drawn. */
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { lower } from '../../src/lower/index.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../../src/read/index.ts';
import { judgePlan } from '../../src/verify/index.ts';
import { type PagePlan, pagePlan, type ViewSubject } from '../../src/view/index.ts';

const plain = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, limits: defaultLimits } as const;

/** A shipped schedule as a plan. */
export function shippedPlan(schedule: string, ranks: number): Plan {
  return lower(instantiate(loadScheduleFile(schedule), { ...plain, ranks }));
}

/** What a page shows of a plan, verified as it stands. @param topo the name of a shipped machine, if it runs on one */
export function shown(plan: Plan, topo: string | undefined, more: Partial<ViewSubject> = {}): PagePlan {
  const topology = topo === undefined ? undefined : resolveTopology(topo);
  const verification = judgePlan(plan, { topology });
  return pagePlan({ plan, verification, topology, size: 2 ** 20, bound: undefined, notes: [], ...more });
}
