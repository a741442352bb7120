/**
 * Checks link capacity: if a plan claims a number of rounds for a step, no link may carry more chunks in that step than rounds × units of the link. A
 * step without a claim may take any number of rounds.
 */

import { isSend } from '../../ir/plan.ts';
import type { PlanIndex } from '../../ir/plan-index.ts';
import type { Routes } from '../../ir/routes.ts';
import { linkName } from '../../ir/topology.ts';
import { counted } from '../../ir/units.ts';
import { CheckFindings, type StoryLine, storyLineOf } from '../explain/findings.ts';
import { reportLimits } from '../explain/report-limits.ts';

/** Finds the steps in which a link carries more chunks than the claimed rounds allow. */
export function checkCapacity(index: PlanIndex, routes: Routes): CheckFindings {
  const { plan, rankOf } = index;
  const findings = new CheckFindings('over-capacity');
  const { topology } = routes;
  const load = new Map<number, number>();
  const { step, peer, channel } = plan.ops;
  const eachUse = (use: (send: number, link: number, key: number) => void): void => {
    let before = -1;
    let links: readonly number[] = [];
    for (let o = 0; o < rankOf.length; o++) {
      if (!isSend(plan, o) || !(plan.rounds[step[o]] > 0)) continue;
      // Most lanes serve a single connection, for which the route is the one found last.
      const isSame =
        before >= 0 && rankOf[before] === rankOf[o] && peer[before] === peer[o] && channel[before] === channel[o];
      if (!isSame) links = routes.between(rankOf[o], peer[o], channel[o])?.links ?? [];
      before = o;
      for (const link of links) use(o, link, step[o] * topology.links.length + link);
    }
  };
  eachUse((send, _link, key) => load.set(key, (load.get(key) ?? 0) + plan.ops.srcCount[send]));
  for (const [key, chunks] of load) {
    const step = Math.floor(key / topology.links.length);
    const link = topology.links[key % topology.links.length];
    const room = plan.rounds[step] * link.units;
    if (chunks <= room) continue;
    findings.add(() => {
      const story: StoryLine[] = [];
      eachUse((send, _link, other) => {
        if (other === key && story.length < reportLimits.contributions) story.push(storyLineOf(index, send));
      });
      const claim = `${counted(plan.rounds[step], 'round')} of ${counted(link.units, 'unit link')}`;
      return {
        message: `In step ${step}, ${linkName(topology, link)} carries ${counted(chunks, 'chunk')}; ${claim} carry ${room}.`,
        story,
      };
    });
  }
  return findings;
}
