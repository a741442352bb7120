import type { Command } from 'commander';
import type { SourceText } from '../../ir/diagnostic.ts';
import type { Dtype } from '../../ir/dtype.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { checkOptionsApply, sourceOf } from '../../session/source.ts';
import { emitterNamed, formatFor, readyFor } from '../../session/targets.ts';
import { exitCodes } from '../failure.ts';
import { interruptible } from '../jobs/interruptible.ts';
import { machineFrom } from '../machine.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addExamples,
  addLongRunOptions,
  addTopologyOptions,
  bytes,
  type CollectiveOptions,
  type LongRunOptions,
  limitsFrom,
  type TopologyOptions,
  wholeNumber,
} from '../options.ts';
import { note, writeJson } from '../output.ts';
import { type SolverOrNone, solverOption } from '../solver-options.ts';
import { checkOutput, writeEmitted, written } from '../target.ts';
import { widthOf } from '../terminal.ts';

interface OptimizeCommandOptions extends TopologyOptions, CollectiveOptions, LongRunOptions {
  readonly size?: Bytes;
  readonly dtype: Dtype;
  readonly chunks?: number;
  readonly emit?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly solver: SolverOrNone;
}

/** `ccc optimize` makes an existing schedule faster on a machine. */
export function registerOptimize(program: Command): void {
  const command = program
    .command('optimize <file>')
    .description('makes a schedule (YAML), plan (JSON) or MSCCL algorithm (XML) faster on a topology')
    .option('--size <bytes>', 'message size M (default: what the plan says, else 64MiB)', bytes)
    .option('--chunks <n>', 'for a schedule: chunks per shard to begin with', wholeNumber(1))
    .option('--emit <format>', 'a format of `ccc list emitters` (default: what -o ends in, else json)')
    .option('-o, --output <file>', 'writes the faster plan there instead of standard output')
    .addOption(solverOption(true))
    .option('--json', 'prints before and after as one JSON document (the plan goes to -o)');
  addLongRunOptions(addDtypeOption(addCollectiveOptions(addTopologyOptions(command))));
  addExamples(command, 'ccc optimize ring-allreduce --topo ring:4 --size 1MiB -o faster.json').action(run);
}

async function run(path: string, options: OptimizeCommandOptions): Promise<void> {
  const emitter = await emitterNamed(formatFor(options));
  const limits = limitsFrom(options.limit);
  const machine = await machineFrom(options, limits);
  const source = await sourceOf(path, limits);
  checkOptionsApply(source, options);
  checkOutput(emitter, options.output);
  const { ordered, inPlace, set, root, op, chunks, size, dtype, solver } = options;
  const request = { root, op, ordered, inPlace, parameters: set, chunks, size, dtype, limits, solver };
  const { optimize } = await import('../../session/optimize.ts');
  const outcome = await interruptible(options, (watched) => optimize(source, machine, { ...request, ...watched }));
  if (!outcome.ok) {
    if (outcome.reason !== 'unproved' || options.json === true) throw outcome.error;
    return tellStory(source, machine.single, options);
  }
  const { plan } = outcome;
  const { optimizeDocument, optimizeText } = await import('../optimize/report.ts');
  await written(options, async ({ output = options.output }) => {
    if (options.json !== true || output !== undefined) {
      await writeEmitted(emitter, await readyFor(emitter, plan.bundle), output);
    }
    if (options.json === true) writeJson(optimizeDocument(plan));
    else note(optimizeText(plan, widthOf(process.stderr)));
  });
  if (!plan.stoppedEarly) return;
  note('ccc: the search was ended; this is the best so far');
  process.exitCode = exitCodes.stopped;
}

/** Explains, operation by operation, what is wrong with a schedule that is not correct in the first place. */
async function tellStory(source: SourceText, topology: Topology, options: OptimizeCommandOptions): Promise<void> {
  const [{ verifyOverRange }, { verifyReport }] = await Promise.all([
    import('../../session/verify/range.ts'),
    import('../verify/report.ts'),
  ]);
  const { root, op, ordered = false, inPlace = false, set = {}, chunks, size, limit } = options;
  const request = { root, op, ordered, inPlace, parameters: set, chunks, size, topology, limits: limitsFrom(limit) };
  const report = await verifyOverRange(source, { ...request, bitwise: false }, () => {});
  note(`not optimised, since it is wrong to begin with:\n${verifyReport(report)}`);
  process.exitCode = exitCodes.failed;
}
