import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import { dtypeBytes } from '../../ir/dtype.ts';
import { rulesVersions } from '../../tune/open-mpi.ts';
import { searching } from '../compile/limits.ts';
import { exitCodes } from '../failure.ts';
import { checkRequestFitsLimits } from '../fits.ts';
import { runJob } from '../jobs/run-job.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addExamples,
  addLongRunOptions,
  addTopologyOptions,
  checkOperator,
  collectiveFrom,
  collectiveKindFrom,
  limitsFrom,
  oneOf,
  rankRange,
  sizeRange,
  wholeNumber,
} from '../options.ts';
import { checkTarget, makeFolder, note, writeResult } from '../output.ts';
import { widthOf } from '../terminal.ts';
import type { TuneOptions, TuneWork } from '../tune/request.ts';
import type { FoundTables } from '../tune/tables.ts';

/** `ccc tune`: which plan to use for which size. */
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

async function run(kindText: string, options: TuneOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText);
  if (kind === 'barrier') throw new CccError('usage', 'a barrier moves no data: there is no size to tune it for');
  checkOperator(kind, options.op, options.dtype);
  const [{ machineFrom }, { topologiesNamed }, { sizeSeries }] = await Promise.all([
    import('../machine.ts'),
    import('../tune/map.ts'),
    import('../../tune/ranges.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const names = topologiesNamed(options.topo, options.ranks);
  const targets: TuneWork['targets'][number][] = [];
  for (const topo of names) {
    const asked = topo === undefined ? options : { ...options, topo };
    const { topology, groups, alternatives } = await machineFrom(asked, limits);
    if (groups !== undefined) throw new CccError('usage', 'only compile takes several groups at once');
    const collective = collectiveFrom(kind, topology.chips.length, options);
    checkRequestFitsLimits({ collective, engine: options.engine, limits });
    targets.push({ topology, collective, ...(alternatives === undefined ? {} : { alternatives }) });
  }
  const request: TuneWork['request'] = {
    sizes: sizeSeries(...options.sizes, options.points, dtypeBytes[options.dtype]),
    tolerance: options.tolerance / 100,
    bulks: 'auto',
    engine: options.engine,
    parameters: options.set ?? {},
    seed: options.seed,
    sameBits: options.sameBits,
    limits,
  };
  const { timeLimit, progress } = options;
  await checkTargets(options);
  const work: TuneWork = { targets, request, options, width: widthOf(process.stdout) };
  await write(await runJob('tune', work, { timeLimit, progress }), options);
}

/** What cannot be written is said before the search, not after it. */
async function checkTargets({ output, rules, csv, emit, ranks, sameBits }: TuneOptions): Promise<void> {
  if (sameBits === true && (rules ?? csv) !== undefined) {
    throw new CccError(
      'usage',
      'nobody can say in which order other libraries reduce: --same-bits is for plans of ccc',
    );
  }
  if (emit !== undefined) {
    if (output === undefined) throw new CccError('usage', '--emit writes a file: say which with -o');
    if (ranks !== undefined) throw new CccError('usage', '--emit is for one number of ranks, not for --ranks');
    await (await import('../tune/emitted.ts')).rangesEmitter(emit);
    checkTarget(output);
  } else if (output !== undefined) makeFolder(output);
  checkTarget(rules);
  checkTarget(csv);
}

async function write({ text, plans, tables, missing, stoppedEarly }: FoundTables, options: TuneOptions): Promise<void> {
  if (options.output !== undefined && options.emit === undefined) {
    makeFolder(options.output);
    for (const { path, text: plan } of plans) await writeResult([plan], join(options.output, path));
  }
  for (const { path, text: table } of tables) await writeResult([table], path);
  await writeResult([text]);
  if (stoppedEarly) note('ccc: the search was ended; this is what had been found');
  for (const { path, reason } of missing) note(`ccc: ${path} was not written: ${reason}`);
  if (stoppedEarly) process.exitCode = exitCodes.stopped;
  else if (missing.length > 0) process.exitCode = exitCodes.failed;
}
