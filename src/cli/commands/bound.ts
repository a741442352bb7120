import type { Command } from 'commander';
import type { Dtype } from '../../ir/dtype.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { type Bytes, formatBytes, formatSeconds } from '../../ir/units.ts';
import { machineFrom } from '../machine.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addExamples,
  addSizeOptions,
  addTopologyOptions,
  type CollectiveOptions,
  collectiveKindFrom,
  limitsFrom,
  specFrom,
  type TopologyOptions,
} from '../options.ts';
import { writeJson, writeResult } from '../output.ts';
import { wrap } from '../show/text.ts';
import { displayLimits } from '../shown.ts';
import { widthOf } from '../terminal.ts';

interface BoundCommandOptions extends TopologyOptions, CollectiveOptions {
  readonly size?: Bytes;
  readonly dtype: Dtype;
  readonly json?: boolean;
}

/** `ccc bound` proves how fast any plan can be at best, and explains why. */
export function registerBound(program: Command): void {
  const command = program
    .command('bound <collective>')
    .description('proven lower bounds on the time of any plan, with their certificates')
    .option('--json', 'prints the bound and its certificates as one JSON document');
  addDtypeOption(addCollectiveOptions(addTopologyOptions(addSizeOptions(command))));
  addExamples(command, 'ccc bound alltoall --topo torus:4x4 --size 1MiB').action(run);
}

async function run(kindText: string, options: BoundCommandOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText, options);
  const [{ bound: boundOf }, { collectiveRequest }] = await Promise.all([
    import('../../session/bound.ts'),
    import('../../session/collectives.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const request = collectiveRequest(kind, await machineFrom(options, limits), await specFrom(options));
  const { machine, size } = request;
  const { baselines, certificate: _, ...bound } = await boundOf(request, { limits });
  if (options.json === true) {
    writeJson({ ok: true, collective: kind, topology: machine.name, size, ...bound, baselines });
    return;
  }
  const head = `certified bound: no ${kind} of ${formatBytes(size)} on ${oneLine(machine.name)} takes less than ${formatSeconds(bound.seconds)}`;
  const reasons = bound.certificates.flatMap(({ seconds, kind: of, reason }) =>
    wrap(
      `  ${formatSeconds(seconds).padStart(10)}  `,
      `${of}: ${reason}`.split(' '),
      widthOf(process.stdout) ?? displayLimits.width,
    ),
  );
  await writeResult([head, ...reasons].map((line) => `${line}\n`));
  if (baselines === undefined) return;
  const { baselinesText } = await import('../compile/baselines-report.ts');
  await writeResult([`\n${baselinesText(baselines, undefined, process.stdout.columns)}`]);
}
