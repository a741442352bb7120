/** The search of `ccc tune`: topologies tuned one after the other, and what is to be written about them. */
import { type TuneRequest, type TuneResult, tuneSizes } from '../../tune/tune.ts';
import type { JobControl } from '../jobs/job.ts';
import { patienceMilliseconds } from '../patience.ts';
import type { TuneWork } from './request.ts';
import { emittedTable, type FoundTables, type Tuned, tuneTablesOf } from './tables.ts';

/** A partial answer takes this part of the time at most. */
const partialShare = 20;

export async function tuneJob(work: TuneWork, control: JobControl<FoundTables>): Promise<FoundTables> {
  const { shouldStop } = control;
  const done: Tuned[] = [];
  const sayPartial = partialAnswers((result, request) => {
    control.onResult(tuneTablesOf([...done, { request, result }], work, 'partial'));
  });
  for (const [index, target] of work.targets.entries()) {
    if (index > 0 && shouldStop()) break;
    const request: TuneRequest = { ...work.request, ...target, shouldStop };
    const onPool: TuneRequest['onPool'] = (plans, result) => {
      control.onProgress(`${target.topology.name}: ${plans} plans${positionText(index, work.targets.length)}`);
      sayPartial(result, request);
    };
    done.push({ request, result: tuneSizes({ ...request, onPool }) });
    if (done.length < work.targets.length) control.onResult(tuneTablesOf(done, work, 'partial'));
  }
  const isPartial = done.length < work.targets.length || shouldStop();
  const found = tuneTablesOf(done, work, isPartial ? 'partial' : 'whole');
  if (isPartial) return found;
  return { ...found, tables: [...found.tables, ...(await emittedTable(done, work))] };
}

function positionText(index: number, count: number): string {
  return count === 1 ? '' : `, topology ${index + 1} of ${count}`;
}

/** Partial answers now and then: making one takes simulations. What is found does not depend on when that is. */
function partialAnswers(
  say: (result: TuneResult, request: TuneRequest) => void,
): (result: () => TuneResult, request: TuneRequest) => void {
  let next = 0;
  return (result, request) => {
    const begun = performance.now();
    if (begun < next) return;
    say(result(), request);
    const ended = performance.now();
    next = ended + Math.max(patienceMilliseconds.betweenAnswers, partialShare * (ended - begun));
  };
}
