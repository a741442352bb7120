/** The interface of emitters, and parts of the formats that other directories need. All emitters are listed in `src/targets`. */
export type { EmittedFile, Emitter, PlanBundle, RangedBundle } from './emitter.ts';
export { json } from './json.ts';
export { topologyDigest } from './topology-digest.ts';
export { simulatedTracks } from './trace.ts';
export { type TraceSpan, type Track, traceText } from './trace-events.ts';
