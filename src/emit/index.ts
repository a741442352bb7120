/** Target formats, in the order `ccc list emitters` shows them: ccc's own first. */
import type { Emitter } from './emitter.ts';
import { json } from './json.ts';

export type { Emitter, PlanBundle } from './emitter.ts';
export { topologyDigest } from './topology-digest.ts';

export const emitters: readonly Emitter[] = [json];
