/** Makes the page of `ccc view` from the files on the command line. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { json, type PlanBundle } from '../../emit/index.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { defaultLimits } from '../../ir/limits.ts';
import { viewText } from '../../jobs/viewed.ts';
import { readSource } from '../../read/index.ts';
import { checkOptionsApply, sourceOf } from '../../session/source.ts';
import { type PagePlan, type PageTuning, pagePlan, pageText, readMeasured, readTuning } from '../../view/index.ts';
import { topologyFrom } from '../machine.ts';
import { limitsFrom } from '../options.ts';
import { displayLimits } from '../shown.ts';
import type { ViewOptions } from './options.ts';

/**
 * Makes the page. Each file is a plan that the user can choose on the page, or the output of `ccc tune --json`.
 * @throws CccError whatever reading and verifying the files throws; 'usage' for too many files
 */
export async function pageOf(given: readonly string[], options: ViewOptions, served: boolean): Promise<string> {
  const limits = limitsFrom(options.limit);
  const files = given.flatMap((file) => filesIn(file));
  checkFiles(files, options);
  const plans: PagePlan[] = [];
  let tuning: PageTuning | undefined;
  for (const file of files) {
    const source = await sourceOf(file, limits);
    const found = readTuning(source);
    if (found === undefined) plans.push(await planOf(source, options));
    else if (tuning === undefined) tuning = found;
    else throw new CccError('usage', `${file} is a second tuning: a page has room for one`);
  }
  const title = tuning === undefined ? plans[0].name : `${tuning.collective} on ${tuning.topology}`;
  return pageText({ title: `${title} – ccc`, plans, tuning, served, error: undefined });
}

/** Makes the page of a plan that was just compiled. */
export async function pageOfBundle(bundle: PlanBundle): Promise<string> {
  const { proved, topology, size } = bundle;
  const source = { name: proved.plan.name, text: [...json.emit(bundle)].join('') };
  const said = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {} } as const;
  const plan = pagePlan(await viewText(source, { ...said, topology, size, limits: defaultLimits }));
  return pageText({ title: `${plan.name} – ccc`, plans: [plan], tuning: undefined, served: false, error: undefined });
}

/** Returns the plans that `ccc tune` wrote into a folder, by name. @throws CccError 'file' for a folder without plans */
export function filesIn(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const names = readdirSync(path).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new CccError('file', `the folder ${path} has no plans (.json)`);
  return names.sort().map((name) => join(path, name));
}

function checkFiles(files: readonly string[], { measured }: ViewOptions): void {
  if (files.filter((file) => file === '-').length > 1) throw new CccError('usage', 'standard input can be read once');
  if (files.length > displayLimits.plansInPage) {
    throw new CccError('usage', `a page has room for ${displayLimits.plansInPage} plans, not ${files.length}`);
  }
  if (measured !== undefined && files.length > 1) {
    throw new CccError('usage', '--measured is the run of one plan: it does not go with several files');
  }
}

async function planOf(source: SourceText, options: ViewOptions): Promise<PagePlan> {
  const limits = limitsFrom(options.limit);
  checkOptionsApply(source, options);
  const topology = options.topo === undefined ? undefined : await topologyFrom(options, limits);
  const { ordered = false, inPlace = false, set = {} } = options;
  const found = await viewText(source, { ...options, topology, ordered, inPlace, parameters: set, limits });
  const measured =
    options.measured === undefined ? undefined : readMeasured(readSource(options.measured, limits), found.plan);
  return pagePlan({ ...found, measured });
}
