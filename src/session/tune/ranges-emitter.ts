/** Target formats that have a form for several plans, chosen by the size of a message. */
import type { Emitter } from '../../emit/index.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { emitterNamed } from '../targets.ts';

export type RangesEmitter = Emitter & Required<Pick<Emitter, 'emitRanges'>>;

/** Returns the emitter of a format. @throws CccError 'unknown-name' for an unknown format, 'usage' for one that takes a single plan */
export async function rangesEmitter(name: string): Promise<RangesEmitter> {
  const emitter = await emitterNamed(name);
  const { emitRanges } = emitter;
  if (emitRanges !== undefined) return { ...emitter, emitRanges };
  const { emitters } = await import('../../targets/index.ts');
  const able = emitters.filter((each) => each.emitRanges !== undefined).map((each) => each.name);
  throw new CccError('usage', `${name} is for one plan: all sizes in one file are for ${able.join(' and ')}`);
}
