import type { Command } from 'commander';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import type { PlanDocument } from '../../read/index.ts';
import type { Change } from '../diff/changes.ts';
import type { ComparedPlan } from '../diff/plans.ts';
import {
  addExamples,
  addTopologyOptions,
  bytes,
  checkTopologyIsGiven,
  limitsFrom,
  type TopologyOptions,
} from '../options.ts';
import { writeJson, writeResult } from '../output.ts';
import { displayLimits } from '../shown.ts';
import { widthOf } from '../terminal.ts';

interface DiffOptions extends TopologyOptions {
  readonly size?: Bytes;
  readonly json?: boolean;
}

type Subject =
  | { readonly kind: 'plan'; readonly plan: ComparedPlan }
  | { readonly kind: 'machine'; readonly machine: Topology };

/** `ccc diff` compares two plans or two machines. */
export function registerDiff(program: Command): void {
  const command = program
    .command('diff <before> <after>')
    .description('compares two plans (JSON or MSCCL XML), or two machines: time, bound, steps, links, what moves')
    .option('--size <bytes>', 'message size M for both plans (default: what each says)', bytes)
    .option('--json', 'prints the changes as one JSON document');
  addTopologyOptions(command);
  addExamples(command, 'ccc diff ring:8 mesh:2x4', 'ccc compile allgather --topo ring:4 | ccc diff - plan.json').action(
    run,
  );
}

async function run(before: string, after: string, options: DiffOptions): Promise<void> {
  if (before === '-' && after === '-') throw new CccError('usage', 'standard input can be one of the two, not both');
  checkTopologyIsGiven(options);
  const limits = limitsFrom(undefined);
  const a = await subjectOf(before, options, limits);
  const b = await subjectOf(after, options, limits);
  const sections = await sectionsOf(a, b);
  if (options.json === true) return writeJson({ ok: true, ...Object.fromEntries(sections) });
  const { changesText } = await import('../diff/changes.ts');
  const width = widthOf(process.stdout) ?? displayLimits.width;
  const parts = sections
    .filter(([, changes]) => changes.length > 0)
    .map(
      ([title, changes], index) => (index === 0 ? '' : `\n${title}\n`) + changesText([before, after], changes, width),
    );
  await writeResult(parts);
}

/** Returns the sections of the comparison with their titles. The first compares the subjects as a whole. */
async function sectionsOf(a: Subject, b: Subject): Promise<readonly (readonly [string, readonly Change[]])[]> {
  if (a.kind === 'machine' && b.kind === 'machine') {
    const { machineChanges, machineLinkChanges } = await import('../diff/machines.ts');
    return [
      ['machine', machineChanges(a.machine, b.machine)],
      ['links', machineLinkChanges(a.machine, b.machine)],
    ];
  }
  if (a.kind === 'machine' || b.kind === 'machine') {
    throw new CccError('usage', 'one of the two is a plan and the other a machine: give two of a kind');
  }
  const { linkChanges, pairChanges, planChanges } = await import('../diff/plans.ts');
  const [one, other] = [a.plan, b.plan];
  const areTimed = one.timed !== undefined && other.timed !== undefined;
  return [
    ['plan', planChanges(one, other)],
    ['links', areTimed ? linkChanges(one.timed, other.timed) : []],
    ['ranks', pairChanges(one.plan, other.plan)],
  ];
}

/** Reads what is compared: the content of a file decides whether it is a plan or a machine; other names are machines. */
async function subjectOf(what: string, options: DiffOptions, limits: Limits): Promise<Subject> {
  const read = await import('../../read/index.ts');
  const { topologyFrom } = await import('../machine.ts');
  const machineOf = async (source?: SourceText): Promise<Subject> => {
    if (options.topo !== undefined) throw new CccError('usage', '--topo is for plans: a machine is compared as it is');
    return { kind: 'machine', machine: await topologyFrom({ topo: what }, limits, source) };
  };
  if (!read.isFilePath(what)) return machineOf();
  const source = read.readSource(what, limits);
  if (read.isScheduleText(source)) {
    throw new CccError('usage', `${source.name} is a schedule: ccc convert --ranks N makes a plan of it`);
  }
  if (read.dumpKindOf(source) !== undefined || !/^\s*[{<]/.test(source.text)) return machineOf(source);
  const topology = options.topo === undefined ? undefined : await topologyFrom(options, limits);
  const { plan, extra } = await planIn(source, limits);
  const { timedPlan } = await import('../../session/timed-plan.ts');
  const timed = timedPlan(plan, extra, { topology, size: options.size }, limits);
  const { comparedPlan } = await import('../diff/plans.ts');
  return { kind: 'plan', plan: comparedPlan(plan, extra, timed) };
}

async function planIn(source: SourceText, limits: Limits): Promise<Pick<PlanDocument, 'plan' | 'extra'>> {
  if (/^\s*\{/.test(source.text)) return (await import('../../read/index.ts')).readPlan(source, { limits });
  const { readMsccl } = await import('../../read/msccl/index.ts');
  return { plan: readMsccl(source, { root: 0, op: 'sum', limits }).plan, extra: {} };
}
