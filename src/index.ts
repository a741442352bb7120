/**
 * The public API of ccc: docs/library.md shows it at work. Everything here is stable; everything else is not.
 *
 * ```ts
 * import { allreduce, compile, Machine } from 'ccc';
 *
 * const machine = await Machine.load('dgx1');
 * const outcome = await compile(allreduce(machine, { size: '1MiB' }));
 * if (outcome.ok) await outcome.plan.write('plan.json'); // outcome.plan.time, outcome.plan.bound say how good it is
 * ```
 */
import './session/node-platform.ts';
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
