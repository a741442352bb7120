import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import type { Bytes } from '../../ir/units.ts';
import type { TuneResult } from '../../tune.ts';
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
import type { TuneOptions } from '../tune-job.ts';

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
  const { topologyFrom } = await import('../machine.ts');
  const limits = limitsFrom(options.limit);
  const topology = topologyFrom(options, limits);
  const collective = collectiveFrom(kind, topology.chips.length, options);
  const { tuneJob } = await import('../tune-job.ts');
  const result = tuneJob(collective, topology, limits, options);
  await writePlans(result, options);
  const { tuneText, tuneDocument } = await import('../tune-report.ts');
  if (options.json === true) writeJson(tuneDocument(result));
  else writeStandardOutput(tuneText(result, process.stdout.columns));
  if (!result.stoppedEarly) return;
  note('ccc: the search was ended; these are the best of the plans found so far');
  process.exitCode = exitCodes.stopped;
}

/** Each plan in use, once. */
async function writePlans(result: TuneResult, options: TuneOptions): Promise<void> {
  const { output, dtype, seed } = options;
  if (output === undefined) return;
  const [{ json }, { planFiles }] = await Promise.all([import('../../emit/index.ts'), import('../tune-job.ts')]);
  makeDirectory(output);
  for (const { file, bundle } of planFiles(result, dtype, seed)) {
    await writeResult(json.emit(bundle), join(output, file));
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new CccError('file', `cannot make the directory ${path}: ${error instanceof Error ? error.message : error}`);
  }
}
