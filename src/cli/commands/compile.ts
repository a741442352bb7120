import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { chipsAreAlike } from '../../graph/index.ts';
import type { CollectiveKind } from '../../ir/collective.ts';
import { compactKinds } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { efforts } from '../../ir/effort.ts';
import { ranksOf } from '../../ir/topology.ts';
import { type FoundPlan, foundPlanResult } from '../compile/found-plan.ts';
import type { IntactTime } from '../compile/intact.ts';
import { searching } from '../compile/limits.ts';
import { type CompileOptions, hasLanes, isWide, type MachineRequest, readRequest } from '../compile/request.ts';
import { checkTargetIsWritable, emitterNamed } from '../emitters.ts';
import { checkRequestFitsLimits } from '../fits.ts';
import { type JobSettings, runJob } from '../jobs/run-job.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addExamples,
  addLongRunOptions,
  addSizeOptions,
  addTopologyOptions,
  collectiveKindFrom,
  oneOf,
  wholeNumber,
} from '../options.ts';
import { note } from '../output.ts';
import { addSolverOptions, modelWriter } from '../solver-options.ts';
import { formatFor, writeTarget } from '../target.ts';

/** An allgather in so many bulks that moves no more chunks is found in a moment on machines that look the same from every chip. */
const fewMoves = 2 ** 16;

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

/** What was typed: the format may follow from the name of the file. */
type TypedOptions = Omit<CompileOptions, 'emit'> & { readonly emit?: string };

async function run(kindText: string, typed: TypedOptions): Promise<void> {
  const given: CompileOptions = { ...typed, emit: formatFor(typed) };
  const kind = collectiveKindFrom(kindText, given);
  if (given.compact === true) {
    const { compileCompactly } = await import('../compact/compile.ts');
    return writeTarget(typed, (output) => compileCompactly(kind, { ...given, ...output }));
  }
  const emitter = await emitterNamed(given.emit);
  const onLastModel = modelWriter(given);
  const { machine, request } = await requestFor(kind, kindText, given);
  // Without lanes nothing is known of what the runtime does in place of bulks: in slices of its own it gains by what gains by bulks.
  const isInOne = emitter.inOneBulk !== undefined && given.bulks === 'auto' && hasLanes(machine);
  const options = isInOne ? { ...given, bulks: 1 } : given;
  const asked = { machine, request: { ...request, bulks: options.bulks } };
  if (isForCompact(asked, options) && (await isCompact(kind, typed, options))) return;
  await checkRoom(asked, kind, options);
  checkTargetIsWritable(emitter, options.output);
  const [found, { present }] = await Promise.all([
    options.engine === 'exact' ? solved(asked, options, onLastModel) : searched(asked, options, onLastModel),
    import('../compile/present.ts'),
  ]);
  const intactOf = async (): Promise<IntactTime | undefined> => {
    if (options.without === undefined) return undefined;
    return (await import('../compile/intact.ts')).intactTime(kindText, options, found);
  };
  if (isInOne) note(`${emitter.name} has no bulks: the plan is the best that was found in one`);
  const intact = options.json === true ? await intactOf() : undefined;
  await writeTarget(typed, async (output) => {
    const { placement } = asked.machine;
    process.exitCode = await present(found, { ...options, ...output }, { intact, placement });
  });
  // Who reads the report has time for what the whole machine took; a program that waits for the plan has it.
  if (options.json !== true && (process.stderr.isTTY || options.explain === true)) await noteIntact(await intactOf());
}

async function noteIntact(intact: IntactTime | undefined): Promise<void> {
  if (intact !== undefined) note((await import('../compile/intact.ts')).intactText(intact));
}

/**
 * By engines that need no solver, and then in rounds by one that does; with all processors where there is a time limit to fill. A short search
 * is done in this thread, but what solvers do is not.
 */
async function searched(
  asked: MachineRequest,
  options: CompileOptions,
  onLastModel: JobSettings<FoundPlan>['onLastModel'],
): Promise<FoundPlan> {
  const { timeLimit, progress } = options;
  const isShort = timeLimit === undefined && takesNoTime(asked.request);
  const workers = timeLimit === undefined ? 1 : Math.min(availableParallelism(), searching.workers);
  const costOf = ({ value }: FoundPlan): number => value;
  const inRounds = options.solver === 'none' ? undefined : options.solver;
  const work = { ...asked, options, solver: undefined, inRounds };
  if (!isShort) return runJob('compile', work, { timeLimit, workers, costOf, progress, onLastModel });
  const known = await runJob('compile', { ...work, inRounds: undefined }, { isShort });
  const { mayGainInRounds } = await import('../../search/in-rounds.ts');
  const isOver =
    inRounds === undefined || known.groups !== undefined || !mayGainInRounds(foundPlanResult(known), asked.request);
  if (!isOver) return runJob('compile', { ...work, known }, { progress, onLastModel });
  await onLastModel?.(undefined);
  return known;
}

