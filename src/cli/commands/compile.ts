import { type Command, Option } from 'commander';
import type { CompileRequest, CompileResult } from '../../compile.ts';
import type { GroupsResult } from '../../compile-groups.ts';
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Dtype } from '../../ir/dtype.ts';
import type { Bytes } from '../../ir/units.ts';
import { checkExpressible, emitterNamed } from '../emitters.ts';
import { exitCodes } from '../failure.ts';
import type { Machine } from '../machine.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addSizeOptions,
  addTopologyOptions,
  type CollectiveOptions,
  checkOperator,
  collectiveFrom,
  collectiveKindFrom,
  defaultSize,
  limitsFrom,
  milliseconds,
  oneOf,
  type TopologyOptions,
  wholeNumber,
} from '../options.ts';
import { note, writeJson, writeResult } from '../output.ts';

interface CompileOptions extends TopologyOptions, CollectiveOptions {
  readonly size?: Bytes;
  readonly dtype: Dtype;
  readonly chunks?: number;
  readonly bulks: number | 'auto';
  readonly engine: string;
  readonly algorithm?: string;
  readonly objective: 'time' | 'latency' | 'bandwidth';
  readonly emit: string;
  readonly output?: string;
  readonly seed: number;
  readonly timeLimit?: number;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly compact?: boolean;
}

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
  addDtypeOption(addCollectiveOptions(addTopologyOptions(addSizeOptions(command))));
  command.action(run);
}

function bulkCount(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : wholeNumber(1)(text);
}

async function run(kindText: string, options: CompileOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText, options);
  if (options.compact === true) return (await import('../compact.ts')).compileCompactly(kind, options);
  const { machineFrom } = await import('../machine.ts');
  const emitter = await emitterNamed(options.emit);
  const limits = limitsFrom(options.limit);
  const machine = machineFrom(options, limits);
  const result = await compiled({ ...requestFrom(kind, machine, options), limits }, machine);
  checkExpressible(emitter, result.bundle);
  if (options.json !== true || options.output !== undefined) {
    await writeResult(emitter.emit(result.bundle), options.output);
  }
  if (options.json === true) {
    const { compileDocument } = await import('../compile-document.ts');
    writeJson({ ...compileDocument(result), ...('groups' in result ? { groups: result.groups } : {}) });
  } else {
    await report(result, options);
  }
  if (result.stoppedEarly) reportStop(result);
}

/** A plan for the machine, or for all its groups at once. */
async function compiled(request: CompileRequest, { groups }: Machine): Promise<CompileResult | GroupsResult> {
  if (groups === undefined) return (await import('../../compile.ts')).compile(request);
  return (await import('../../compile-groups.ts')).compileGroups(request, groups);
}

/** What people read about the plan, on standard error. */
async function report(result: CompileResult | GroupsResult, options: CompileOptions): Promise<void> {
  const { compileReport, explainText } = await import('../compile-report.ts');
  const width = process.stderr.columns;
  note(compileReport(result, options.bulks === 'auto', width));
  if ('groups' in result) note(`\n${(await import('../groups-report.ts')).groupsText(result, width)}`);
  if (options.explain === true) note(`\n${explainText(result, width)}`);
}

function requestFrom(
  kind: CollectiveKind,
  { topology, groups }: Machine,
  options: CompileOptions,
): Omit<CompileRequest, 'limits'> {
  if (groups !== undefined && options.counts !== undefined) {
    throw new CccError('usage', '--counts is for one group: several at once have shards of equal size');
  }
  // What groups have in common; each has as many ranks as it has chips.
  const ranks = Math.min(...(groups ?? [topology.chips]).map((members) => members.length));
  const collective = collectiveFrom(kind, ranks, options);
  checkOperator(options.op, options.dtype);
  const deadline = options.timeLimit === undefined ? undefined : performance.now() + options.timeLimit;
  return {
    collective,
    topology,
    size: options.size ?? defaultSize(collective, options.dtype),
    dtype: options.dtype,
    chunks: options.chunks,
    bulks: options.bulks,
    engine: options.engine,
    algorithm: options.algorithm,
    parameters: options.set ?? {},
    objective: options.objective,
    seed: options.seed,
    ...(deadline === undefined ? {} : { shouldStop: () => performance.now() > deadline }),
  };
}

function reportStop(result: CompileResult): void {
  note(
    `ccc: the time limit ended the search; this is the best of the ${result.explain().length} candidates priced so far`,
  );
  process.exitCode = exitCodes.stopped;
}
