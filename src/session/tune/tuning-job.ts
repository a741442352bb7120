/** Tunes one topology after the other, as far as there is time, and makes the tables that other libraries read. */
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import { compareWithLibraries } from '../../tune/comparing.ts';
import { ncclTable } from '../../tune/nccl.ts';
import { openMpiRules, type RulesVersion } from '../../tune/open-mpi.ts';
import { type TuneRequest, type TuneResult, tuneSizes } from '../../tune/tune.ts';
import type { JobControl } from '../workers/job-control.ts';
import { milliseconds } from '../workers/patience.ts';
import { type BundleWish, type TuningData, tuningData } from './tuning-data.ts';

/** A topology, and the collective on as many ranks as it has. */
export interface TuneTarget {
  readonly topology: Topology;
  readonly collective: Collective;
  /** The topology under each protocol, if there is a choice. */
  readonly alternatives?: readonly Topology[] | undefined;
}

export interface TuneWork {
  readonly targets: readonly TuneTarget[];
  /** What all targets have in common. */
  readonly request: Omit<TuneRequest, 'collective' | 'topology' | 'shouldStop' | 'onPool'>;
  /** Left out if only the choice of plans is wanted, not the plans. */
  readonly bundles: BundleWish | undefined;
  /** The version of the rules file for Open MPI, and whether a table for NCCL is wanted. */
  readonly openMpiRules: RulesVersion | undefined;
  readonly ncclTable: boolean;
}

/** All that was found. A partial result lacks topologies, comparisons and tables. */
export interface FoundTunings {
  /** In the order of the targets. */
  readonly tunings: readonly TuningData[];
  /** Undefined if the library has none of the algorithms, or the table was not asked for. */
  readonly openMpiRules: string | undefined;
  readonly ncclTable: string | undefined;
  readonly isPartial: boolean;
}

/** One topology: the request, and the result. */
interface Tuned {
  readonly request: TuneRequest;
  readonly result: TuneResult;
}

/** Partial results may take at most 1/partialShare of the time. */
const partialShare = 20;

export async function tuneJob(work: TuneWork, control: JobControl<FoundTunings>): Promise<FoundTunings> {
  const { shouldStop } = control;
  const { targets } = work;
  const done: Tuned[] = [];
  const reportPartial = rarely((result: TuneResult, request: TuneRequest) => {
    control.onResult(partial([...done, { request, result }], work));
  });
  for (const [index, target] of targets.entries()) {
    if (index > 0 && shouldStop()) break;
    const request: TuneRequest = { ...work.request, ...target, shouldStop };
    const onPool: TuneRequest['onPool'] = (plans, result) => {
      control.onProgress(`${target.topology.name}: ${plans} plans${positionText(index, targets.length)}`);
      reportPartial(result, request);
    };
    done.push({ request, result: tuneSizes({ ...request, onPool }) });
    if (done.length < targets.length) control.onResult(partial(done, work));
  }
  return done.length < targets.length || shouldStop() ? partial(done, work) : whole(done, work);
}

function positionText(index: number, count: number): string {
  return count === 1 ? '' : `, topology ${index + 1} of ${count}`;
}

function partial(done: readonly Tuned[], { bundles }: TuneWork): FoundTunings {
  const tunings = done.map(({ result }) => tuningData(result, [], bundles));
  return { tunings, openMpiRules: undefined, ncclTable: undefined, isPartial: true };
}

function whole(done: readonly Tuned[], work: TuneWork): FoundTunings {
  const tunings = done.map(({ request, result }) =>
    tuningData(result, compareWithLibraries(request, result), work.bundles),
  );
  return { tunings, ...tablesForOthers(done, work), isPartial: false };
}

/** Tunes the choice among the algorithms of other libraries, and writes it in their file formats. */
function tablesForOthers(
  done: readonly Tuned[],
  { openMpiRules: version, ncclTable: wantsTable, request: { tolerance } }: TuneWork,
): Pick<FoundTunings, 'openMpiRules' | 'ncclTable'> {
  if (version === undefined && !wantsTable) return { openMpiRules: undefined, ncclTable: undefined };
  const published = done.map(({ request }) => tuneSizes({ ...request, engine: 'library' }));
  const { kind } = published[0].plans[0].evaluated.checked.plan.collective;
  return {
    openMpiRules: version === undefined ? undefined : openMpiRules(kind, published, tolerance, version),
    ncclTable: wantsTable ? ncclTable(kind, published, tolerance) : undefined,
  };
}

/** Limits how often `report` is called, since partial results need simulations. The final result does not depend on them. */
function rarely(
  report: (result: TuneResult, request: TuneRequest) => void,
): (result: () => TuneResult, request: TuneRequest) => void {
  let next = 0;
  return (result, request) => {
    const begun = performance.now();
    if (begun < next) return;
    report(result(), request);
    const ended = performance.now();
    next = ended + Math.max(milliseconds.betweenResults, partialShare * (ended - begun));
  };
}
