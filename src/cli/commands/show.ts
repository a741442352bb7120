import { type Command, Option } from 'commander';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { oneLine } from '../../ir/plain-text.ts';
import type { Plan } from '../../ir/plan.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import type { DocumentBlocks } from '../../jobs/claims.ts';
import type { TimingWish } from '../../jobs/timing-target.ts';
import type { ScheduleFile } from '../../read/index.ts';
import type { CompactDocument } from '../../read/plan/index.ts';
import { checkOptionsApply } from '../../session/source.ts';
import type { SimulatedProof } from '../../session/timed-plan.ts';
import {
  addCollectiveOptions,
  addExamples,
  addTopologyOptions,
  bytes,
  type CollectiveOptions,
  checkTopologyIsGiven,
  limitsFrom,
  oneOf,
  type TopologyOptions,
  wholeNumber,
} from '../options.ts';
import { writeResult, writeText } from '../output.ts';
import { fitted, widthToRead } from '../terminal.ts';

const levels = ['definition', 'overlay', 'underlay', 'links', 'timeline', 'steps', 'programs'] as const;
const lanes = ['links', 'ranks'] as const;
const drawings = ['svg', 'dot', 'mermaid'] as const;
type Level = (typeof levels)[number];

interface ShowOptions extends TopologyOptions, CollectiveOptions {
  readonly ranks?: number;
  readonly chunks?: number;
  readonly size?: Bytes;
  readonly level?: Level;
  readonly lanes: (typeof lanes)[number];
  readonly emit?: (typeof drawings)[number];
  readonly step?: number;
  readonly output?: string;
}

/** `ccc show` draws a topology, writes a schedule as the step tables of textbooks, or shows a plan at one of its three levels. */
export function registerShow(program: Command): void {
  const command = program
    .command('show <what>')
    .description(
      'shows a topology, a schedule (YAML; its step table), a plan (JSON) or an MSCCL algorithm (XML); - is standard input',
    )
    .option('--level <level>', `for schedules and plans: ${levels.join(' ')}`, oneOf(levels, 'level'))
    .addOption(
      new Option('--lanes <of>', 'whose lanes the timeline has: links or ranks')
        .default('links')
        .argParser(oneOf(lanes, 'kind of lanes')),
    )
    .option(
      '--emit <svg|dot|mermaid>',
      'a drawing: of a machine, of who talks to whom in a plan (overlay), or with --step of one step',
      oneOf(drawings, 'format of drawings'),
    )
    .option('--step <n>', 'for --emit: the step that is drawn, from 1', wholeNumber(1))
    .option('-o, --output <file>', 'writes it there instead of standard output')
    .option('--ranks <n>', 'for a schedule: the number of ranks', wholeNumber(1))
    .option('--chunks <n>', 'for a schedule: chunks per shard', wholeNumber(1))
    .option('--size <bytes>', 'message size M for the simulated time (default: what the plan says)', bytes);
  addCollectiveOptions(addTopologyOptions(command));
  addExamples(
    command,
    'ccc show torus:4x4',
    'ccc show torus:4x4 --emit svg -o torus.svg',
    'ccc show bruck-allgather --ranks 5',
    'ccc compile allgather --topo ring:4 | ccc show - --level steps',
    'ccc compile allreduce --topo sg2260x4 | ccc show - --level timeline',
  ).action(run);
}

async function run(what: string, options: ShowOptions): Promise<void> {
  if (options.step !== undefined && options.emit === undefined) {
    throw new CccError('usage', '--step says what --emit draws; --level steps shows all of them');
  }
  const text = await textOf(what, options);
  if (options.output === undefined && options.emit === undefined) writeText(text);
  else await writeResult([text], options.output);
}

/**
 * Makes the text. The content of a file decides what it is; other names are schedules or, if there is none of that name, topologies. Standard input
 * can be read only once, so it is kept.
 */
