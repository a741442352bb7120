import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import { parseBytesPerSecond, parseSeconds } from '../../ir/units.ts';
import type { CalibrationInput } from '../../session/calibrate-job.ts';
import { exitCodes } from '../failure.ts';
import { interruptible } from '../jobs/interruptible.ts';
import { progressLine } from '../jobs/progress.ts';
import {
  addExamples,
  addLongRunOptions,
  assignment,
  type LongRunOptions,
  limitsFrom,
  wholeNumber,
} from '../options.ts';
import { checkTarget, note, writeJson, writeResult } from '../output.ts';

interface CalibrateOptions extends LongRunOptions {
  readonly topo?: string;
  readonly gpu?: string;
  readonly boxes?: number;
  readonly probe?: boolean;
  readonly ranks: number;
  readonly plan?: string;
  readonly algorithm?: string;
  readonly protocol?: string;
  readonly fit?: readonly string[];
  readonly fix?: readonly (readonly [string, number])[];
  readonly holdOut: number;
  readonly seed: number;
  readonly date?: string;
  readonly unverified?: boolean;
  readonly output?: string;
  readonly picture?: string;
  readonly json?: boolean;
  readonly limit?: Readonly<Record<string, number>>;
}

/** `ccc calibrate` fits the parameters of a machine to measured times. */
export function registerCalibrate(program: Command): void {
  const command = program
    .command('calibrate [data...]')
    .description("finds a machine's numbers from measured times")
    .option('--topo <topology>', 'the machine: a shipped topology, a YAML file or a dump of another tool')
    .option('--gpu <name>', 'for nvidia-smi: a row of hardware/interconnects.yaml')
    .option('--boxes <n>', 'for dumps of one host: so many of them on a switch', wholeNumber(1))
    .option('--probe', 'measures by itself, under MPI on this machine')
    .option('--ranks <n>', 'processes of --probe', wholeNumber(2), 2)
    .option('--plan <file>', 'what ran, for logs and tables that do not say it: MSCCL XML, plan JSON or schedule')
    .option('--algorithm <name>', 'the same, an algorithm of `ccc list schedules`')
    .option('--protocol <name>', "the protocol of times that do not say theirs (default: the algorithm's own)")
    .option('--fit <names>', 'fits these parameters only, such as launch,link1.latency', names)
    .option('--fix <name=value>', 'keeps a parameter, such as LL.launch=3.3us; may be repeated', fixed)
    .option('--hold-out <k>', 'leaves k configurations out and judges by them', wholeNumber(0), 0)
    .option('--seed <n>', 'which ones', wholeNumber(0), 0)
    .addOption(
      new Option('--date <day>', "when it was measured, such as 2024-04-03 (default: the data's)").argParser(day),
    )
    .option('--unverified', 'takes times of plans that do not verify as well')
    .option('-o, --output <file>', 'writes the topology with the numbers that were found')
    .option('--picture <file>', 'writes predicted against measured times as SVG')
    .option('--json', 'prints the result as one JSON document')
    .option('--limit <name=value>', 'raises a limit', assignment);
  addExamples(
    addLongRunOptions(command),
    'ccc convert ring-allreduce --ranks 4 -o ring.json',
    'ccc run ring.json --sizes 64KiB..1MiB --json | ccc calibrate - --topo ring:4 --plan ring.json --fit launch,bandwidth',
  ).action(run);
}

function names(text: string): readonly string[] {
  const list = text.split(',').map((name) => name.trim());
  if (list.includes('')) throw new InvalidArgumentError('expected names such as launch,link1.latency');
  return list;
}

function fixed(
  text: string,
  before: readonly (readonly [string, number])[] = [],
): readonly (readonly [string, number])[] {
  const match = /^\s*([\w.]+)\s*=\s*(.+?)\s*$/.exec(text);
  const isRate = /bandwidth$|connection$/.test(match?.[1] ?? '');
  const read = isRate ? parseBytesPerSecond(match?.[2] ?? '') : parseSeconds(match?.[2] ?? '');
  if (match === null) throw new InvalidArgumentError('expected name=value, such as launch=9.8us');
  if (!('value' in read)) throw new InvalidArgumentError(`expected ${read.expected}`);
  if (!(read.value > 0)) throw new InvalidArgumentError('expected a value of more than 0');
  return [...before, [match[1], read.value]];
}

