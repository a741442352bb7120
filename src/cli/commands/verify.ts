import { type Command, Option } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import type { VerifyRequest } from '../../jobs/verify-file.ts';
import { checkOptionsApply, sourceOf } from '../../session/source.ts';
import { ownerships } from '../../verify/ownership.ts';
import { exitCodes } from '../failure.ts';
import {
  addCollectiveOptions,
  addExamples,
  addTopologyOptions,
  bytes,
  checkTopologyIsGiven,
  limitsFrom,
  milliseconds,
  oneOf,
  rankRange,
  wholeNumber,
} from '../options.ts';
import { note, writeJson, writeText } from '../output.ts';
import type { VerifyCommandOptions } from '../verify/verified.ts';

/** `ccc verify` prints a proof, or the exact place of the mistake and a counterexample. */
export function registerVerify(program: Command): void {
  const command = program
    .command('verify [file]')
    .description(
      'proves a schedule (YAML), plan (JSON), MSCCL algorithm (XML) or MSCCL++ plan (JSON), or shows what is wrong; - is standard input',
    )
    .option('--all', 'verifies all schedules that come with ccc, over the range')
    .option('--ranks <a..b>', 'for a schedule: the numbers of ranks to verify it for', rankRange)
    .option('--chunks <n>', 'chunks per shard', wholeNumber(1))
    .option('--size <bytes>', 'message size M for the simulated time (default: what the plan says)', bytes)
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
  command.option('--time-limit <duration>', 'gives up after that long', milliseconds);
  addCollectiveOptions(addTopologyOptions(command));
  addExamples(
    command,
    'ccc verify ring-allreduce --ranks 2..16',
    'ccc compile allgather --topo ring:4 | ccc verify -',
  ).action(run);
}

async function run(path: string | undefined, options: VerifyCommandOptions): Promise<void> {
  if ((path === undefined) !== (options.all === true)) throw new CccError('usage', 'expected one file, or --all');
  if (options.timeLimit !== undefined) {
    const { exitCodeWithin } = await import('../verify/within-time.ts');
    process.exitCode = await exitCodeWithin(options.timeLimit);
    return;
  }
  const limits = limitsFrom(options.limit);
  checkMachine(options);
  if (path === undefined) {
    const { requestFrom } = await import('../verify/verified.ts');
    return runAll(await requestFrom(options, limits), options.json === true);
  }
  const source = await sourceOf(path, limits);
  checkOptionsApply(source, options);
  const report = await import('../verify/report.ts');
  try {
    const { verified } = await import('../verify/verified.ts');
    const { report: result, topology } = await verified(source, options, limits);
    if (!report.isCorrect(result)) process.exitCode = exitCodes.failed;
    else if (report.isUnfinished(result)) process.exitCode = exitCodes.stopped;
    if (options.json === true) writeJson(report.verifyDocument(result));
    else writeText(report.verifyReport(result));
    for (const remark of report.remarks(result, topology)) note(remark);
  } catch (error) {
    // A text that is no plan gets the verdict of the first check, "malformed".
    if (!(error instanceof CccError) || error.code !== 'malformed') throw error;
    process.exitCode = exitCodes.failed;
    if (options.json === true) writeJson(report.malformedDocument(error));
    else writeText(report.malformedText(error));
  }
}

/** Runs `ccc verify --all`. */
async function runAll(request: VerifyRequest, json: boolean): Promise<void> {
  const [{ verifyShipped }, { progressBar }, { allCorrect, shippedDocument, shippedText, someUnfinished }] =
    await Promise.all([
      import('../../session/verify/range.ts'),
      import('../verify/report.ts'),
      import('../verify/shipped-report.ts'),
    ]);
  const progress = await progressBar();
  const shipped = await verifyShipped(request, progress.update).finally(progress.stop);
  if (!allCorrect(shipped)) process.exitCode = exitCodes.failed;
  else if (someUnfinished(shipped)) process.exitCode = exitCodes.stopped;
  if (json) writeJson(shippedDocument(shipped));
  else writeText(shippedText(shipped));
}

/** Checks the options about the machine. @throws CccError 'usage' before anything is read */
function checkMachine(options: VerifyCommandOptions): void {
  checkTopologyIsGiven(options);
  if (options.topo !== undefined && options.ranks !== undefined) {
    throw new CccError('usage', 'give --topo or --ranks, not both: a topology has its own number of ranks');
  }
}
