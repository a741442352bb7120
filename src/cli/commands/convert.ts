import type { Command } from 'commander';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { type Bytes, counted } from '../../ir/units.ts';
import { firstError } from '../../ir/verification.ts';
import { checkOptionsApply, sourceOf } from '../../session/source.ts';
import { emitterNamed, formatFor, readyFor } from '../../session/targets.ts';
import {
  addCollectiveOptions,
  addExamples,
  addTopologyOptions,
  bytes,
  type CollectiveOptions,
  checkTopologyIsGiven,
  limitsFrom,
  type TopologyOptions,
  wholeNumber,
} from '../options.ts';
import { note, writeResult } from '../output.ts';
import { writeEmitted, written } from '../target.ts';

interface ConvertOptions extends TopologyOptions, CollectiveOptions {
  readonly ranks?: number;
  readonly chunks?: number;
  readonly inflight?: number;
  readonly size?: Bytes;
  readonly emit?: string;
  readonly output?: string;
  readonly expand?: boolean;
}

/** `ccc convert` proves a plan or schedule of another format and writes it in any format of ccc. */
export function registerConvert(program: Command): void {
  const command = program
    .command('convert <file>')
    .description(
      'proves a plan (JSON), an MSCCL algorithm (XML) or a schedule (YAML) and writes its plan; of a machine that NCCL, nvidia-smi or ASTRA-sim describe, writes the topology (YAML)',
    )
    .option('--ranks <n>', 'for a schedule: the number of ranks', wholeNumber(1))
    .option('--chunks <n>', 'for a schedule: chunks per shard', wholeNumber(1))
    .option('--inflight <n>', 'transfers a connection buffers; 0 = rendezvous', wholeNumber(0))
    .option('--size <bytes>', 'message size M (default: what the plan says)', bytes)
    .option('--expand', 'for a compact plan: writes out the programs of all ranks')
    .option('--emit <format>', 'a format of `ccc list emitters` (default: what -o ends in, else json)')
    .option('-o, --output <file>', 'writes the result there instead of standard output');
  addCollectiveOptions(addTopologyOptions(command));
  addExamples(
    command,
    'ccc convert ring-allreduce --ranks 4 -o plan.json',
    'ccc convert plan.json --emit ts -o allreduce.ts',
  ).action(run);
}

async function run(path: string, options: ConvertOptions): Promise<void> {
  const limits = limitsFrom(options.limit);
  const source = await sourceOf(path, limits);
  const { convertDump, dumpKindOf, resolveTopology } = await import('../../read/index.ts');
  const kind = dumpKindOf(source);
  const isTopology = /^format\s*:\s*["']?ccc-topology\b/m.test(source.text);
  if (kind === undefined && !isTopology) {
    if (/\.ya?ml$/i.test(options.output ?? '')) throw noMachine(path);
    return convertToPlan(source, options);
  }
  checkIsPlain(options);
  const { gpu, boxes, links } = options;
  // A topology file is complete, with lanes and protocols, so it is written unchanged.
  const { text } = kind === undefined ? source : await convertDump(source, kind, { gpu, boxes, links, limits });
  // Checks that the machine can be read back.
  resolveTopology(path, { limits, read: () => ({ name: path, text }) });
  await writeResult([text], options.output);
}

/** Returns the error for YAML output of a plan: only machines are written as YAML. */
function noMachine(path: string): CccError {
  const known = 'NCCL or RCCL topology XML, `nvidia-smi topo -m`, an ASTRA-sim network, SCCL JSON or a topology file';
  return new CccError(
    'schema',
    `${path} describes no machine that ccc knows, and a plan is not written as .yaml: expected ${known}`,
  );
}

/** Checks the options of converting a machine. @throws CccError 'usage' for options that apply to plans only */
function checkIsPlain(options: ConvertOptions): void {
  const { topo, map, without, group, link, gamma, overlap, ranks, chunks, inflight, size, expand } = options;
  const given = { topo, map, without, group, link, gamma, overlap, ranks, chunks, inflight, size, expand };
  const idle = Object.entries(given).find(([, value]) => value !== undefined);
  if (idle !== undefined) throw new CccError('usage', `--${idle[0]} is for plans: a machine is converted as it stands`);
  if (options.emit !== undefined && options.emit !== 'json')
    throw new CccError('usage', `a machine becomes a topology file, not ${options.emit}`);
}

async function convertToPlan(source: SourceText, options: ConvertOptions): Promise<void> {
  checkTopologyIsGiven(options);
  if (options.topo !== undefined && options.ranks !== undefined) {
    throw new CccError('usage', 'give --topo or --ranks, not both: a topology has its own number of ranks');
  }
  const [{ convert }, { timingSentence, withCost }, { topologyFrom }] = await Promise.all([
    import('../../jobs/convert.ts'),
    import('../../jobs/timing-target.ts'),
    import('../machine.ts'),
  ]);
  if (await isExecutionPlan(source, options)) return convertExecutionPlan(source, options);
  const emitter = await emitterNamed(formatFor(options));
  const limits = limitsFrom(options.limit);
  const topology = options.topo === undefined ? undefined : await topologyFrom(options, limits);
  const { ordered = false, inPlace = false, set = {} } = options;
  checkOptionsApply(source, options);
  const request = { ...options, topology, ordered, inPlace, parameters: set, limits };
  const { bundle, notes, pricedFor } = await convert(source, request);
  const priced = withCost(bundle, limits.operations);
  const { cost, proved } = priced;
  const time = cost === undefined ? [] : [`the plan ${timingSentence(cost.seconds, pricedFor)}`];
  await written(options, async ({ output = options.output }) => {
    const { remarks } = await writeEmitted(emitter, await readyFor(emitter, priced), output);
    const { name, collective } = proved.plan;
    const what = `proved: ${name} (${collective.kind} on ${counted(collective.ranks, 'rank')})`;
    const report = process.stdout.isTTY ? [what] : [];
    for (const remark of [...report, ...notes, ...remarks, ...time]) note(oneLine(remark));
  });
}

/** Whether the source is an MSCCL++ execution plan and is to be written as one. */
async function isExecutionPlan(source: SourceText, options: ConvertOptions): Promise<boolean> {
  const { emit } = options;
  const isWanted = emit === undefined ? formatFor(options) === 'json' : emit === 'mscclpp';
  if (!isWanted || !/^\s*\{/.test(source.text)) return false;
  const { isMscclppText } = await import('../../mscclpp/read/index.ts');
  return isMscclppText(source);
}

/**
 * Verifies an MSCCL++ execution plan and writes it unchanged. Its one-sided operations (put, get) have no messages from which other formats could be
 * made.
 */
async function convertExecutionPlan(source: SourceText, options: ConvertOptions): Promise<void> {
  const [{ verifyMscclpp }, { unproved }, { topologyFrom }] = await Promise.all([
    import('../../jobs/verify-mscclpp.ts'),
    import('../../jobs/convert.ts'),
    import('../machine.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const topology = options.topo === undefined ? undefined : await topologyFrom(options, limits);
  checkOptionsApply(source, options);
  const { verification, notes } = verifyMscclpp(source, { ...options, topology, bitwise: false, limits });
  const wrong = firstError(verification.findings);
  if (wrong !== undefined) throw unproved(wrong);
  await writeResult([source.text], options.output);
  const warnings = verification.findings.map(({ message }) => message);
  const time = verification.proved.flatMap((line) => (line.startsWith('time: ') ? [line.slice('time: '.length)] : []));
  for (const remark of [...notes, ...warnings, ...time]) note(oneLine(remark));
}
