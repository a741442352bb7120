/** Every reader of files, with texts that it reads: a reader that is not here makes test/read/readers.test.ts fail. */
import { readFileSync } from 'node:fs';
import { compileCompact } from '../../src/compact/compile.ts';
import { resolveSymmetricTopology } from '../../src/compact/machine/resolve.ts';
import { compactPlanText } from '../../src/compact/plan-json.ts';
import { planJson, searchDefaults, searchPlan, verifyText } from '../../src/index.ts';
import type { SourceText } from '../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { convert } from '../../src/jobs/convert.ts';
import { convertDump, type DumpKind, dumpKindOf, listShipped, resolveTopology } from '../../src/read/index.ts';
import { readMeasurements } from '../../src/read/measurements/index.ts';
import { readNcclGraphs } from '../../src/read/nccl-graph/index.ts';
import { describeTopology } from '../../src/read/topology/index.ts';
import { traceJson } from '../../src/run/index.ts';
import { parsePlan } from '../../src/session/load-plan.ts';
import { readMeasured } from '../../src/view/measured.ts';
import { readTuning } from '../../src/view/tuning.ts';
import { collectiveOf } from '../collectives.ts';
import { torus } from '../compact/machines.ts';
import { exchange, packetExchange, portAllgather, sourceOf } from '../mscclpp/check/plans.ts';
import { samples } from './machines/samples.ts';
import * as measured from './measurements/samples.ts';
import { algo, gpu, step, tb } from './msccl-text.ts';

/** Small, so that nothing that is read takes long. */
export const limits = {
  ...defaultLimits,
  ...{ operations: 3_000, rangeOperations: 10_000, chunks: 1_000, ranks: 64, evaluations: 50_000, slots: 50_000 },
};

/** One way into the program for files of a format. */
export interface Reader {
  readonly format: string;
  /** Functions of src, by file, that it goes through. */
  readonly through: readonly string[];
  /** Texts that it reads. */
  readonly texts: () => readonly string[];
  /** @throws CccError for what it does not read */
  readonly read: (source: SourceText) => unknown;
}

const verifying = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, limits } as const;
const verify = (source: SourceText) => verifyText(source, { ...verifying, ranks: undefined, bitwise: false });
const inRing = { ...searchDefaults, topology: resolveTopology('ring:3'), size: 1024 };
const ringPlan = () => searchPlan({ ...inRing, collective: collectiveOf('allgather', 3) }).bundle;

function shipped(kind: 'schedules' | 'topologies', names = listShipped(kind)): string[] {
  return names.map((name) => readFileSync(new URL(`../../${kind}/${name}.yaml`, import.meta.url), 'utf8'));
}

function compactText(): string {
  const request = {
    topology: torus([2, 2]),
    size: 4096,
    dtype: 'f32',
    bulks: 'auto',
    chunks: undefined,
    limits,
  } as const;
  return [...compactPlanText(compileCompact({ ...request, collective: collectiveOf('allgather', 4) }).bundle)].join('');
}

function mscclText(): string {
  const gpus = [0, 1].map((rank) =>
    gpu(rank, [1, 0, 1], tb(0, 1 - rank, -1, 0, step('s')), tb(1, -1, 1 - rank, 0, step('rrc', { dst: 'i0' }))),
  );
  return algo('allreduce', { chunks: 1, inPlace: true }, ...gpus);
}

/** An allgather of two ranks. */
const scclAlgorithm = JSON.stringify({
  msccl_type: 'algorithm',
  name: 'mine',
  instance: { msccl_type: 'instance', steps: 1, extra_rounds: 0, chunks: 1, pipeline: null },
  input_map: {},
  output_map: {},
  steps: [
    {
      msccl_type: 'step',
      rounds: 1,
      sends: [
        [0, 0, 1],
        [1, 1, 0],
      ],
    },
  ],
  collective: {
    ...{ msccl_type: 'collective', name: 'c', nodes: 2, triggers: {}, runtime_name: 'c' },
    chunks: [0, 1].map((rank) => ({ pre: [rank], post: [0, 1], addr: rank })),
  },
  topology: { msccl_type: 'topology', name: 't', switches: [], links: [[0]] },
});

const graphs = `<graphs version="1">
<graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="20" speedinter="20">
<channel><net dev="0"/><gpu dev="0" rank="0"/><gpu dev="1" rank="1"/><net dev="1"/></channel>
</graph>
<graph id="1" pattern="2" crossnic="0" nchannels="1" speedintra="20" speedinter="20">
<channel><gpu dev="1" rank="1"/><gpu dev="0" rank="0"/></channel>
</graph>
</graphs>
`;

const tuning = JSON.stringify({
  ok: true,
  collective: 'allgather',
  topology: 'ring:3',
  plans: [{ name: 'a', algorithm: 'ring' }],
  ranges: [{ from: 0, to: 1024, plan: 0 }],
  sizes: [{ size: 1024, bound: 1e-6 }],
  algorithms: [{ algorithm: 'ring', seconds: [1e-6] }],
});

function traceOf(plan: Plan): string {
  const times = Float64Array.from({ length: 2 * plan.ops.kind.length * plan.bulks }, (_, instant) => instant * 1e-6);
  return [...traceJson(plan, times)].join('');
}

async function machineOf(source: SourceText, kind: DumpKind): Promise<void> {
  const written = await convertDump(source, kind, kind === 'smi' ? { gpu: 'h100', limits } : { limits });
  resolveTopology('./machine.yaml', { limits, read: () => written });
}

