/** From the files of a command line to the page. */
import { viewed } from '../../files/viewed.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { readSource } from '../../read/index.ts';
import { type PagePlan, pagePlan, pageText, readMeasured } from '../../view/index.ts';
import type { ViewOptions } from '../commands/view.ts';
import { topologyFrom } from '../machine.ts';
import { limitsFrom } from '../options.ts';
import { checkSuits, sourceOf } from '../source.ts';

/** @throws CccError as reading and verifying the files */
export async function pageOf(files: readonly string[], options: ViewOptions, served: boolean): Promise<string> {
  const limits = limitsFrom(options.limit);
  if (files.filter((file) => file === '-').length > 1) throw new CccError('usage', 'standard input can be read once');
  const plans: PagePlan[] = [];
  for (const file of files) plans.push(await planOf(await sourceOf(file, limits), options));
  return pageText({ title: `${plans[0].name} – ccc`, plans, tuning: undefined, served, error: undefined });
}

async function planOf(source: SourceText, options: ViewOptions): Promise<PagePlan> {
  const limits = limitsFrom(options.limit);
  checkSuits(source, options);
  const topology = options.topo === undefined ? undefined : await topologyFrom(options, limits);
  const { ordered = false, inPlace = false, set = {} } = options;
  const found = await viewed(source, { ...options, topology, ordered, inPlace, parameters: set, limits });
  const measured =
    options.measured === undefined ? undefined : readMeasured(readSource(options.measured, limits), found.plan);
  return pagePlan({ ...found, measured });
}