async function textOf(what: string, options: ShowOptions): Promise<string> {
  const read = await import('../../read/index.ts');
  const limits = limitsFrom(options.limit);
  if (!read.isFilePath(what)) {
    if (read.listShipped('schedules').includes(what)) return scheduleText(read.loadScheduleFile(what), options);
    checkTopologyName(what, read);
    return topologyText(what, options);
  }
  const source = read.readSource(what, limits);
  if (read.dumpKindOf(source) !== undefined) return topologyText(what, options, source);
  checkOptionsApply(source, options);
  if (/^\s*\{/.test(source.text)) {
    const { isMscclppText, readMscclpp } = await import('../../mscclpp/read/index.ts');
    if (isMscclppText(source)) {
      const [{ showExecutionPlan }, { executionPlanTimeLine }] = await Promise.all([
        import('../show/execution-plan.ts'),
        import('../../jobs/verify-mscclpp.ts'),
      ]);
      const plan = readMscclpp(source, { limits });
      const wish = { ...(await wishFrom(options)), limits };
      return showExecutionPlan(plan) + executionPlanTimeLine(plan, wish);
    }
    const { readAnyPlan } = await import('../../read/plan/index.ts');
    const document = readAnyPlan(source, { limits });
    if ('compact' in document) return compactText(document, options);
    return planText(document.plan, document.extra, options, options.level ?? 'programs');
  }
  if (read.isNcclGraphText(source)) {
    const [{ readNcclGraphs }, { showNcclGraphs }] = await Promise.all([
      import('../../read/nccl-graph/index.ts'),
      import('../show/nccl-graphs.ts'),
    ]);
    return showNcclGraphs(readNcclGraphs(source));
  }
  if (/^\s*</.test(source.text)) {
    const { readMsccl } = await import('../../read/msccl/index.ts');
    const { plan, extra } = readMsccl(source, { ...options, limits });
    return planText(plan, extra, options, options.level ?? 'programs');
  }
  if (read.isScheduleText(source)) return scheduleText(read.parseScheduleFile(source, { limits }), options);
  return topologyText(what, options, source);
}

/** Throws for an unknown name. Schedules are among the suggested names, since the user may have meant one. */
function checkTopologyName(what: string, { listShipped, nearestNames }: typeof import('../../read/index.ts')): void {
  const topologies = listShipped('topologies');
  const name = what.split(':')[0];
  if (topologies.includes(name) || what.includes('.')) return;
  const names = [...topologies, ...listShipped('schedules')];
  throw new CccError('unknown-name', `there is no topology or schedule '${name}'; ${nearestNames(name, names)}`);
}

async function topologyText(what: string, options: ShowOptions, source?: SourceText): Promise<string> {
  const [{ machineSource }, { topologyFrom }, { showTopology }, { describeMachine }] = await Promise.all([
    import('../../session/machine/edited-machine.ts'),
    import('../machine.ts'),
    import('../show/index.ts'),
    import('../../read/index.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  for (const option of ['level', 'ranks', 'chunks', 'set'] as const) {
    if (options[option] !== undefined) throw new CccError('usage', `--${option} has no effect on a topology`);
  }
  const topology = await topologyFrom({ ...options, topo: what }, limits, source);
  if (options.emit !== undefined) {
    if (options.step !== undefined) throw new CccError('usage', '--step has no effect on a topology');
    const [{ drawnMachine }, { graphText }] = await drawing();
    return graphText(options.emit, drawnMachine(topology));
  }
  const text = await machineSource(what, options, limits, source);
  const description = describeMachine(what, text === undefined ? { limits } : { limits, read: () => text });
  return showTopology(topology, widthToRead(), description);
}

/** Shows a schedule for a number of ranks: the requested one, else the schedule's or the topology's, else four. */
async function scheduleText(file: ScheduleFile, options: ShowOptions): Promise<string> {
  const { checkParameters, instantiate } = await import('../../read/index.ts');
  const limits = limitsFrom(options.limit);
  const topology = await optionalTopology(options);
  const { root, op, ordered = false, inPlace = false, set: parameters = {}, level = 'steps' } = options;
  checkParameters([file], parameters);
  const ranks = options.ranks ?? topology?.chips.length ?? file.fixedRanks ?? 4;
  const chunks = options.chunks === undefined ? {} : { chunks: options.chunks };
  const schedule = instantiate(file, { ranks, ...chunks, root, op, ordered, inPlace, parameters, limits });
  const { lower } = await import('../../lower/index.ts');
  if (options.emit !== undefined) return drawnSchedule(schedule, lower(schedule), topology, options);
  if (level === 'steps') {
    const { showSteps } = await import('../show/index.ts');
    const steps = showSteps(schedule, widthToRead(), file);
    return topology === undefined ? steps : steps + (await timeText(lower(schedule), {}, options));
  }
  return planText(lower(schedule), {}, options, level);
}

const drawing = () => Promise.all([import('../show/drawings.ts'), import('../show/graphs/index.ts')]);

/** Makes the graph of the requested step, or of all messages between ranks. @throws CccError 'usage' for levels that cannot be drawn */
async function drawnSchedule(
  schedule: Schedule | undefined,
  plan: Plan,
  topology: Topology | undefined,
  { emit = 'svg', step, level }: ShowOptions,
): Promise<string> {
  if (level !== undefined && level !== 'overlay' && level !== 'steps') {
    throw new CccError('usage', `--emit draws the levels overlay and steps (--step), not ${level}`);
  }
  const [{ drawnOverlay, drawnStep }, { graphText }] = await drawing();
  if (step === undefined && level !== 'steps') return graphText(emit, drawnOverlay(plan, topology));
  if (schedule !== undefined) return graphText(emit, drawnStep(schedule, step ?? 1, topology));
  throw new CccError('unsupported', 'its messages do not pair up, so that it has no steps to draw');
}

async function optionalTopology(options: ShowOptions): Promise<Topology | undefined> {
  checkTopologyIsGiven(options);
  if (options.topo === undefined) return undefined;
  const { topologyFrom } = await import('../machine.ts');
  return topologyFrom(options, limitsFrom(options.limit));
}

async function compactText(document: CompactDocument, options: ShowOptions): Promise<string> {
  const { compact } = document;
  const { level = 'programs', size } = options;
  if (level === 'programs') {
    const [{ showCompactPlan }, { recipeIn }, { compactTimeLine }, { symmetricTopologyFrom }] = await Promise.all([
      import('../show/index.ts'),
      import('../../jobs/claims.ts'),
      import('../../jobs/compact.ts'),
      import('../machine.ts'),
    ]);
    const limits = limitsFrom(options.limit);
    const machine = options.topo === undefined ? undefined : await symmetricTopologyFrom(options, limits);
    const request = { inflight: machine?.inflight, size, limits };
    return (
      showCompactPlan(compact, widthToRead(), recipeIn(document.extra)) + compactTimeLine(document, machine, request)
    );
  }
  if (level === 'definition') return (await import('../show/index.ts')).showDefinition(compact.collective);
  const message = `${compact.name} is a compact plan, which has the levels definition and programs: ccc convert --expand makes a full plan of it`;
  throw new CccError('usage', message);
}

async function planText(plan: Plan, blocks: DocumentBlocks, options: ShowOptions, level: Level): Promise<string> {
  if (options.emit !== undefined) {
    const [{ timingTargetOf }, { scheduleInSteps }] = await Promise.all([
      import('../../jobs/timing-target.ts'),
      import('../../optimize/steps.ts'),
    ]);
    const { topology } = timingTargetOf(plan.collective, blocks, await wishFrom(options));
    return drawnSchedule(scheduleInSteps(plan), plan, topology, options);
  }
  const show = await import('../show/index.ts');
  const width = widthToRead();
  switch (level) {
    case 'definition':
      return show.showDefinition(plan.collective);
    case 'overlay':
      return show.showOverlay(plan, width);
    case 'programs': {
      const { recipeIn } = await import('../../jobs/claims.ts');
      return show.showPlan(plan, width, recipeIn(blocks)) + (await timeText(plan, blocks, options));
    }
    case 'steps':
      return (await planStepsText(plan)) + (await timeText(plan, blocks, options));
    case 'links': {
      const { routes, report, text } = await timed(plan, blocks, options);
      return `${show.showLinks(plan, routes, report, width)}\n${fitted(text, width ?? Number.POSITIVE_INFINITY)}\n`;
    }
    case 'timeline': {
      const { routes, report, size, text } = await timed(plan, blocks, options);
      const { timeline } = await import('../../model/index.ts');
      const run = { plan, topology: routes.topology, timeline: timeline(plan, routes, size), report };
      const title = fitted(`${oneLine(plan.name)} ${text}`, width ?? Number.POSITIVE_INFINITY);
      return `${title}\n\n${show.showTimeline(run, options.lanes, width)}`;
    }
    case 'underlay': {
      const { routes, report, text } = await timed(plan, blocks, options);
      return `${show.showUnderlay(plan, routes, report)}\n${fitted(text, width ?? Number.POSITIVE_INFINITY)}\n`;
    }
  }
}

/** Writes the simulated time of the plan, which is printed below the requested level. */
async function timeText(plan: Plan, blocks: DocumentBlocks, options: ShowOptions): Promise<string> {
  const { timeLine } = await import('../../session/timed-plan.ts');
  const line = timeLine(plan, blocks, await wishFrom(options), limitsFrom(options.limit));
  return fitted(line, widthToRead() ?? Number.POSITIVE_INFINITY);
}

/** Simulates the plan. @throws CccError 'usage' if no machine is known, and whatever `timedPlan` throws */
async function timed(plan: Plan, blocks: DocumentBlocks, options: ShowOptions): Promise<SimulatedProof> {
  const { timedPlan } = await import('../../session/timed-plan.ts');
  const found = timedPlan(plan, blocks, await wishFrom(options), limitsFrom(options.limit));
  if (found !== undefined) return found;
  throw new CccError(
    'usage',
    'this level is about a machine, and the plan names none that comes with ccc: say which with --topo',
  );
}

async function wishFrom(options: ShowOptions): Promise<TimingWish> {
  return { topology: await optionalTopology(options), size: options.size };
}

/** Writes the steps of a plan: those recorded with its operations or, if these do not form a schedule, those derived from its dependencies. */
async function planStepsText(plan: Plan): Promise<string> {
  const [{ scheduleInSteps }, { showSteps }] = await Promise.all([
    import('../../optimize/steps.ts'),
    import('../show/index.ts'),
  ]);
  const schedule = scheduleInSteps(plan);
  const bulks = plan.bulks === 1 ? '' : `each of ${plan.bulks} bulks, M below is one of them:\n`;
  if (schedule !== undefined) return bulks + showSteps(schedule, widthToRead());
  throw new CccError(
    'unsupported',
    'its messages do not pair up, so that it has no steps; --level programs shows what it does',
  );
}
