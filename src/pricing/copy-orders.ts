/** Plans of staged schedules whose copies are in another order: decided by simulation, since one helps some collectives and hurts others. */
import { simulate } from '../cost/index.ts';
import { operationCount } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Seconds } from '../ir/units.ts';
import { fitsFastMemory, lower } from '../lower/index.ts';
import { copyOrders, refine } from '../passes/index.ts';
import { bestDepth } from '../synth/index.ts';
import { check } from '../verify/index.ts';
import { effortFor, worthwhile } from './effort.ts';
import type { Priced, PriceRequest } from './price.ts';

/**
 * The best plan with another order of copies, in as many bulks as suit it, if it is faster.
 *
 * @param known a plan of a staged schedule
 */
export function withCopyOrder(known: Priced, request: PriceRequest, routes: Routes): Priced | undefined {
  const { topology, size } = request;
  if (topology.staging === undefined) return undefined;
  let best: { readonly schedule: Schedule; readonly order: string; readonly bulks: number } | undefined;
  let least: Seconds = known.cost.seconds * worthwhile;
  for (const { name: order, schedule } of copyOrders(known.schedule)) {
    const operations = operationCount(lower(schedule));
    const timeOf = (bulks: number): Seconds => {
      const plan = lower(schedule, { bulks });
      return fitsFastMemory(plan, topology, size) ? simulate(plan, routes, size).seconds : Number.POSITIVE_INFINITY;
    };
    const most = Math.floor(request.limits.operations / operations);
    const goesOn = effortFor((bulks) => bulks * operations, request);
    const { bulks: asked } = request;
    const { depth, seconds } =
      asked === 'auto'
        ? bestDepth(timeOf, most, goesOn, known.checked.plan.bulks)
        : { depth: asked, seconds: timeOf(asked) };
    if (seconds < least) [best, least] = [{ schedule, order, bulks: depth }, seconds];
  }
  if (best === undefined) return undefined;
  const { schedule, order, bulks } = best;
  const { checked } = check(lower(schedule, { bulks, name: `${known.checked.plan.name}-copies` }), {
    topology,
    slots: request.limits.slots,
  });
  if (checked === undefined) return undefined;
  const candidate = {
    name: `${known.candidate.name}, copies ${order}`,
    origin: { ...known.candidate.origin, copies: order },
    build: (multiple: number) => refine(schedule, multiple),
  };
  return { kind: 'priced', candidate, schedule, checked, cost: simulate(checked.plan, routes, size) };
}
