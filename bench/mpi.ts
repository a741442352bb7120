/**
 * `npx tsx bench/mpi.ts [--launches 5] [--topo full:4] [--json] [collective …]`: plans under mpirun beside MPI's own collective in place, turn by turn
 * in one run. The ratio of a launch is that of the minima; given is the median over launches, since launches differ by where the
 * system puts processes and memory.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { driverText } from '../src/cli/mpi/driver-text.ts';
import { callsPerSample, readResults } from '../src/cli/mpi/index.ts';
import { compileMpi, runMpi } from '../src/cli/mpi/launch.ts';
import { mpiC } from '../src/emit/mpi/index.ts';
import { searchDefaults, searchPlan } from '../src/index.ts';
import { type CollectiveKind, collectiveFacts, collectiveKinds } from '../src/ir/collective.ts';
import { type Bytes, formatBytes, formatSeconds } from '../src/ir/units.ts';
import { owningStrictly } from '../src/jobs/owning-strictly.ts';
import { resolveTopology } from '../src/read/index.ts';

/** Sizes M with the samples of each launch, and the ratio to reach. */
const sizes: readonly (readonly [Bytes, number])[] = [
  [2 ** 10, 100],
  [2 ** 20, 60],
  [2 ** 26, 8],
];
const targets: Partial<Readonly<Record<CollectiveKind, number>>> = { allgather: 1, allreduce: 1.1 };

interface Row {
  readonly kind: CollectiveKind;
  readonly size: Bytes;
  readonly plan: string;
  readonly ratio: number;
  readonly ratios: readonly number[];
  readonly target: number | undefined;
  readonly seconds: number;
  readonly mpiSeconds: number;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

async function measure(
  kind: CollectiveKind,
  size: Bytes,
  samples: number,
  launches: number,
  topo: string,
): Promise<Row> {
  const topology = resolveTopology(topo);
  const ranks = topology.chips.length;
  const collective = { kind, ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: true } as const;
  const { bundle } = searchPlan({ ...searchDefaults, collective, topology, size });
  const strict = owningStrictly(bundle, mpiC.name);
  const folder = mkdtempSync(join(tmpdir(), 'ccc-bench-mpi-'));
  try {
    const files = [join(folder, 'plan.c'), join(folder, 'main.c')];
    writeFileSync(files[0], [...(await mpiC.emit(strict))].join(''));
    writeFileSync(files[1], driverText(strict.proved.plan.collective, 'f32'));
    const program = join(folder, 'program');
    await compileMpi(files, program);
    const elements = size / 4 / (collectiveFacts[kind].sharded ? ranks : 1);
    const args = [elements, samples, callsPerSample(size)].map(String);
    const results = [];
    for (let launch = 0; launch < launches; launch++) {
      const { output, errors } = await runMpi(program, args, { processes: ranks, limit: 300 });
      const [result] = readResults(output, errors);
      if (result.wrong > 0) throw new Error(`${kind}: ${result.wrong} elements are wrong`);
      results.push(result);
    }
    const ratios = results.map(({ seconds, mpiSeconds }) => seconds / mpiSeconds);
    return {
      kind,
      size,
      plan: strict.proved.plan.name,
      ratio: median(ratios),
      ratios,
      target: targets[kind],
      seconds: median(results.map(({ seconds }) => seconds)),
      mpiSeconds: median(results.map(({ mpiSeconds }) => mpiSeconds)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    launches: { type: 'string', default: '5' },
    topo: { type: 'string', default: 'full:4' },
    json: { type: 'boolean', default: false },
  },
});
const wanted = collectiveKinds.filter((kind) =>
  positionals.length === 0 ? targets[kind] !== undefined : positionals.includes(kind),
);
const rows: Row[] = [];
for (const kind of wanted) {
  for (const [size, samples] of sizes) {
    const row = await measure(kind, size, samples, Number(values.launches), values.topo);
    rows.push(row);
    if (values.json) continue;
    const spread = row.ratios.map((ratio) => ratio.toFixed(2)).join(' ');
    const goal = row.target === undefined ? '' : `  target ${row.target.toFixed(1)}`;
    const times = `${formatSeconds(row.seconds)} against ${formatSeconds(row.mpiSeconds)}`;
    console.log(
      `${kind.padEnd(14)}${formatBytes(size).padStart(8)}  ${row.ratio.toFixed(3)}${goal}  ${times}  ${row.plan}  [${spread}]`,
    );
  }
}
if (values.json) console.log(JSON.stringify(rows, null, 2));
