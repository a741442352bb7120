import type { Command } from 'commander';
import type { Dtype } from '../../ir/dtype.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { ranksOf } from '../../ir/topology.ts';
import { type Bytes, formatBytes, formatSeconds } from '../../ir/units.ts';
import type { BaselineRequest, Baselines } from '../../search/baselines.ts';
import { searching } from '../compile/limits.ts';
import {
  addCollectiveOptions,
  addDtypeOption,
  addExamples,
  addSizeOptions,
  addTopologyOptions,
  type CollectiveOptions,
  collectiveFrom,
  collectiveKindFrom,
  defaultSize,
  limitsFrom,
  type TopologyOptions,
} from '../options.ts';
import { writeJson, writeResult } from '../output.ts';
import { wrap } from '../show/text.ts';
import { displayLimits } from '../shown.ts';
import { widthOf } from '../terminal.ts';

interface BoundOptions extends TopologyOptions, CollectiveOptions {
  readonly size?: Bytes;
  readonly dtype: Dtype;
  readonly json?: boolean;
}

/** `ccc bound`: how fast any plan can be at best, and why. */
export function registerBound(program: Command): void {
  const command = program
    .command('bound <collective>')
    .description('proven lower bounds on the time of any plan, with their certificates')
    .option('--json', 'prints the bound and its certificates as one JSON document');
  addDtypeOption(addCollectiveOptions(addTopologyOptions(addSizeOptions(command))));
  addExamples(command, 'ccc bound alltoall --topo torus:4x4 --size 1MiB').action(run);
}

async function run(kindText: string, options: BoundOptions): Promise<void> {
  const kind = collectiveKindFrom(kindText, options);
  const [{ topologyFrom }, { lowerBound }] = await Promise.all([
    import('../machine.ts'),
    import('../../bounds/index.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const topology = await topologyFrom(options, limits);
  const collective = collectiveFrom(kind, ranksOf(topology), options);
  const size = options.size ?? defaultSize(collective, options.dtype);
  const bound = lowerBound(collective, topology, size);
  const baselines = await baselinesOf({ collective, topology, size, dtype: options.dtype, limits });
  if (options.json === true) {
    writeJson({ ok: true, collective: kind, topology: topology.name, size, ...bound, baselines });
    return;
  }
  const head = `certified bound: no ${kind} of ${formatBytes(size)} on ${oneLine(topology.name)} takes less than ${formatSeconds(bound.seconds)}`;
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

/** What NCCL's rings and trees make of the bound; undefined where it has none for the collective, or they take long to price. */
async function baselinesOf(request: BaselineRequest): Promise<Baselines | undefined> {
  const { kind, ranks, counts } = request.collective;
  if (ranks > searching.ranksToPrice || counts !== undefined) return undefined;
  const { baselinesFor, hasBaseline } = await import('../../search/baselines.ts');
  return hasBaseline(kind) ? baselinesFor(request) : undefined;
}