/** Those of machines are told apart as `--topo` does. */
function dumps(kind: DumpKind, reader: string): Reader {
  const texts = () =>
    Object.entries(samples).flatMap(([name, text]) => (dumpKindOf({ name, text }) === kind ? [text] : []));
  return {
    format: kind,
    through: ['src/read/machines/index.ts: convertDump', reader],
    texts,
    read: (source) => {
      const found = dumpKindOf(source, true);
      return found === undefined ? undefined : machineOf(source, found);
    },
  };
}

function times(format: string, reader: string, ...texts: readonly string[]): Reader {
  const through = ['src/read/measurements/index.ts: readMeasurements', `src/read/measurements/${reader}`];
  return { format, through, texts: () => texts, read: readMeasurements };
}

const yaml = ['src/read/kept-yaml.ts: readYaml', 'src/read/yaml.ts: parseYaml'];
const xml = ['src/read/xml.ts: readXml', 'src/read/xml.ts: readXmlTree'];

export const readers: readonly Reader[] = [
  {
    format: 'topology YAML',
    through: ['src/read/topology/file.ts: parseTopology', 'src/read/topology/file.ts: openTopology', ...yaml],
    texts: () => shipped('topologies'),
    read: (source) => resolveTopology('./machine.yaml', { limits, read: () => source }),
  },
  {
    format: 'topology YAML, its description',
    through: ['src/read/topology/file.ts: describeTopology'],
    texts: () => shipped('topologies'),
    read: (source) => describeTopology(source, limits),
  },
  {
    format: 'topology YAML, from one chip',
    through: ['src/compact/machine/read.ts: parseSymmetricTopology'],
    texts: () => shipped('topologies', ['ring', 'torus']),
    read: (source) => resolveSymmetricTopology('./machine.yaml', { limits, read: () => source }),
  },
  {
    format: 'schedule YAML',
    through: ['src/read/schedule/file.ts: parseScheduleFile'],
    texts: () => shipped('schedules'),
    read: (source) => verifyText(source, { ...verifying, ranks: { first: 3, last: 4 }, bitwise: false }),
  },
  {
    format: 'plan JSON',
    through: [
      ...['src/read/plan/read-plan.ts: readPlan', 'src/read/plan/read-plan.ts: readAnyPlan'],
      'src/session/load-plan.ts: parsePlan',
    ],
    texts: () => [planJson(ringPlan())],
    read: (source) =>
      convert(source, verifying)
        .then(() => parsePlan(source))
        .then(() => verify(source)),
  },
  { format: 'compact plan JSON', through: [], texts: () => [compactText()], read: verify },
  {
    format: 'MSCCL XML',
    through: [
      'src/read/msccl/read-msccl.ts: readMsccl',
      'src/read/msccl/algorithm-reader.ts: readMscclAlgorithm',
      ...xml,
    ],
    texts: () => [mscclText()],
    read: verify,
  },
  {
    format: 'MSCCL++ plan JSON',
    through: ['src/mscclpp/read/read-mscclpp.ts: readMscclpp'],
    texts: () => [exchange, packetExchange, portAllgather].map((plan) => sourceOf(plan()).text),
    read: verify,
  },
  {
    format: 'SCCL algorithm JSON',
    through: ['src/read/sccl/read-sccl.ts: readSccl', 'src/read/sccl/algorithm.ts: readScclAlgorithm'],
    texts: () => [scclAlgorithm],
    read: verify,
  },
  {
    format: 'NCCL graphs XML',
    through: ['src/read/nccl-graph/index.ts: readNcclGraphs'],
    texts: () => [graphs],
    read: readNcclGraphs,
  },
  dumps('nccl', 'src/read/machines/nccl-topology.ts: readNcclTopology'),
  dumps('smi', 'src/read/machines/nvidia-smi.ts: readSmiTable'),
  dumps('astra', 'src/read/machines/astra-sim.ts: readAstraNetwork'),
  dumps('sccl', 'src/read/machines/sccl.ts: readScclTopology'),
  times('logs of nccl-tests', 'nccl-tests.ts: readNcclLog', measured.ncclLog, measured.rcclLog),
  times('tables of OSU', 'osu.ts: readOsuTable', measured.osuTable, measured.osuFullTable),
  times('tables of IMB', 'imb.ts: readImbTable', measured.imbTable),
  times('JSON of nccl-tests', 'nccl-tests-files.ts: readNcclTestsDocument', measured.ncclTestsDocument),
  times('CSV of rccl-tests', 'nccl-tests-files.ts: readRcclTestsCsv', measured.rcclTestsCsv),
  times(
    'JSON of rccl-tests',
    'nccl-tests-files.ts: readRcclTestsJson',
    measured.rcclTestsLines,
    measured.rcclTestsList,
  ),
  times('CSV', 'csv.ts: readCsv', measured.csv),
  times('ccc run --json', 'ccc-run.ts: readRunDocument', measured.runDocument, measured.runSizesDocument),
  {
    format: 'traces of runs',
    through: ['src/view/measured.ts: readMeasured', 'src/ir/parse-json.ts: parseJson'],
    texts: () => [traceOf(ringPlan().proved.plan)],
    read: (source) => readMeasured(source, ringPlan().proved.plan),
  },
  { format: 'tuning JSON', through: ['src/view/tuning.ts: readTuning'], texts: () => [tuning], read: readTuning },
];
