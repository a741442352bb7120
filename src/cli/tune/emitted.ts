/** One file for all sizes: the plans in use, and the choice among them. */
import type { Emitter, PlanBundle, RangedBundle } from '../../emit/index.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { TuneResult } from '../../tune/tune.ts';
import { emitterNamed, readyFor } from '../emitters.ts';

/** A target that has a form for several plans. */
type RangesEmitter = Emitter & Required<Pick<Emitter, 'emitRanges'>>;

/** @throws CccError 'unknown-name' for a target that there is not, 'usage' for one that takes one plan only */
export async function rangesEmitter(name: string): Promise<RangesEmitter> {
  const emitter = await emitterNamed(name);
  const { emitRanges } = emitter;
  if (emitRanges !== undefined) return { ...emitter, emitRanges };
  const { emitters } = await import('../../targets/index.ts');
  const able = emitters.filter((each) => each.emitRanges !== undefined).map((each) => each.name);
  throw new CccError('usage', `${name} is for one plan: all sizes in one file are for ${able.join(' and ')}`);
}

/**
 * The text of that file; the first plan serves all that is smaller than what was tuned, the last all that is larger.
 * @throws CccError 'unsupported' for a plan that the target cannot express
 */
export async function emittedText(
  { ranges }: TuneResult,
  bundles: readonly PlanBundle[],
  plans: TuneResult['plans'],
  name: string,
): Promise<string> {
  const emitter = await rangesEmitter(name);
  const ready = await Promise.all(bundles.map((bundle) => readyFor(emitter, bundle)));
  const ranged = ranges.map(({ from, plan }, index): RangedBundle => {
    return { from: index === 0 ? 0 : from, bundle: ready[plans.indexOf(plan)] };
  });
  return [...(await emitter.emitRanges(ranged))].join('');
}
