/** What `ccc compile --json` says about a plan to programs. */

import { linkName } from '../../ir/topology.ts';
import type { Objective } from '../../search/comparing.ts';
import type { CompileResult } from '../../search/compile.ts';
import { boundDocument, collectiveDocument, costDocument, verificationDocument } from '../plan-document.ts';
import { criticalPathOf } from './critical-path.ts';
import { withReasons } from './explain-report.ts';
import { pipelineDocument } from './pipeline-report.ts';
import { stagedTimeOf } from './staged-report.ts';

/**
 * The plan's price, bound and proof, and what it was chosen from (`explained`: with the terms that their times are made of, and why
 * they were not chosen for the objective).
 */
export function compileDocument(result: CompileResult, explained: boolean, objective: Objective): object {
  const { proved, topology, size = 0, dtype, cost, bound, origin } = result.bundle;
  const { plan, verification } = proved;
  return {
    ok: true,
    name: plan.name,
    collective: collectiveDocument(plan.collective),
    topology: topology?.name,
    notes: topology?.notes,
    size,
    asked: result.asked,
    dtype,
    bulks: plan.bulks,
    steps: result.schedule.steps.stepCount,
    origin,
    cost: {
      ...costDocument(cost, plan.collective, size),
      criticalPath: criticalPathOf(result),
      links: cost.links.map((use) => ({
        ...use,
        name: topology === undefined ? String(use.link) : linkName(topology, topology.links[use.link]),
        utilisation: cost.seconds === 0 ? 0 : use.busy / cost.seconds,
      })),
    },
    pipeline: pipelineDocument(result),
    staged: stagedTimeOf(result),
    bound: boundDocument(bound, cost.seconds),
    verification: verificationDocument(verification),
    candidates: explained ? withReasons(result.explain(), objective, size) : result.candidates,
    dismissed: result.dismissed,
    protocol: topology?.protocol,
    protocols: result.protocols,
    inRounds: result.inRounds,
    effort: result.effort,
    stoppedEarly: result.stoppedEarly,
  };
}
