/** What `ccc compile` writes: the plan, and the report on it. Loaded while the search runs, to be there when it ends. */
import type { Emitter } from '../../emit/index.ts';
import { oneLine } from '../../ir/plain-text.ts';
import type { WrittenTime } from '../../jobs/written-time.ts';
import type { Objective } from '../../search/comparing.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';
import type { IntactTime } from '../../session/compile/intact.ts';
import { readyFor } from '../../session/targets.ts';
import { exitCodes } from '../failure.ts';
import { note, writeJson } from '../output.ts';
import { writeEmitted } from '../target.ts';
import { widthOf } from '../terminal.ts';
import { compileReport } from './report.ts';

export interface PresentOptions {
  readonly output?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
  readonly bulks: number | 'auto';
  readonly objective: Objective;
}

/**
 * Writes plan and report.
 * @param intact for the document of `--json`
 * @returns the exit code
 */
export async function present(
  plan: CompiledPlan,
  emitter: Emitter,
  options: PresentOptions,
  intact: IntactTime | undefined,
): Promise<number> {
  const bundle = await readyFor(emitter, plan.bundle);
  let time: WrittenTime | undefined;
  if (options.json !== true || options.output !== undefined) {
    const emitted = await writeEmitted(emitter, bundle, options.output);
    time = emitted.time;
    for (const remark of emitted.remarks) note(oneLine(remark));
  }
  if (options.json === true) {
    const { compileDocument } = await import('./document.ts');
    writeJson(compileDocument(plan, options.objective, intact));
  } else {
    await report(plan, options, time);
  }
  if (!plan.stoppedEarly) return exitCodes.done;
  note(`ccc: the search was ended; ${bestOf(plan.candidates.length)}`);
  return exitCodes.stopped;
}

function bestOf(evaluated: number): string {
  return evaluated === 1
    ? 'this is the only candidate that was evaluated'
    : `this is the best of the ${evaluated} candidates evaluated so far`;
}

/** The report for people, on standard error. */
async function report(plan: CompiledPlan, options: PresentOptions, time: WrittenTime | undefined): Promise<void> {
  const width = widthOf(process.stderr);
  const anyBulks = options.bulks === 'auto' && plan.context.notes.length === 0;
  note(compileReport(plan, anyBulks, width, time));
  const { groups, baselines } = plan;
  if (groups !== undefined) note(`\n${(await import('./groups-report.ts')).groupsText(groups, plan.time, width)}`);
  if (options.explain !== true) return;
  const { explainText } = await import('./explain-report.ts');
  note(`\n${explainText(plan, options.objective, width)}`);
  if (baselines === undefined) return;
  note(`\n${(await import('./baselines-report.ts')).baselinesText(baselines, plan.time, width)}`);
}
