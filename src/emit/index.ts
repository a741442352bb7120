/** Target formats, in the order `ccc list emitters` shows them: ccc's own first. */
import { chakra } from './chakra/index.ts';
import type { Emitter } from './emitter.ts';
import { goal } from './goal.ts';
import { json } from './json.ts';
import { mpiC } from './mpi/index.ts';
import { mscclXml, mscclXmlRccl } from './msccl/index.ts';
import { mscclpp, mscclppPackets } from './mscclpp/index.ts';
import { sg2260, sg2260Listing } from './sg2260/index.ts';
import { trace } from './trace.ts';
import { typescript } from './typescript/index.ts';

export type { EmittedFile, Emitter, PlanBundle, RangedBundle } from './emitter.ts';
export { json } from './json.ts';
export { topologyDigest } from './topology-digest.ts';
export { simulatedTracks } from './trace.ts';
export { type Span, type Track, traceText } from './trace-events.ts';

export const emitters: readonly Emitter[] = [
  json,
  typescript,
  mpiC,
  mscclXml,
  mscclXmlRccl,
  mscclpp,
  mscclppPackets,
  sg2260,
  sg2260Listing,
  trace,
  goal,
  chakra,
];
