/** What `ccc compile` writes: the plan, and what there is to say about it. Loaded while the search runs, to be there when it ends. */

import type { NearestChips } from '../../graph/index.ts';
import { oneLine } from '../../ir/plain-text.ts';
import type { CompileResult } from '../../search/compile.ts';
import { emitterNamed, readyFor, writeEmitted } from '../emitters.ts';
import { exitCodes } from '../failure.ts';
import { note, writeJson } from '../output.ts';
import { widthOf } from '../terminal.ts';
import { type FoundPlan, foundPlanResult } from './found-plan.ts';
import type { IntactTime } from './intact.ts';
import { compileReport } from './report.ts';
import type { CompileOptions } from './request.ts';

/** What is known of the machine beside the plan. */
export interface PresentedMachine {
  /** For the document of `--json`. */
  readonly intact: IntactTime | undefined;
  readonly placement: NearestChips | undefined;
}

/** Writes plan and report; returns the exit code. */
export async function present(found: FoundPlan, options: CompileOptions, facts: PresentedMachine): Promise<number> {
  const { intact, placement } = facts;
  const result = foundPlanResult(found);
  const emitter = await emitterNamed(options.emit);
  const bundle = await readyFor(emitter, result.bundle);
  if (options.json !== true || options.output !== undefined) {
    for (const remark of await writeEmitted(emitter, bundle, options.output)) note(oneLine(remark));
  }
  if (options.json === true) {
    const { compileDocument } = await import('./document.ts');
    const { groups, explained, baselines } = found;
    writeJson({
      ...compileDocument(result, explained !== undefined, options.objective),
      ...(baselines === undefined ? {} : { baselines }),
      ...(groups === undefined ? {} : { groups }),
      ...(intact === undefined ? {} : { intact }),
      ...(placement === undefined ? {} : { placement }),
    });
  } else {
    await report(result, found, options, placement);
  }
  if (!found.stoppedEarly) return exitCodes.done;
  note(`ccc: the search was ended; ${bestOf(found.candidates.length)}`);
  return exitCodes.stopped;
}

function bestOf(priced: number): string {
  return priced === 1
    ? 'this is the only candidate that was priced'
    : `this is the best of the ${priced} candidates priced so far`;
}

/** What people read about the plan, on standard error. */
async function report(
  result: CompileResult,
  found: FoundPlan,
  options: CompileOptions,
  placement: NearestChips | undefined,
): Promise<void> {
  const width = widthOf(process.stderr);
  const { groups } = found;
  note(compileReport(result, options.bulks === 'auto', width, placement));
  if (groups !== undefined) note(`\n${(await import('./groups-report.ts')).groupsText({ ...result, groups }, width)}`);
  if (options.explain !== true) return;
  if (found.explained === undefined) return note('ccc: there was no time to explain the candidates');
  const { explainText } = await import('./explain-report.ts');
  note(`\n${explainText(result, options.objective, width)}`);
  if (found.baselines !== undefined) {
    note(
      `\n${(await import('./baselines-report.ts')).baselinesText(found.baselines, result.bundle.cost.seconds, width)}`,
    );
  }
}