function day(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  throw new InvalidArgumentError('expected a day such as 2024-04-03');
}

async function run(paths: readonly string[], options: CalibrateOptions): Promise<void> {
  checkTarget(options.output);
  checkTarget(options.picture);
  const given = options.probe === true ? await probed(paths, options) : await read(paths, options);
  const { protocol, unverified, fit, fix, holdOut, seed, date, output, picture } = options;
  const asked = { plan: given.plan, protocol, unverified, fit, fix, holdOut, seed, date };
  const { calibrate } = await import('../../session/calibrate.ts');
  try {
    const limits = limitsFrom(options.limit);
    const outcome = await interruptible(options, (watched) => calibrate(given.input, { ...asked, limits, ...watched }));
    if (!outcome.ok) throw outcome.error;
    const { machine } = outcome;
    if (output !== undefined) await writeResult([machine.file], output);
    if (picture !== undefined) {
      const { scatterPicture } = await import('../calibrate/picture.ts');
      await writeResult([scatterPicture(machine.unseen ?? machine.own, machine.about)], picture);
    }
    const { calibrationDocument, calibrationText } = await import('../calibrate/report.ts');
    if (options.json === true) writeJson(calibrationDocument(machine));
    else await writeResult([calibrationText(machine, process.stdout.columns)]);
    if (!machine.stoppedEarly) return;
    note('ccc: the search was ended; these are the best numbers so far');
    process.exitCode = exitCodes.stopped;
  } finally {
    given.forget();
  }
}

/** The machine to calibrate, and the measurements. */
interface Given {
  readonly input: CalibrationInput;
  readonly plan: string | undefined;
  /** Removes the temporary files of a probe. */
  forget(): void;
}

async function read(paths: readonly string[], options: CalibrateOptions): Promise<Given> {
  const { topo, algorithm } = options;
  if (topo === undefined) throw new CccError('usage', 'say which machine it was: --topo NAME or a file');
  if (paths.length === 0) {
    const formats = 'CSV, logs of nccl-tests or rccl-tests, OSU, IMB, ccc run --json';
    throw new CccError('usage', `give files of measured times: ${formats}`);
  }
  if (options.plan !== undefined && algorithm !== undefined) {
    throw new CccError('usage', 'either --plan or --algorithm says what ran, not both');
  }
  const [{ machineSource }, { listShipped, nearestNames, readSource }] = await Promise.all([
    import('../../session/machine/edited-machine.ts'),
    import('../../read/index.ts'),
  ]);
  const shipped = listShipped('schedules');
  if (algorithm !== undefined && !shipped.includes(algorithm)) {
    throw new CccError('unknown-name', `there is no algorithm '${algorithm}'; ${nearestNames(algorithm, shipped)}`);
  }
  const limits = limitsFrom(options.limit);
  const machine = await machineSource(topo, options, limits);
  const files = paths.map((path) => readSource(path, limits));
  return { input: { topo, machine, files }, plan: options.plan ?? algorithm, forget: () => {} };
}

/** Measures probes on this machine. `--topo` gives the machine with which the fit starts. */
async function probed(paths: readonly string[], options: CalibrateOptions): Promise<Given> {
  const { ranks, progress } = options;
  if (paths.length > 0) throw new CccError('usage', '--probe measures by itself: it takes no files');
  const [{ probe }, { machineSource }] = await Promise.all([
    import('../calibrate/probe.ts'),
    import('../../session/machine/edited-machine.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const { topo = './probed.yaml' } = options;
  const given = options.topo === undefined ? undefined : await machineSource(topo, options, limits);
  const folder = mkdtempSync(join(tmpdir(), 'ccc-probe-'));
  const forget = (): void => rmSync(folder, { recursive: true, force: true });
  const line = progressLine(progress === true);
  try {
    const { times, machine } = await probe(folder, ranks, limits, line.show);
    const input = { topo, machine: options.topo === undefined ? machine : given, files: [times] };
    return { input, plan: undefined, forget };
  } catch (error) {
    forget();
    throw error;
  } finally {
    line.clear();
  }
}
