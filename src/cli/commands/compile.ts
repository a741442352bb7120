import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CollectiveKind } from '../../ir/collective.ts';
import { compactKinds } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Dtype } from '../../ir/dtype.ts';
import { type Effort, efforts } from '../../ir/effort.ts';
import type { Bytes } from '../../ir/units.ts';
import type { Objective } from '../../search/comparing.ts';
import type { CollectiveRequest } from '../../session/collectives.ts';
import type { AnyCompiledPlan } from '../../session/compile/compile.ts';
import type { CompileOptions } from '../../session/compile/options.ts';
import type { Outcome } from '../../session/outcome.ts';
import { emitterNamed, formatFor } from '../../session/targets.ts';
import { interruptible } from '../jobs/interruptible.ts';
import { symmetricTopologyFrom } from '../machine.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addExamples,
  addLongRunOptions,
  addSizeOptions,
  addTopologyOptions,
  type CollectiveOptions,
  collectiveKindFrom,
  type LongRunOptions,
  limitsFrom,
  oneOf,
  specFrom,
  type TopologyOptions,
  wholeNumber,
} from '../options.ts';
import { note } from '../output.ts';
import { addSolverOptions, modelWriter, type SolverOptions, type SolverOrNone } from '../solver-options.ts';
import { checkOutput, written } from '../target.ts';

/** The options of `ccc compile` as they were typed. */
interface TypedOptions extends TopologyOptions, CollectiveOptions, SolverOptions<SolverOrNone>, LongRunOptions {
  /** Value of `--ranks`. */
  readonly ranks?: number;
  readonly size?: Bytes;
  readonly dtype: Dtype;
  readonly chunks?: number;
  readonly bulks: number | 'auto';
  readonly engine: string;
  readonly algorithm?: string;
  readonly objective: Objective;
  readonly emit?: string;
  readonly output?: string;
  readonly seed: number;
  readonly effort?: Effort;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly compact?: boolean;
}

/** `ccc compile` finds a proved plan for a collective on a topology. */
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
    .option('--emit <format>', 'a format of `ccc list emitters` (default: what -o ends in, else json)')
    .option('-o, --output <file>', 'writes the result there instead of standard output')
    .option('--seed <n>', 'for engines that search at random', wholeNumber(0), 0)
    .addOption(
      new Option(
        '--effort <quick|full>',
        'quick: a good plan soon (the default with --without and for more than 1024 chips); full: all engines',
      ).argParser(oneOf(efforts, 'effort')),
    )
    .option(
      '--compact',
      'one program that all ranks run shifted, for rings, tori and the like of up to millions of chips',
    )
    .option('--ranks <n>', 'fewer ranks than chips, on those that are nearest to each other', wholeNumber(1))
    .option('--explain', 'shows every candidate: time, bounds met, why not chosen')
    .option('--json', 'prints cost, bound and candidates as one JSON document (the plan goes to -o)');
  addLongRunOptions(
    addSolverOptions(addDtypeOption(addCollectiveOptions(addTopologyOptions(addSizeOptions(command)))), true),
  );
  addExamples(
    command,
    'ccc compile allgather --topo sg2260x4 -o plan.json',
    'ccc compile allreduce --topo ring:6 --size 1MiB --explain -o plan.json',
    'ccc compile broadcast --topo dgx1 --without link:0-1 -o plan.json',
  ).action(run);
}

function bulkCount(text: string): number | 'auto' {
  if (text === 'auto') return text;
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('expected auto or a whole number of at least 1');
  return wholeNumber(1)(text);
}

async function run(kindText: string, options: TypedOptions): Promise<void> {
  const target = formatFor(options);
  const kind = collectiveKindFrom(kindText, options);
  const onLastModel = modelWriter(options);
  const emitter = await emitterNamed(target);
  const request = await requestFor(kind, options);
  if (options.compact !== true) checkOutput(emitter, options.output);
  const [plan, { present }] = await Promise.all([
    interruptible({ ...options, onLastModel }, async (watched) => {
      const { compile } = await import('../../session/compile/compile.ts');
      return compile(request, { ...searchOptions(options, target), ...watched });
    }).then(planOf),
    import('../compile/present.ts'),
  ]);
  if (plan.kind === 'compact') {
    const { presentCompact } = await import('../compact/present.ts');
    await written(options, (output) => presentCompact(plan, { ...options, ...output }));
    if (options.compact !== true) note(whyCompact);
    return;
  }
  for (const text of plan.context.notes) note(text);
  const intact = options.json === true ? await plan.intact() : undefined;
  await written(options, async (output) => {
    process.exitCode = await present(plan, emitter, { ...options, ...output }, intact);
  });
  // A program waits for the plan; people who read the report have time for the search on the whole machine.
  if (options.json !== true && (process.stderr.isTTY || options.explain === true)) {
    const whole = await plan.intact();
    if (whole !== undefined) note((await import('../compile/intact-report.ts')).intactText(whole));
  }
}

const whyCompact =
  'One program for all ranks, since they all see the same machine. ccc convert --expand writes a full plan out; --effort, --engine or --algorithm search for one.';

function planOf(outcome: Outcome<{ readonly plan: AnyCompiledPlan }>): AnyCompiledPlan {
  if (outcome.ok) return outcome.plan;
  throw outcome.error;
}

function searchOptions(options: TypedOptions, target: string): CompileOptions {
  const { effort, objective, engine, algorithm, set, chunks, bulks, seed, solver, explain, compact, limit } = options;
  const search = { effort, objective, engine, algorithm, parameters: set, chunks, bulks, seed, solver };
  return { ...search, target, explain, compact, limits: limitsFrom(limit) };
}

async function requestFor(kind: CollectiveKind, options: TypedOptions): Promise<CollectiveRequest> {
  const [{ Machine }, { collectiveRequest }] = await Promise.all([
    import('../../session/machine/machine.ts'),
    import('../../session/collectives.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const placed = options.ranks === undefined ? options : { ...options, place: options.ranks };
  const read = options.compact === true ? Machine.readCompact : Machine.read;
  const spec = await specFrom(options);
  return collectiveRequest(kind, await read(placed, limits).catch((error) => rethrow(error, kind, options)), spec);
}

/** Rethrows an error. If the machine is too large for a full plan but has a compact one, the error suggests `--compact`. */
async function rethrow(error: unknown, kind: CollectiveKind, options: TypedOptions): Promise<never> {
  if (!(error instanceof CccError) || error.code !== 'limit' || !compactKinds.includes(kind)) throw error;
  const { withCompactHint } = await import('../../session/compile/compact-plan.ts');
  throw await withCompactHint(error, { symmetric: () => symmetricTopologyFrom(options, limitsFrom(options.limit)) });
}
