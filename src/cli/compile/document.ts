/** What `ccc compile --json` says about a plan to programs. */

import { linkName } from '../../ir/topology.ts';
import type { Objective } from '../../search/comparing.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';
import type { IntactTime } from '../../session/compile/intact.ts';
import { boundDocument, collectiveDocument, costDocument, verificationDocument } from '../plan-document.ts';
import { withReasons } from './explain-report.ts';
import { pipelineDocument } from './pipeline-report.ts';

/**
 * Time, bound, proof and candidates of a plan. If the candidates were explained, each comes with its latency and bandwidth terms, and with the reason why the
 * objective did not choose it.
 */
export function compileDocument(compiled: CompiledPlan, objective: Objective, intact: IntactTime | undefined): object {
  const { proved, topology, size, dtype, cost, bound, origin } = compiled.bundle;
  const { plan, verification } = proved;
  const { explained, baselines, groups } = compiled;
  const { placement } = compiled.context.collective.machine;
  return {
    ok: true,
    name: plan.name,
    collective: collectiveDocument(plan.collective),
    topology: topology?.name,
    notes: topology?.notes,
    size,
    asked: compiled.asked,
    dtype,
    bulks: plan.bulks,
    steps: compiled.schedule.steps.stepCount,
    origin,
    cost: {
      ...costDocument(cost, plan.collective, size),
      criticalPath: compiled.criticalPath(),
      links: cost.links.map((use) => ({
        ...use,
        name: topology === undefined ? String(use.link) : linkName(topology, topology.links[use.link]),
        utilisation: cost.seconds === 0 ? 0 : use.busy / cost.seconds,
      })),
    },
    pipeline: pipelineDocument(compiled),
    staged: compiled.staged(),
    bound: boundDocument(bound, cost.seconds),
    verification: verificationDocument(verification),
    candidates: explained === undefined ? compiled.candidates : withReasons(explained, objective, size),
    dismissed: compiled.dismissed,
    protocol: topology?.protocol,
    protocols: compiled.protocols,
    inRounds: compiled.inRounds,
    effort: compiled.effort,
    stoppedEarly: compiled.stoppedEarly,
    ...(baselines === undefined ? {} : { baselines }),
    ...(groups === undefined ? {} : { groups }),
    ...(intact === undefined ? {} : { intact }),
    ...(placement === undefined ? {} : { placement }),
  };
}
