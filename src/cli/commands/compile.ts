import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { type Collective, type CollectiveKind, inputChunks, outputChunks } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { ranksOf } from '../../ir/topology.ts';
import { type CompileOptions, compileJob, present, readRequest } from '../compile-job.ts';
import { emitterNamed } from '../emitters.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addSizeOptions,
  addTopologyOptions,
  collectiveKindFrom,
  milliseconds,
  oneOf,
  wholeNumber,
} from '../options.ts';
import { addSolverOptions } from '../solver-options.ts';

/** Machines with more chips are searched in a worker, so that Ctrl-C keeps the best so far; smaller ones take no time to speak of. */
const fewRanks = 24;

/** `ccc compile`: a proved plan for a collective on a topology. */
export function registerCompile(program: Command): void {
  const command = program
    .command('compile <collective>')
    .description('finds the best schedule, proves its plan and writes it')
    .option('--chunks <n>', 'chunks per shard', wholeNumber(1))
    .addOption(
      new Option('--bulks <n|auto>', 'slices of the message in a pipeline').default('auto').argParser(bulkCount),
    )
    .option('--engine <name>', 'auto or an engine of `ccc list engines`', 'auto')
    .option('--algorithm <name>', 'only this schedule: a name of `ccc list schedules` or a file')
    .addOption(
      new Option('--objective <what>', 'time latency bandwidth')
        .default('time')
        .argParser(oneOf(['time', 'latency', 'bandwidth'], 'objective')),
    )
    .option('--emit <format>', 'a format of `ccc list emitters`', 'json')
    .option('-o, --output <file>', 'writes the result there instead of standard output')
    .option('--seed <n>', 'for engines that search at random', wholeNumber(0), 0)
    .option('--time-limit <duration>', 'ends the search after that long, with the best so far', milliseconds)
    .option('--compact', 'one program that all ranks run shifted, for tori of up to millions of chips')
    .option('--explain', 'shows every candidate: time, bounds met, why not chosen')
    .option('--json', 'prints cost, bound and candidates as one JSON document (the plan goes to -o)');
  addSolverOptions(addDtypeOption(addCollectiveOptions(addTopologyOptions(addSizeOptions(command)))));
  command.action(run);
}

function bulkCount(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : wholeNumber(1)(text);
}

async function run(kindText: string, options: CompileOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText, options);
  if (options.compact === true) return (await import('../compact.ts')).compileCompactly(kind, options);
  await emitterNamed(options.emit);
  const ranks = await ranksOfRequest(kind, kindText, options);
  const { compileInWorkers, workerFile } = await import('../compile-in-workers.ts');
  const isLong = options.timeLimit !== undefined || ranks > fewRanks;
  // Sources that were not built have no workers.
  process.exitCode =
    isLong && existsSync(workerFile)
      ? await compileInWorkers(kindText, options)
      : await present(await compileJob(kindText, options, {}), options);
}

/** Reads what is asked for, and refuses at once what no search could find within the limits. */
async function ranksOfRequest(kind: CollectiveKind, kindText: string, options: CompileOptions): Promise<number> {
  try {
    const { machine, request } = await readRequest(kindText, options);
    checkMemory(request.collective, request.limits);
    return ranksOf(machine.topology);
  } catch (error) {
    throw await (await import('../compact.ts')).withCompactHint(error, kind, options);
  }
}

/** The memory of all ranks has to fit the limit, or no plan could be proved. */
function checkMemory(collective: Collective, limits: Limits): void {
  const { ranks } = collective;
  const slots = ranks * Math.max(inputChunks(collective, 0), outputChunks(collective, 0));
  if (collective.kind === 'custom' || slots <= limits.slots) return;
  const message = `the buffers of ${ranks} ranks have ${slots} chunks or more, beyond the limit slots = ${limits.slots}`;
  throw new CccError('limit', message);
}
