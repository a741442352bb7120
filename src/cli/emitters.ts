/** The target formats that the command line knows by name. */
import type { Emitter, PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';

/** @throws CccError 'unknown-name' with the nearest right names */
export async function emitterNamed(name: string): Promise<Emitter> {
  const [{ emitters }, { nearestNames }] = await Promise.all([
    import('../emit/index.ts'),
    import('../read/nearest.ts'),
  ]);
  const found = emitters.find((emitter) => emitter.name === name);
  if (found !== undefined) return found;
  const names = emitters.map((emitter) => emitter.name);
  throw new CccError('unknown-name', `there is no emitter '${name}'; ${nearestNames(name, names)}`);
}

/** @throws CccError 'unsupported' with all that the target lacks */
export function checkExpressible(emitter: Emitter, bundle: PlanBundle): void {
  const lacking = emitter.check(bundle);
  if (lacking.length === 0) return;
  throw new CccError('unsupported', `${emitter.name} cannot express this plan: ${lacking.join('; ')}`);
}
