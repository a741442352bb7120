import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import type { CollectiveRequest } from '../../session/collectives.ts';
import { searching } from '../../session/limits.ts';
import type { Tunings } from '../../session/tune/tune.ts';
import { rulesVersions } from '../../tune/open-mpi.ts';
import { exitCodes } from '../failure.ts';
import { interruptible } from '../jobs/interruptible.ts';
import { machineFrom } from '../machine.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addExamples,
  addLongRunOptions,
  addTopologyOptions,
  collectiveKindFrom,
  limitsFrom,
  oneOf,
  rankRange,
  sizeRange,
  specFrom,
  wholeNumber,
} from '../options.ts';
import { checkTarget, makeFolder, note, writeResult } from '../output.ts';
import { widthOf } from '../terminal.ts';
import type { TuneCommandOptions } from '../tune/options.ts';

/** `ccc tune` finds out which plan to use for which size. */
export function registerTune(program: Command): void {
  const command = program
    .command('tune <collective>')
    .description('finds the best plan for every size and where one overtakes the other')
    .addOption(
      new Option('--sizes <from..to>', 'sizes of the message')
        .argParser(sizeRange)
        .default([2 ** 10, 2 ** 30], '1KiB..1GiB'),
    )
    .option('--points <n>', 'sizes that are tuned, evenly spaced by ratio', wholeNumber(2, searching.sizesOfTune), 21)
    .option('--tolerance <percent>', 'how much longer a plan may take than the best before it is replaced', percent, 1)
    .option('--engine <name>', 'auto or an engine of `ccc list engines`', 'auto')
    .option('--seed <n>', 'for engines that search at random', wholeNumber(0), 0)
    .option(
      '-o, --output <path>',
      'a directory for each plan in use, once, and a picture of times over sizes; with --emit the file',
    )
    .option('--emit <format>', 'mpi-c or ts: one file with all plans in use, which chooses by the size of a message')
    .option('--same-bits', 'one tree of reductions for all sizes: results have the same bits whatever the size')
    .option('--rules <file>', 'writes rules for Open MPI (coll_tuned_dynamic_rules_filename)')
    .addOption(
      new Option('--rules-version <1|2|3>', 'of that file: 1 for all releases, 2 from 5.0.7 on, 3 (JSON) from 6.0 on')
        .default(1)
        .argParser((text) => Number(oneOf(rulesVersions.map(String), 'version')(text))),
    )
    .option('--csv <file>', "writes a table for NCCL's example tuner plugin")
    .option(
      '--ranks <a..b>',
      'the best algorithm by ranks and size: N in --topo (ring:N) stands for each of them',
      rankRange,
    )
    .option('--json', 'prints the result as one JSON document');
  addLongRunOptions(addDtypeOption(addCollectiveOptions(addTopologyOptions(command))));
  addExamples(command, 'ccc tune allgather --topo ring:4 --sizes 1KiB..1MiB --points 3 --engine library').action(run);
}

function percent(text: string): number {
  const value = Number(text.replace(/\s*%$/, ''));
  if (text.trim() === '' || !(value >= 0 && value <= 100)) throw new InvalidArgumentError('expected 0 to 100 percent');
  return value;
}

async function run(kindText: string, options: TuneCommandOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText);
  const [{ collectiveRequest }, { tuneEach }, { topologiesNamed }] = await Promise.all([
    import('../../session/collectives.ts'),
    import('../../session/tune/tune.ts'),
    import('../tune/map.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const requests: CollectiveRequest[] = [];
  for (const topo of topologiesNamed(options.topo, options.ranks)) {
    const machine = await machineFrom(topo === undefined ? options : { ...options, topo }, limits);
    requests.push(collectiveRequest(kind, machine, await specFrom(options)));
  }
  await checkTargets(options);
  const { sizes, points, engine, seed, set: parameters, sameBits, output, rules, rulesVersion, csv } = options;
  const wanted = { sizes, points, tolerance: options.tolerance / 100, engine, seed, parameters, sameBits, limits };
  const tables = { openMpiRules: rules === undefined ? undefined : rulesVersion, ncclTable: csv !== undefined };
  const outcome = await interruptible(options, (watched) =>
    tuneEach(requests, { ...wanted, ...tables, plans: output !== undefined, ...watched }),
  );
  if (!outcome.ok) throw outcome.error;
  await write(outcome, options);
}

/** Checks before the search that all requested outputs can be written. */
async function checkTargets({ output, rules, csv, emit, ranks, sameBits }: TuneCommandOptions): Promise<void> {
  if (sameBits === true && (rules ?? csv) !== undefined) {
    throw new CccError(
      'usage',
      'nobody can say in which order other libraries reduce: --same-bits is for plans of ccc',
    );
  }
  if (emit !== undefined) {
    if (output === undefined) throw new CccError('usage', '--emit writes a file: say which with -o');
    if (ranks !== undefined) throw new CccError('usage', '--emit is for one number of ranks, not for --ranks');
    await (await import('../../session/tune/ranges-emitter.ts')).rangesEmitter(emit);
    checkTarget(output);
  } else if (output !== undefined) makeFolder(output);
  checkTarget(rules);
  checkTarget(csv);
}

async function write(tunings: Tunings, options: TuneCommandOptions): Promise<void> {
  const { planFiles, tables, textOf } = await import('../tune/files.ts');
  if (options.output !== undefined && options.emit === undefined) {
    makeFolder(options.output);
    for (const { path, text } of planFiles(tunings, options)) await writeResult([text], join(options.output, path));
  }
  const { files, missing } = await tables(tunings, options);
  for (const { path, text } of files) await writeResult([text], path);
  await writeResult([textOf(tunings, options, widthOf(process.stdout))]);
  const isEnded = tunings.isPartial || tunings.tunings.some(({ stoppedEarly }) => stoppedEarly);
  if (isEnded) note('ccc: the search was ended; this is what had been found');
  for (const { path, reason } of missing) note(`ccc: ${path} was not written: ${reason}`);
  if (isEnded) process.exitCode = exitCodes.stopped;
  else if (missing.length > 0) process.exitCode = exitCodes.failed;
}
