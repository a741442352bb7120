/** What `ccc tune` writes: text for standard output, and files. */

import { lowerBound } from '../../bounds/index.ts';
import { json, type PlanBundle } from '../../emit/index.ts';
import type { CollectiveKind } from '../../ir/collective.ts';
import { jsonText } from '../../ir/plain-text.ts';
import { bestValidBound } from '../../ir/report.ts';
import { provedBundle } from '../../search/proved-bundle.ts';
import { compareWithLibraries } from '../../tune/comparing.ts';
import { ncclTable } from '../../tune/nccl.ts';
import { openMpiRules } from '../../tune/open-mpi.ts';
import { type TuneRequest, type TuneResult, tuneSizes } from '../../tune/tune.ts';
import { mapPicture, mapText } from './map.ts';
import { picture, tuneDocument, tuneText } from './report.ts';
import type { TuneWork } from './request.ts';

/** One topology: what was asked and what was found. */
export interface Tuned {
  readonly request: TuneRequest;
  readonly result: TuneResult;
}

/** A file that is to be written. */
interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** All that is to be written. */
export interface FoundTables {
  /** For standard output. */
  readonly text: string;
  /** By their names in the directory for plans. */
  readonly plans: readonly TextFile[];
  /** Elsewhere. */
  readonly tables: readonly TextFile[];
  /** Files that were asked for and cannot be, with the reason. */
  readonly missing: readonly { readonly path: string; readonly reason: string }[];
  readonly stoppedEarly: boolean;
}

/** The file with all plans in use, where one was asked for. */
export async function emittedTable(
  [{ result }]: readonly Tuned[],
  { options, request }: TuneWork,
): Promise<readonly TextFile[]> {
  const { emit, output } = options;
  if (emit === undefined || output === undefined) return [];
  const { emittedText } = await import('./emitted.ts');
  const bundles = bundlesOf(result, options, request.limits).map(({ bundle }) => bundle);
  return [{ path: output, text: await emittedText(result, bundles, result.plans, emit) }];
}

/**
 * What there is to write about the topologies tuned so far, at least one. What takes searches of its own (the comparison with the
 * rules of MPI libraries, tables for others) is left out of partial answers.
 */
export function tuneTablesOf(tuned: readonly Tuned[], work: TuneWork, extent: 'partial' | 'whole'): FoundTables {
  const results = tuned.map(({ result }) => result);
  const isPartial = extent === 'partial';
  return {
    text: textOf(tuned, work, isPartial),
    plans: work.options.output === undefined || work.options.emit !== undefined ? [] : plansOf(results, work),
    ...(isPartial ? laterTables(work) : tablesForOthers(tuned, work)),
    stoppedEarly: isPartial || results.some(({ stoppedEarly }) => stoppedEarly),
  };
}

function textOf(tuned: readonly Tuned[], { options, width }: TuneWork, isPartial: boolean): string {
  const rulesFor = ({ request, result }: Tuned) => (isPartial ? [] : compareWithLibraries(request, result));
  if (options.json === true) {
    const documents = tuned.map((one) => tuneDocument(one.result, rulesFor(one)));
    const document = options.ranks === undefined ? documents[0] : { topologies: documents, stoppedEarly: isPartial };
    return `${jsonText({ ok: true, ...document }, 2)}\n`;
  }
  const [first] = tuned;
  const text =
    options.ranks === undefined
      ? tuneText(first.result, rulesFor(first), width)
      : mapText(tuned.map(({ result }) => result));
  return isPartial ? `${text}\nStopped early: these are the best of the plans found so far.\n` : text;
}

/** Each plan in use, once, and the picture: of times over sizes, or of ranks and sizes where there are several topologies. */
function plansOf(results: readonly TuneResult[], { options, request }: TuneWork): readonly TextFile[] {
  const plans = results.flatMap((result) =>
    bundlesOf(result, options, request.limits).map(({ path, bundle }) => ({
      path,
      text: [...json.emit(bundle)].join(''),
    })),
  );
  const { kind } = kindOf(results);
  const title = `${kind} on ${options.topo ?? ''}`;
  const drawing = options.ranks === undefined ? picture(results[0]) : mapPicture(results, title);
  return [...plans, { path: `${kind}.svg`, text: drawing }];
}

function kindOf([{ plans }]: readonly TuneResult[]): { readonly kind: CollectiveKind } {
  return plans[0].evaluated.checked.plan.collective;
}

/** The plans in use, each with the price at the size that its depth was chosen for. */
function bundlesOf(
  result: TuneResult,
  { seed, dtype }: TuneWork['options'],
  limits: TuneWork['request']['limits'],
): readonly { readonly path: string; readonly bundle: PlanBundle }[] {
  const names = new Set<string>();
  return result.plans.map((plan) => {
    const { candidate, cost } = plan.evaluated;
    const { topology } = plan.routes;
    const { collective, name } = plan.evaluated.checked.plan;
    const bulks = plan.bulks === 1 ? '' : `-${plan.bulks}-bulks`;
    let path = `${name}${bulks}.json`;
    for (let copy = 2; names.has(path); copy++) path = `${name}${bulks}-${copy}.json`;
    names.add(path);
    const size = plan.tunedFor;
    const bound = bestValidBound(lowerBound(collective, topology, size), cost.seconds);
    const origin = { ...candidate.origin, chunks: collective.chunks, seed };
    return { path, bundle: provedBundle(plan.evaluated, { topology, size, dtype, limits }, bound, origin) };
  });
}

/** The tables of a partial answer: all still missing. */
function laterTables({ options }: TuneWork): Pick<FoundTables, 'tables' | 'missing'> {
  const emitted = options.emit === undefined ? undefined : options.output;
  const paths = [options.rules, options.csv, emitted].filter((path) => path !== undefined);
  return { tables: [], missing: paths.map((path) => ({ path, reason: 'it takes a search that has ended' })) };
}

/** What is best among the algorithms that other libraries have, in their files. */
function tablesForOthers(tuned: readonly Tuned[], { options }: TuneWork): Pick<FoundTables, 'tables' | 'missing'> {
  const { rules, csv, rulesVersion } = options;
  if (rules === undefined && csv === undefined) return { tables: [], missing: [] };
  const published = tuned.map(({ request }) => tuneSizes({ ...request, engine: 'library' }));
  const { kind } = kindOf(published);
  const tolerance = options.tolerance / 100;
  const tables: TextFile[] = [];
  const missing: { path: string; reason: string }[] = [];
  const add = (path: string, library: string, text: string | undefined): void => {
    if (text !== undefined) tables.push({ path, text });
    else missing.push({ path, reason: `${library} has none of the algorithms for ${kind} here` });
  };
  if (rules !== undefined) add(rules, 'Open MPI', openMpiRules(kind, published, tolerance, rulesVersion));
  if (csv !== undefined) add(csv, 'NCCL', ncclTable(kind, published, tolerance));
  return { tables, missing };
}
