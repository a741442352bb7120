/**
 * The public API of ccc: docs/library.md shows it at work. Everything here is stable; everything else is not.
 *
 * ```ts
 * import { compile, compileDefaults, planJson, resolveTopology } from 'ccc';
 *
 * const topology = resolveTopology('sg2260x4');
 * const collective = { kind: 'allgather', ranks: 4, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false } as const;
 * const { bundle } = compile({ ...compileDefaults, collective, topology, size: 64 * 2 ** 20 });
 * const text = planJson(bundle); // bundle.cost.seconds, bundle.bound.seconds say how good it is
 * ```
 */
import './host/node.ts';
import type { RunOptions } from './run/index.ts';

export * from './api.ts';
export { type RunOptions, type RunResult, run, type UnverifiedPlan } from './run/index.ts';

/** What `ccc run` assumes where nothing is said, but for a single run. */
export const runDefaults: Omit<RunOptions, 'size'> = {
  dtype: 'f32',
  repetitions: 1,
  warmups: 0,
  inputs: 'exact',
  seed: 0,
  check: true,
  record: false,
};
