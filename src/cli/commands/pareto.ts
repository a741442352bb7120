import type { Command } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import { ranksOf } from '../../ir/topology.ts';
import { exitCodes } from '../failure.ts';
import {
  addCollectiveOptions,
  addTopologyOptions,
  type CollectiveOptions,
  collectiveFrom,
  collectiveKindFrom,
  limitsFrom,
  milliseconds,
  type TopologyOptions,
  wholeNumber,
} from '../options.ts';
import { note, writeJson, writeResult } from '../output.ts';
import { addSolverOptions, type SolverOptions, solverFrom } from '../solver-options.ts';

interface ParetoOptions extends TopologyOptions, CollectiveOptions, SolverOptions {
  readonly chunksUpTo?: number;
  readonly seed: number;
  readonly timeLimit?: number;
  readonly output?: string;
  readonly json?: boolean;
}

/** `ccc pareto`: all that can be had between the fewest steps and the fewest rounds per chunk. */
export function registerPareto(program: Command): void {
  const command = program
    .command('pareto <collective>')
    .description('the frontier between the fewest steps and the fewest rounds per chunk, each point proved')
    .option('--chunks-up-to <n>', 'chunks per shard are looked at up to this', wholeNumber(1))
    .option('--seed <n>', 'for searches at random', wholeNumber(0), 0)
    .option('--time-limit <duration>', 'ends the search after that long, with what it has found', milliseconds)
    .option('-o, --output <file.svg>', 'draws the frontier')
    .option('--json', 'prints the points as one JSON document');
  addSolverOptions(addCollectiveOptions(addTopologyOptions(command))).action(run);
}

async function run(kindText: string, options: ParetoOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText);
  if (options.output !== undefined && !options.output.endsWith('.svg')) {
    throw new CccError('usage', `-o writes a drawing: expected a file that ends in .svg, not ${options.output}`);
  }
  const [{ topologyFrom }, { pareto }, show] = await Promise.all([
    import('../machine.ts'),
    import('../../pareto.ts'),
    import('../pareto-report.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const topology = topologyFrom(options, limits);
  const collective = collectiveFrom(kind, ranksOf(topology), options);
  const { chunksUpTo, seed, timeLimit } = options;
  const end = timeLimit === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeLimit;
  const shouldStop = () => performance.now() > end;
  const { solver, onModel, writeModel } = await solverFrom(options);
  const result = pareto({ collective, topology, chunksUpTo, seed, limits, shouldStop, solver, onModel });
  await writeModel();
  const title = `${kind} on ${topology.name}`;
  if (options.output !== undefined) await writeResult([show.frontierSvg(result, title)], options.output);
  if (options.json === true) {
    writeJson({ ok: true, collective: kind, topology: topology.name, ...show.frontierDocument(result) });
  } else {
    await writeResult([show.frontierText(result, title)]);
  }
  if (!result.stoppedEarly) return;
  note('ccc: the time was up; what is shown is what had been found');
  process.exitCode = exitCodes.stopped;
}