/** Whether the search is over before Ctrl-C would be of use. */
function takesNoTime({ effort, exhaustive, chunks, bulks, collective, topology }: MachineRequest['request']): boolean {
  const ranks = ranksOf(topology);
  if (ranks <= (effort === 'quick' ? searching.quickRanksAtOnce : searching.ranksAtOnce)) return true;
  const isPlain = collective.kind === 'allgather' && chunks !== undefined && bulks !== 'auto' && exhaustive !== true;
  return isPlain && ranks ** 2 * chunks <= fewMoves && chipsAreAlike(topology);
}

/**
 * By the exact engine. A single shape is looked for without a solver first, since most are found by construction and loading a
 * solver takes longer than that.
 */
async function solved(
  asked: MachineRequest,
  options: CompileOptions,
  onLastModel: JobSettings<FoundPlan>['onLastModel'],
): Promise<FoundPlan> {
  const { chunks, set, solver, timeLimit, progress } = options;
  if (solver === 'none')
    throw new CccError('usage', 'the exact engine needs a solver: --solver none leaves it without');
  const work = { ...asked, options, solver, inRounds: undefined };
  const isOneShape = chunks !== undefined && set?.steps !== undefined && set.rounds !== undefined;
  if (isOneShape && onLastModel === undefined && solver === 'auto' && timeLimit === undefined) {
    try {
      return await runJob('compile', { ...work, solver: undefined }, { isShort: true });
    } catch (error) {
      if (!(error instanceof CccError) || error.code !== 'no-plan') throw error;
    }
  }
  // Of a single shape there is nothing to keep before it is found; where nobody watches, a worker would only take time to start.
  const isWatched = progress === true || process.stderr.isTTY || timeLimit !== undefined;
  const isShort = isOneShape && !isWatched && ranksOf(asked.machine.topology) <= searching.ranksAtOnce;
  return runJob('compile', work, { timeLimit, isShort, progress, onLastModel });
}

/** Whether any plan will do, of so many ranks that a full one takes minutes, for a collective in which all ranks do the same. */
function isForCompact({ request, machine }: MachineRequest, options: CompileOptions): boolean {
  const { collective, objective, exhaustive } = request;
  const { effort, timeLimit, chunks, ranks, without, map, set, emit, lpOut, protocol } = options;
  const isMany = collective.ranks > searching.ranksInFull && compactKinds.includes(collective.kind);
  const isPlain = isWide(options) && objective === 'time' && exhaustive !== true && emit === 'json';
  const isWhole = machine.groups === undefined && collective.counts === undefined && !collective.ordered;
  const asks = [effort, timeLimit, chunks, ranks, without, map, set, lpOut, protocol];
  return isMany && isPlain && isWhole && asks.every((one) => one === undefined);
}

/** False where there is no such plan; nothing is written then. */
async function isCompact(kind: CollectiveKind, typed: TypedOptions, options: CompileOptions): Promise<boolean> {
  const { foundCompactly, whyCompact, writeCompact } = await import('../compact/compile.ts');
  const result = await foundCompactly(kind, options);
  if (result === undefined) return false;
  await writeTarget(typed, (output) => writeCompact(result, { ...options, ...output }));
  note(whyCompact);
  return true;
}

async function requestFor(kind: CollectiveKind, kindText: string, options: CompileOptions): Promise<MachineRequest> {
  try {
    return await readRequest(kindText, options);
  } catch (error) {
    throw await (await import('../compact/compile.ts')).withCompactHint(error, kind, options);
  }
}

/** Refuses at once what no search could find within the limits. */
async function checkRoom({ request }: MachineRequest, kind: CollectiveKind, options: CompileOptions): Promise<void> {
  try {
    checkRequestFitsLimits(request);
  } catch (error) {
    throw await (await import('../compact/compile.ts')).withCompactHint(error, kind, options);
  }
}
