import type { Command } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { exitCodes } from '../failure.ts';
import { interruptible } from '../jobs/interruptible.ts';
import { machineFrom } from '../machine.ts';
import {
  addCollectiveOptions,
  addExamples,
  addLongRunOptions,
  addTopologyOptions,
  type CollectiveOptions,
  collectiveKindFrom,
  type LongRunOptions,
  limitsFrom,
  specFrom,
  type TopologyOptions,
  wholeNumber,
} from '../options.ts';
import { note, writeJson, writeResult } from '../output.ts';
import { addSolverOptions, modelWriter, type SolverOptions } from '../solver-options.ts';

interface ParetoCommandOptions extends TopologyOptions, CollectiveOptions, SolverOptions, LongRunOptions {
  readonly chunksUpTo?: number;
  readonly seed: number;
  readonly output?: string;
  readonly json?: boolean;
}

/** `ccc pareto` finds all trade-offs between the fewest steps and the fewest rounds per chunk. */
export function registerPareto(program: Command): void {
  const command = program
    .command('pareto <collective>')
    .description('the frontier between the fewest steps and the fewest rounds per chunk, each point proved')
    .option('--chunks-up-to <n>', 'chunks per shard are looked at up to this', wholeNumber(1))
    .option('--seed <n>', 'for searches at random', wholeNumber(0), 0)
    .option('-o, --output <file.svg>', 'draws the frontier')
    .option('--json', 'prints the points as one JSON document');
  addLongRunOptions(addSolverOptions(addCollectiveOptions(addTopologyOptions(command)), false));
  addExamples(command, 'ccc pareto allgather --topo ring:4').action(run);
}

async function run(kindText: string, options: ParetoCommandOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText);
  if (options.output !== undefined && !options.output.endsWith('.svg')) {
    throw new CccError('usage', `-o writes a drawing: expected a file that ends in .svg, not '${options.output}'`);
  }
  const onLastModel = modelWriter(options);
  const [{ collectiveRequest }, { pareto }, show] = await Promise.all([
    import('../../session/collectives.ts'),
    import('../../session/pareto.ts'),
    import('../pareto/report.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const machine = await machineFrom(options, limits);
  const request = collectiveRequest(kind, machine, await specFrom(options));
  const { chunksUpTo, seed, solver } = options;
  const outcome = await interruptible({ ...options, onLastModel }, (watched) =>
    pareto(request, { chunksUpTo, seed, solver, limits, ...watched }),
  );
  if (!outcome.ok) throw outcome.error;
  const { frontier: result } = outcome;
  const title = oneLine(`${kind} on ${machine.name}`);
  if (options.output !== undefined) await writeResult([show.frontierSvg(result, title)], options.output);
  if (options.json === true) {
    writeJson({ ok: true, collective: kind, topology: machine.name, ...show.frontierDocument(result) });
  } else {
    await writeResult([show.frontierText(result, title)]);
  }
  if (!result.stoppedEarly) return;
  if (result.limit !== undefined) note(`ccc: ${result.limit}`);
  note('ccc: the search was ended; this is what had been found');
  process.exitCode = exitCodes.stopped;
}
