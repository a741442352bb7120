/** What `ccc verify` does with one file. */

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

/** What was found, and the topology that it was verified on, if it was built. */
interface Verified {
  readonly result: FileReport;
  readonly topology?: Topology | undefined;
}

export async function requestFrom(options: VerifyCommandOptions, limits: Limits): Promise<VerifyRequest> {
  const { ordered = false, inPlace = false, bitwise = false, set = {} } = options;
  const topology = await topologyOf(options, limits);
  return { ...options, ordered, inPlace, bitwise, parameters: set, topology, limits };
}

export async function verified(source: SourceText, options: VerifyCommandOptions, limits: Limits): Promise<Verified> {
  // Compact plans are looked for first: for them the topology is not built.
  if (source.text.includes('"symmetry"')) {
    const { verifyCompactText } = await import('../compact/verify.ts');
    const result = await verifyCompactText(source, options, limits);
    if (result !== undefined) return { result };
  }
  const [{ verifyOverRange }, { progressBar }] = await Promise.all([import('./range.ts'), import('./report.ts')]);
  const request = await requestFrom(options, limits);
  const progress = await progressBar();
  const result = await verifyOverRange(source, request, progress.update).finally(progress.stop);
  return { result, topology: request.topology };
}

async function topologyOf(options: VerifyCommandOptions, limits: Limits): Promise<Topology | undefined> {
  if (options.topo === undefined) return undefined;
  const { topologyFrom } = await import('../machine.ts');
  return topologyFrom(options, limits);
}
