import type { Command } from 'commander';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Dtype } from '../../ir/dtype.ts';
import type { Bytes } from '../../ir/units.ts';
import { checkTargetIsWritable, emitterNamed, readyFor, writeEmitted } from '../emitters.ts';
import { exitCodes } from '../failure.ts';
import { runJob } from '../jobs/run-job.ts';
import type { OptimizeWork } from '../optimize/job.ts';
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
import { checkOptionsApply, sourceOf } from '../source.ts';
import { formatFor, writeTarget } from '../target.ts';
import { widthOf } from '../terminal.ts';

interface OptimizeOptions extends TopologyOptions, CollectiveOptions, LongRunOptions {
  readonly size?: Bytes;
  readonly dtype: Dtype;
  readonly chunks?: number;
  readonly emit?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly solver: SolverOrNone;
}

/** `ccc optimize`: a schedule that somebody wrote, made faster on a machine. */
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

async function run(path: string, options: OptimizeOptions): Promise<void> {
  const { topologyFrom } = await import('../machine.ts');
  const emitter = await emitterNamed(formatFor(options));
  const limits = limitsFrom(options.limit);
  const topology = await topologyFrom(options, limits);
  const source = await sourceOf(path, limits);
  checkOptionsApply(source, options);
  checkTargetIsWritable(emitter, options.output);
  const { ordered = false, inPlace = false, set = {}, root, op, chunks, size, dtype, timeLimit, progress } = options;
  const solver = options.solver === 'none' ? undefined : options.solver;
  const request = { root, op, ordered, inPlace, parameters: set, chunks, topology, size, dtype, limits, solver };
  try {
    const result = await runJob('optimize', { source, request }, { timeLimit, progress });
    const { optimizeDocument, optimizeText } = await import('../optimize/report.ts');
    await writeTarget(options, async ({ output = options.output }) => {
      if (options.json !== true || output !== undefined) {
        await writeEmitted(emitter, await readyFor(emitter, result.bundle), output);
      }
      if (options.json === true) writeJson(optimizeDocument(result));
      else note(optimizeText(result, widthOf(process.stderr)));
    });
    if (!result.stoppedEarly) return;
    note('ccc: the search was ended; this is the best so far');
    process.exitCode = exitCodes.stopped;
  } catch (error) {
    if (!(error instanceof CccError) || error.code !== 'unproved' || options.json === true) throw error;
    await tellStory(source, request);
  }
}

/** A schedule that is wrong to begin with: what is wrong, operation by operation. */
async function tellStory(source: SourceText, request: OptimizeWork['request']): Promise<void> {
  const [{ verifyOverRange }, { verifyReport }] = await Promise.all([
    import('../verify/range.ts'),
    import('../verify/report.ts'),
  ]);
  const report = await verifyOverRange(source, { ...request, bitwise: false }, () => {});
  note(`not optimised, since it is wrong to begin with:\n${verifyReport(report)}`);
  process.exitCode = exitCodes.failed;
}
