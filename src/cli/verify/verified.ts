/** Verifies one file with the options of `ccc verify`, and makes the report. */
import type { SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import type { FileReport, VerifyRequest } from '../../jobs/verify-file.ts';
import type { Ownership } from '../../verify/ownership.ts';
import type { CollectiveOptions, RankRangeOption, TopologyOptions } from '../options.ts';

export interface VerifyCommandOptions extends TopologyOptions, CollectiveOptions {
  readonly all?: boolean;
  readonly ranks?: RankRangeOption;
  readonly chunks?: number;
  readonly inflight?: number;
  readonly size?: Bytes;
  readonly bitwise?: boolean;
  readonly ownership: Ownership;
  /** In milliseconds. */
  readonly timeLimit?: number;
  readonly json?: boolean;
}

/** The report, and the topology on which the file was verified, if there was one. */
interface Verified {
  readonly report: FileReport;
  readonly topology: Topology | undefined;
}

export async function requestFrom(options: VerifyCommandOptions, limits: Limits): Promise<VerifyRequest> {
  return { ...(await plainRequest(options, limits)), topology: await topologyOf(options, limits) };
}

export async function verified(source: SourceText, options: VerifyCommandOptions, limits: Limits): Promise<Verified> {
  const [{ verifyOn }, { progressBar }] = await Promise.all([
    import('../../session/verify/verify.ts'),
    import('./report.ts'),
  ]);
  let topology: Topology | undefined;
  const full = async (): Promise<Topology | undefined> => {
    topology = await topologyOf(options, limits);
    return topology;
  };
  const oneChip = async () => {
    if (options.topo === undefined) return undefined;
    return (await import('../machine.ts')).symmetricTopologyFrom(options, limits);
  };
  const request = await plainRequest(options, limits);
  const progress = await progressBar();
  const report = await verifyOn(source, request, { full, oneChip }, progress.update).finally(progress.stop);
  return { report, topology };
}

async function plainRequest(options: VerifyCommandOptions, limits: Limits): Promise<VerifyRequest> {
  const { verifyRequest } = await import('../../session/verify/verify.ts');
  return verifyRequest({ ...options, parameters: options.set, limits });
}

async function topologyOf(options: VerifyCommandOptions, limits: Limits): Promise<Topology | undefined> {
  if (options.topo === undefined) return undefined;
  const { topologyFrom } = await import('../machine.ts');
  return topologyFrom(options, limits);
}
