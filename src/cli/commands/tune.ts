import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Bytes } from '../../ir/units.ts';
import type { TuneResult } from '../../tune/tune.ts';
import { exitCodes } from '../failure.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addTopologyOptions,
  bytes,
  checkOperator,
  collectiveFrom,
  collectiveKindFrom,
  limitsFrom,
  milliseconds,
  wholeNumber,
} from '../options.ts';
import { note, writeJson, writeResult, writeStandardOutput } from '../output.ts';
import type { TuneJob, TuneOptions } from '../tune-job.ts';

/** `ccc tune`: which plan to use for which size. */
export function registerTune(program: Command): void {
  const command = program
    .command('tune <collective>')
    .description('finds the best plan for every size and where one overtakes the other')
    .option('--sizes <from..to>', 'sizes of the message, such as 1KiB..1GiB', sizeRange, [2 ** 10, 2 ** 30] as const)
    .option('--points <n>', 'sizes that are tuned, evenly spaced by ratio', wholeNumber(2), 21)
    .option('--tolerance <percent>', 'how much longer a plan may take than the best before it is replaced', percent, 1)
    .option('--engine <name>', 'auto or an engine of `ccc list engines`', 'auto')
    .option('--seed <n>', 'for engines that search at random', wholeNumber(0), 0)
    .option('--time-limit <duration>', 'ends the search after that long, with the best so far', milliseconds)
    .option('-o, --output <directory>', 'writes each plan in use there, once, and a picture of times over sizes')
    .option('--rules <file>', 'writes rules for Open MPI (coll_tuned_dynamic_rules_filename)')
    .option('--csv <file>', "writes a table for NCCL's example tuner plugin")
    .option('--ranks <a..b>', 'the best algorithm by ranks and size: N in --topo (ring:N) stands for each of them')
    .option('--json', 'prints the result as one JSON document');
  addDtypeOption(addCollectiveOptions(addTopologyOptions(command)));
  command.action(run);
}

function sizeRange(text: string): readonly [Bytes, Bytes] {
  const [first, last, ...rest] = text.split('..').map((part) => bytes(part.trim()));
  if (last === undefined || rest.length > 0 || first < 1 || last < first) {
    throw new InvalidArgumentError('expected two sizes of at least one byte, such as 1KiB..1GiB');
  }
  return [first, last];
}

function percent(text: string): number {
  const value = Number(text.replace(/\s*%$/, ''));
  if (text.trim() === '' || !(value >= 0 && value <= 100)) throw new InvalidArgumentError('expected 0 to 100 percent');
  return value;
}

async function run(kindText: string, options: TuneOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText);
  if (kind === 'barrier') throw new CccError('usage', 'a barrier moves no data: there is no size to tune it for');
  checkOperator(options.op, options.dtype);
  const [{ topologyFrom }, { tuneJob }, { topologiesNamed }, { tuneSizes }] = await Promise.all([
    import('../machine.ts'),
    import('../tune-job.ts'),
    import('../tune-map.ts'),
    import('../../tune/tune.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const names = options.ranks === undefined ? [options.topo] : topologiesNamed(options.topo, options.ranks);
  const end = options.timeLimit === undefined ? undefined : Date.now() + options.timeLimit;
  const shouldStop = end === undefined ? undefined : () => Date.now() > end;
  const jobs = names.map((topo) => {
    const topology = topologyFrom(topo === undefined ? options : { ...options, topo }, limits);
    const collective = collectiveFrom(kind, topology.chips.length, options);
    return tuneJob(collective, topology, limits, options, shouldStop);
  });
  const results = jobs.map(({ result }) => result);
  if (options.output !== undefined) await writePlans(kind, results, options.output, options);
  if (options.rules !== undefined || options.csv !== undefined) {
    // Other libraries have published algorithms only: what is best among those.
    const published = jobs.map(({ request }) => tuneSizes({ ...request, engine: 'library' }));
    await writeTables(kind, published, options);
  }
  await printResults(jobs, options);
  if (!jobs.some(({ result }) => result.stoppedEarly)) return;
  note('ccc: the search was ended; these are the best of the plans found so far');
  process.exitCode = exitCodes.stopped;
}

async function printResults(jobs: readonly TuneJob[], options: TuneOptions): Promise<void> {
  const [{ tuneText, tuneDocument }, { compareWithRules }, { mapText }] = await Promise.all([
    import('../tune-report.ts'),
    import('../../tune/comparing.ts'),
    import('../tune-map.ts'),
  ]);
  const compared = jobs.map(({ request, result }) => ({ result, rules: compareWithRules(request, result) }));
  if (options.json === true) {
    const documents = compared.map(({ result, rules }) => tuneDocument(result, rules));
    writeJson(options.ranks === undefined ? documents[0] : { topologies: documents });
  } else if (options.ranks === undefined) {
    const [{ result, rules }] = compared;
    writeStandardOutput(tuneText(result, rules, process.stdout.columns));
  } else {
    writeStandardOutput(mapText(jobs.map(({ result }) => result)));
  }
}

/** What is best among the algorithms that other libraries have, in their files. */
async function writeTables(kind: CollectiveKind, tuned: readonly TuneResult[], options: TuneOptions): Promise<void> {
  const tolerance = options.tolerance / 100;
  if (options.rules !== undefined) {
    const { openMpiRules } = await import('../../tune/open-mpi.ts');
    await writeTable(openMpiRules(kind, tuned, tolerance), 'Open MPI', kind, options.rules);
  }
  if (options.csv !== undefined) {
    const { ncclTable } = await import('../../tune/nccl.ts');
    await writeTable(ncclTable(kind, tuned, tolerance), 'NCCL', kind, options.csv);
  }
}

async function writeTable(text: string | undefined, library: string, kind: string, file: string): Promise<void> {
  if (text === undefined) throw new CccError('unsupported', `${library} has none of the algorithms for ${kind} here`);
  await writeResult([text], file);
}

/** Each plan in use, once, and the picture: of times over sizes, or of ranks and sizes where there are several topologies. */
async function writePlans(
  kind: CollectiveKind,
  results: readonly TuneResult[],
  directory: string,
  options: TuneOptions,
): Promise<void> {
  const [{ json }, { planFiles }, { picture }, { mapPicture }] = await Promise.all([
    import('../../emit/index.ts'),
    import('../tune-job.ts'),
    import('../tune-report.ts'),
    import('../tune-map.ts'),
  ]);
  makeDirectory(directory);
  for (const result of results) {
    for (const { file, bundle } of planFiles(result, options.dtype, options.seed)) {
      await writeResult(json.emit(bundle), join(directory, file));
    }
  }
  const title = `${kind} on ${options.topo ?? ''}`;
  const drawing = options.ranks === undefined ? picture(results[0]) : mapPicture(results, title);
  await writeResult([drawing], join(directory, `${kind}.svg`));
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new CccError('file', `cannot make the directory ${path}: ${error instanceof Error ? error.message : error}`);
  }
}
