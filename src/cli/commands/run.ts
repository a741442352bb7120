import { type Command, Option } from 'commander';
import { type ReductionOperator, reductionOperators } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { type Dtype, dtypes } from '../../ir/dtype.ts';
import type { Bytes } from '../../ir/units.ts';
import { exitCodes } from '../failure.ts';
import { addExamples, assignment, bytes, limitsFrom, oneOf, sizeRange, wholeNumber } from '../options.ts';
import { note, writeJson, writeResult } from '../output.ts';

interface RunCommandOptions {
  readonly size?: Bytes;
  readonly sizes?: readonly [Bytes, Bytes];
  readonly dtype?: Dtype;
  readonly op?: ReductionOperator;
  readonly repetitions: number;
  readonly warmups: number;
  readonly threads?: number;
  readonly inflight?: number;
  readonly random?: boolean;
  readonly seed: number;
  readonly check: boolean;
  readonly unverified?: boolean;
  readonly timeline?: boolean;
  readonly trace?: string;
  readonly json?: boolean;
  readonly limit?: Readonly<Record<string, number>>;
  readonly on: 'workers' | 'mpi';
  readonly processes?: number;
}

/** Options that apply to runs in worker threads only. */
const workersOnly = ['threads', 'inflight', 'random', 'unverified', 'timeline', 'trace'] as const;

/** `ccc run`: a plan on real buffers, checked and timed. */
export function registerRun(program: Command): void {
  const command = program
    .command('run <plan>')
    .description('runs a plan (JSON; - is standard input) on real buffers, checks the results and measures the time')
    .addOption(new Option('--size <bytes>', "message size M (default: the plan's, else 64MiB)").argParser(bytes))
    .addOption(
      new Option('--sizes <from..to>', 'a table over sizes, each twice the one before, such as 1KiB..1GiB')
        .argParser(sizeRange)
        .conflicts('size'),
    )
    .addOption(
      new Option('--dtype <type>', `${dtypes.join(' ')} (default: the plan's, else f32)`).argParser(
        oneOf(dtypes, 'element type'),
      ),
    )
    .addOption(
      new Option('--op <operator>', `${reductionOperators.join(' ')} (default: the plan's)`).argParser(
        oneOf(reductionOperators, 'operator'),
      ),
    )
    .option('--repetitions <n>', 'timed runs', wholeNumber(1), 10)
    .option('--warmups <n>', 'runs before them that are not timed', wholeNumber(0), 2)
    .option(
      '--threads <n>',
      'worker threads; 0: none but this one (default: one per rank, up to the processors)',
      wholeNumber(0),
    )
    .option('--inflight <n>', "transfers a connection buffers; 0 = rendezvous (default: the plan's)", wholeNumber(0))
    .option('--random', 'random inputs, compared with a tolerance; otherwise such that no floating-point result rounds')
    .option('--seed <n>', 'seed of the inputs', wholeNumber(0), 0)
    .option('--no-check', 'does not look at the results')
    .option('--unverified', 'runs a plan even if it does not verify')
    .option('--timeline', 'shows when each step was worked on, of one run more')
    .option('--trace <file>', 'writes when each operation ran, in the trace format of Chrome and Perfetto')
    .addOption(
      new Option(
        '--on <what>',
        'workers: threads of this process; mpi: as C under mpirun, beside the collective of MPI itself',
      )
        .default('workers')
        .argParser(oneOf(['workers', 'mpi'], 'runtime')),
    )
    .option('--processes <n>', 'of MPI (default: one per rank)', wholeNumber(1))
    .option('--json', 'prints times, rates and the check as one JSON document')
    .option('--limit <name=value>', 'raises a limit', assignment);
  addExamples(command, 'ccc compile allreduce --topo ring:4 | ccc run - --size 1MiB --dtype i32').action(runCommand);
}

async function runCommand(path: string, options: RunCommandOptions): Promise<void> {
  if (options.on === 'mpi') return runUnderMpi(path, options);
  if (options.processes !== undefined) throw new CccError('usage', '--processes goes with --on mpi');
  if (options.sizes !== undefined) return runSizes(path, options, options.sizes);
  const [{ runPlanText }, { readSource }, { traceJson }, report] = await Promise.all([
    import('../../jobs/run-plan.ts'),
    import('../../read/index.ts'),
    import('../../run/index.ts'),
    import('../run/report.ts'),
  ]);
  const { timeline = false, trace, random = false, unverified = false, json = false } = options;
  const limits = limitsFrom(options.limit);
  const record = timeline || trace !== undefined;
  const inputs = random ? 'random' : 'exact';
  const outcome = await runPlanText(readSource(path, limits), { ...options, inputs, record, unverified, limits });
  const { plan, dtype, result, wanted, alignment, verification } = outcome;
  if (result.wrong !== undefined && result.wrong.length > 0) process.exitCode = exitCodes.failed;
  const shown = { ...outcome, inputs, timeline } as const;
  if (json) writeJson(report.runDocument(shown));
  else await writeResult([report.runText(shown)]);
  if (trace !== undefined && result.times !== undefined) await writeResult(traceJson(plan, result.times), trace);
  const whole = result.size > wanted ? `units of ${alignment} bytes` : `${dtype} elements`;
  if (result.size !== wanted)
    note(`ccc: the plan is for ${wanted} bytes; ${result.size} ran, which are whole ${whole}`);
  if (verification.verdict !== 'correct') note(`ccc: this plan does not verify: ${verification.verdict}`);
}

async function runSizes(path: string, options: RunCommandOptions, range: readonly [Bytes, Bytes]): Promise<void> {
  const idle = (['timeline', 'trace'] as const).find((name) => options[name] !== undefined);
  if (idle !== undefined) throw new CccError('usage', `--${idle} is of one size: it does not go with --sizes`);
  const [{ runPlanSizes }, { readSource }, table] = await Promise.all([
    import('../../jobs/run-plan.ts'),
    import('../../read/index.ts'),
    import('../run/sizes.ts'),
  ]);
  const { random = false, unverified = false, json = false } = options;
  const limits = limitsFrom(options.limit);
  const request = { ...options, inputs: random ? 'random' : 'exact', record: false, unverified, limits } as const;
  const documents: object[] = [];
  let [errors, name] = [0, ''];
  for await (const { plan, dtype, result } of runPlanSizes(
    readSource(path, limits),
    request,
    table.doubledSizes(range),
  )) {
    const { collective } = plan;
    const row = { collective, dtype, size: result.size, seconds: result.seconds, errors: result.wrong?.length };
    errors += row.errors ?? 0;
    if (json) documents.push(table.rowDocument(row));
    else await writeResult([name === '' ? table.headOf(plan.name, collective) : '', table.rowText(row)]);
    name = plan.name;
  }
  if (json) writeJson({ ok: errors === 0, plan: name, sizes: documents });
  if (errors > 0) process.exitCode = exitCodes.failed;
}

async function runUnderMpi(path: string, options: RunCommandOptions): Promise<void> {
  const idle = workersOnly.find((name) => options[name] !== undefined);
  if (idle !== undefined) throw new CccError('usage', `--${idle} is for worker threads: it does not go with --on mpi`);
  const [{ runOnMpi }, { readSource }] = await Promise.all([import('../mpi/index.ts'), import('../../read/index.ts')]);
  const limits = limitsFrom(options.limit);
  const { size, sizes, dtype, op, repetitions, processes, json } = options;
  await runOnMpi(readSource(path, limits), { size, sizes, dtype, op, repetitions, processes, json, limits });
}
