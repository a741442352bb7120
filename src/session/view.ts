/** Plans, schedules and tunings as one page for the browser (docs/view.md). */
import { json, type PlanBundle } from '../emit/index.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { defaultLimits } from '../ir/limits.ts';
import { type ViewRequest, viewText } from '../jobs/viewed.ts';
import { type PagePlan, type PageTuning, pagePlan, pageText, readMeasured, readTuning } from '../view/index.ts';

/** A text that is shown in the page, and how it is read. */
export interface ViewedFile {
  readonly source: SourceText;
  readonly request: ViewRequest;
  /** A trace of a run (`ccc run --trace`), drawn beside the simulation. */
  readonly measured?: SourceText | undefined;
}

/**
 * The page of several plans, one of which is shown at a time, and of at most one result of `ccc tune --json`.
 * @param isServed whether the page reloads when the server says so
 * @throws CccError as reading and verifying the files, 'usage' for a second tuning
 */
export async function pageOfFiles(
  files: Iterable<ViewedFile> | AsyncIterable<ViewedFile>,
  isServed = false,
): Promise<string> {
  const plans: PagePlan[] = [];
  let tuning: PageTuning | undefined;
  for await (const file of files) {
    const found = readTuning(file.source);
    if (found === undefined) plans.push(await pagePlanOf(file));
    else if (tuning === undefined) tuning = found;
    else throw new CccError('usage', `${file.source.name} is a second tuning: a page has room for one`);
  }
  const title = tuning === undefined ? plans[0].name : `${tuning.collective} on ${tuning.topology}`;
  return pageText({ title: `${title} – ccc`, plans, tuning, served: isServed, error: undefined });
}

async function pagePlanOf({ source, request, measured }: ViewedFile): Promise<PagePlan> {
  const found = await viewText(source, request);
  return pagePlan({ ...found, measured: measured === undefined ? undefined : readMeasured(measured, found.plan) });
}

/** The page of a plan that was just made. */
export async function pageOfBundle(bundle: PlanBundle): Promise<string> {
  const { proved, topology, size } = bundle;
  const source = { name: proved.plan.name, text: [...json.emit(bundle)].join('') };
  const said = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {} } as const;
  const plan = pagePlan(await viewText(source, { ...said, topology, size, limits: defaultLimits }));
  return pageText({ title: `${plan.name} – ccc`, plans: [plan], tuning: undefined, served: false, error: undefined });
}
