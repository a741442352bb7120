/** What is requested of ccc on Node and in a browser: the answers, all of them text, have to be the same. */
import type * as Api from '../../src/api.ts';
import type {
  Certificate,
  CollectiveKind,
  CompileRequest,
  CompileResult,
  Topology,
  VerifyRequest,
} from '../../src/api.ts';

/** Two pairs of chips, each pair on a switch of its own: a machine that is not shipped. */
const ownMachine = `format: ccc-topology
version: 1
name: two-pairs
chips: 4
switches: 2
link: { latency: 2 us, bandwidth: 25 GB/s }
links:
  - { duplex: 0 <-> switch 0 }
  - { duplex: 1 <-> switch 0 }
  - { duplex: 2 <-> switch 1 }
  - { duplex: 3 <-> switch 1 }
  - { duplex: switch 0 <-> switch 1, bandwidth: 40 GB/s }
`;

/** A ring allgather whose ranks pass on a shard that they have not received yet. */
const wrongSchedule = `format: ccc-schedule
version: 1
name: wrong-ring
collective: allgather
steps:
  - for: s in 1 .. N-1
    step:
      - for: r in ranks
        copy: r -> (r + 1) % N
        what: shard (r - s) % N
`;

interface PlanRequest {
  readonly machine: string;
  readonly kind: CollectiveKind;
  readonly size: number;
  readonly root?: number;
  readonly counts?: readonly number[];
  /** Schedules in rounds are tried with this solver after the search. */
  readonly inRounds?: boolean;
  readonly algorithm?: string;
}

const planRequests: readonly PlanRequest[] = [
  { machine: 'sg2260x4', kind: 'allgather', size: 64 * 2 ** 20 },
  { machine: 'sg2260x4-ddr', kind: 'gather', size: 2 ** 20, root: 1 },
  { machine: 'dgx1', kind: 'broadcast', size: 2 ** 16, root: 3, inRounds: true },
  { machine: 'dgx1', kind: 'allgather', size: 2 ** 22, algorithm: 'ring-allgather' },
  { machine: 'h100:2', kind: 'allreduce', size: 2 ** 16 },
  { machine: 'own', kind: 'reducescatter', size: 2 ** 20 },
  { machine: 'own', kind: 'alltoall', size: 2 ** 18 },
  { machine: 'torus:2x3', kind: 'reduce', size: 2 ** 20, root: 4 },
  { machine: 'ring:5', kind: 'allgather', size: 15 * 2 ** 10, counts: [1, 2, 3, 4, 5].map((share) => share * 1024) },
  { machine: 'hypercube:2', kind: 'scan', size: 4096 },
  { machine: 'ring:6', kind: 'barrier', size: 4 },
];

/** What was answered, by what was requested. */
export type Answers = Readonly<Record<string, string>>;

/** Makes all requests of an implementation of the API. */
export async function answersOf(ccc: typeof Api): Promise<Answers> {
  const answers: Record<string, string> = {};
  for (const request of planRequests) {
    for (const [what, answer] of Object.entries(await planAnswers(ccc, request))) {
      answers[`${request.kind} on ${request.machine}: ${what}`] = answer;
    }
  }
  const wrong = await ccc.verifyText({ name: 'wrong.yaml', text: wrongSchedule }, { ...asPlain(ccc), ranks: range(4) });
  return { ...answers, 'a wrong schedule': JSON.stringify(wrong.verdicts.map(({ verification }) => verification)) };
}

async function planAnswers(ccc: typeof Api, request: PlanRequest): Promise<Answers> {
  const topology = machineNamed(ccc, request.machine);
  const { bundle } = await compiled(ccc, request, topology);
  const { collective } = bundle.proved.plan;
  const plan = ccc.planJson(bundle);
  const bound = ccc.lowerBound(collective, topology, request.size);
  const isProved = (certificate: Certificate) => ccc.checkCertificate(certificate, collective, topology, request.size);
  const { verdicts } = await ccc.verifyText({ name: 'plan.json', text: plan }, { ...asPlain(ccc), topology });
  return {
    plan,
    time: String(ccc.simulate(bundle.proved.plan, ccc.Routes.of(topology), request.size).seconds),
    bound: JSON.stringify(bound),
    certificates: bound.certificates.map(isProved).join(),
    verdict: verdicts.map(({ verification }) => verification.verdict).join(),
    page: await ccc.planPage(bundle),
  };
}

/** A plan from the search; where the request says so, improved by schedules in rounds, which linear programs find. */
async function compiled(ccc: typeof Api, request: PlanRequest, topology: Topology): Promise<CompileResult> {
  const { kind, size, root = 0, counts, algorithm, inRounds = false } = request;
  const ranks = topology.chips.length;
  const wanted: CompileRequest = {
    ...ccc.searchDefaults,
    collective: {
      ...{ kind, ranks, chunks: 1, root, op: 'sum', ordered: false, inPlace: false },
      ...(counts === undefined ? {} : { counts }),
    },
    topology,
    size,
    effort: 'quick',
    ...(algorithm === undefined ? {} : { engine: 'library', algorithm }),
  };
  const found = ccc.searchPlan(wanted);
  if (!inRounds) return found;
  if (!ccc.mayGainInRounds(found, wanted)) throw new Error('no solver is loaded: the request shows nothing of it');
  return ccc.withRounds(found, wanted, await ccc.loadSolver('auto'));
}

function machineNamed(ccc: typeof Api, name: string): Topology {
  if (name !== 'own') return ccc.resolveTopology(name);
  const source = { name: 'own.yaml', text: ownMachine };
  return ccc.resolveTopology(source.name, { read: () => source });
}

function asPlain(ccc: typeof Api): VerifyRequest {
  const limits = ccc.defaultLimits;
  return { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, bitwise: false, limits };
}

function range(ranks: number): { readonly first: number; readonly last: number } {
  return { first: ranks, last: ranks };
}
