/** Verification of files: a proof, or what exactly is wrong. */
import type { ReductionOperator } from '../../ir/collective.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { defaultLimits, type Limits } from '../../ir/limits.ts';
import type { Topology } from '../../ir/topology.ts';
import type { FileReport, RankRange, VerifyRequest } from '../../jobs/verify-file.ts';
import type { Ownership } from '../../verify/index.ts';
import { type BytesLike, bytesOf } from '../collectives.ts';
import type { Machine } from '../machine/machine.ts';

/** What a file is verified for; everything that is left out is as `ccc verify` has it. */
export interface VerifyFileOptions {
  /** The machine whose ranks, routes and limits the plan has to fit; default: none, and for times the one that a plan names. */
  readonly machine?: Machine | undefined;
  /** For schedules without a machine: the numbers of ranks; default: those that the file is written for, else 1 … 16. */
  readonly ranks?: RankRange | undefined;
  /** For schedules: chunks per shard, root, operator and parameters. */
  readonly chunks?: number | undefined;
  readonly root?: number | undefined;
  readonly op?: ReductionOperator | undefined;
  readonly ordered?: boolean | undefined;
  readonly inPlace?: boolean | undefined;
  readonly parameters?: Readonly<Record<string, number>> | undefined;
  /** Transfers that a connection buffers, 0 for rendezvous; default: the machine's limit, else any number. */
  readonly inflight?: number | undefined;
  /** M for the simulated time; default: what a plan says of itself. */
  readonly size?: BytesLike | undefined;
  /** Ranks that reduce in different orders, and so may get different bits, are an error. */
  readonly bitwise?: boolean | undefined;
  /** `strict`: buffers belong to an operation from posting to completion, as in MPI; default `event`. */
  readonly ownership?: Ownership | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Called after each number of ranks. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The machine that a plan is verified on, read when it is needed and in the form in which it is needed. */
export interface VerifyMachine {
  full(): Promise<Topology | undefined>;
  oneChip(): Promise<SymmetricTopology | undefined>;
}

/**
 * Verifies a schedule (YAML), a plan (JSON, full or compact), an MSCCL (XML), SCCL (JSON) or MSCCL++ algorithm (JSON).
 *
 * ```ts
 * const report = await verify({ name: 'plan.json', text: await readFile('plan.json', 'utf8') });
 * for (const { verification } of report.verdicts) console.log(verification.verdict, verification.findings[0]?.message);
 * ```
 * A plan that is wrong is a verdict. Text that cannot be read is a CccError; one with the code `malformed` says that a plan is not well formed.
 */
export async function verify(source: SourceText, options: VerifyFileOptions = {}): Promise<FileReport> {
  const { machine, onProgress = () => {} } = options;
  const machines: VerifyMachine = {
    full: async () => machine?.single,
    oneChip: async () => machine?.symmetric(),
  };
  return verifyOn(source, verifyRequest(options), machines, onProgress);
}

/** The request of the verifier, but for the machine. */
export function verifyRequest(options: VerifyFileOptions): VerifyRequest {
  const { root = 0, op = 'sum', ordered = false, inPlace = false, parameters = {}, bitwise = false } = options;
  const { machine, ranks, chunks, inflight, size, ownership } = options;
  if (machine !== undefined && ranks !== undefined) {
    throw new CccError('usage', 'give --topo or --ranks, not both: a topology has its own number of ranks');
  }
  const limits = { ...defaultLimits, ...options.limits };
  const schedule = { root, op, ordered, inPlace, parameters, ...(chunks === undefined ? {} : { chunks }) };
  return {
    ...schedule,
    ranks,
    inflight,
    size: size === undefined ? undefined : bytesOf(size),
    bitwise,
    ownership,
    limits,
  };
}

/** As `verify`, on a machine that is read when it is needed: for compact plans the topology is never built. */
export async function verifyOn(
  source: SourceText,
  request: VerifyRequest,
  { full, oneChip }: VerifyMachine,
  onProgress: (done: number, total: number) => void,
): Promise<FileReport> {
  if (source.text.includes('"symmetry"')) {
    const { verifyCompactText } = await import('./compact.ts');
    const report = await verifyCompactText(source, request, oneChip);
    if (report !== undefined) return report;
  }
  const { verifyOverRange } = await import('./range.ts');
  return verifyOverRange(source, { ...request, topology: await full() }, onProgress);
}
