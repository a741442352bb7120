import { type Command, Option } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import { type Ownership, ownerships } from '../../verify/ownership.ts';
import { exitCodes } from '../failure.ts';
import {
  addCollectiveOptions,
  addTopologyOptions,
  type CollectiveOptions,
  limitsFrom,
  oneOf,
  rankRange,
  type TopologyOptions,
  wholeNumber,
} from '../options.ts';
import { note, writeJson, writeResult } from '../output.ts';

interface VerifyOptions extends TopologyOptions, CollectiveOptions {
  readonly ranks?: { readonly first: number; readonly last: number };
  readonly chunks?: number;
  readonly inflight?: number;
  readonly bitwise?: boolean;
  readonly ownership: Ownership;
  readonly json?: boolean;
}

/** `ccc verify`: a proof, or the exact line and the exact counterexample. */
export function registerVerify(program: Command): void {
  const command = program
    .command('verify <file>')
    .description('proves a schedule (YAML) or a plan (JSON), or shows what is wrong; - reads standard input')
    .option('--ranks <a..b>', 'for a schedule: the numbers of ranks to verify it for', rankRange)
    .option('--chunks <n>', 'chunks per shard', wholeNumber(1))
    .option('--inflight <n>', 'transfers a connection buffers; 0 = rendezvous', wholeNumber(0))
    .option('--bitwise', 'different reduction orders on different ranks are an error')
    .addOption(
      new Option(
        `--ownership <${ownerships.join('|')}>`,
        'strict: buffers belong to an operation from posting to completion (MPI)',
      )
        .default('event')
        .argParser(oneOf(ownerships, 'kind of ownership')),
    )
    .option('--json', 'prints the verdict and findings as one JSON document');
  addCollectiveOptions(addTopologyOptions(command));
  command.action(run);
}

async function run(path: string, options: VerifyOptions): Promise<void> {
  const [{ readSource }, { topologyFrom }, { verifyText }, report] = await Promise.all([
    import('../../read/index.ts'),
    import('../machine.ts'),
    import('../../verify-file.ts'),
    import('../verify-report.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const topology = options.topo === undefined ? undefined : topologyFrom(options, limits);
  if (topology !== undefined && options.ranks !== undefined) {
    throw new CccError('usage', 'give --topo or --ranks, not both: a topology has its own number of ranks');
  }
  const progress = await report.progressBar();
  const {
    root,
    op,
    ordered = false,
    inPlace = false,
    bitwise = false,
    set = {},
    ranks,
    chunks,
    inflight,
    ownership,
  } = options;
  const result = verifyText(readSource(path, limits), {
    ...{ topology, ranks, chunks, root, op, ordered, inPlace, parameters: set, inflight, bitwise, ownership, limits },
    onProgress: progress.update,
  });
  progress.stop();
  if (options.json === true) writeJson(report.verifyDocument(result));
  else await writeResult([report.verifyText(result)], undefined);
  for (const remark of report.remarks(result, topology)) note(remark);
  if (result.verdicts.some(({ verification }) => verification.verdict !== 'correct'))
    process.exitCode = exitCodes.failed;
}
