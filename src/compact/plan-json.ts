/** Compact plans as JSON: the plan format with `symmetry`, and rank 0's program alone. */

import { collectiveBlock, programText, timeAndBoundBlocks } from '../emit/json.ts';
import { symmetricDigest } from '../emit/topology-digest.ts';
import type { CompactCertificate } from '../ir/certificate.ts';
import { type SymmetricTopology, soleProgram } from '../ir/compact.ts';
import type { Dtype } from '../ir/dtype.ts';
import { jsonText } from '../ir/plain-text.ts';
import type { PlanOrigin } from '../ir/plan.ts';
import type { Bound, CostReport } from '../ir/report.ts';
import type { Bytes } from '../ir/units.ts';
import { type OpenedCompactProof, ProvedCompactPlan } from './verify/prove.ts';

/** A proved compact plan with everything known about it; undefined members were not requested. */
export interface CompactBundle {
  readonly proved: ProvedCompactPlan;
  readonly topology: SymmetricTopology | undefined;
  readonly size: Bytes | undefined;
  readonly dtype: Dtype | undefined;
  readonly cost: CostReport | undefined;
  readonly bound: Bound<CompactCertificate> | undefined;
  readonly origin: PlanOrigin | undefined;
}

/**
 * The document in pieces, one operation per line; deterministic.
 * @throws CccError 'unproved' as `ProvedCompactPlan.open`
 */
export function compactPlanText(bundle: CompactBundle): Iterable<string> {
  return documentText(bundle, ProvedCompactPlan.open(bundle.proved));
}

function* documentText(bundle: CompactBundle, { plan, verification }: OpenedCompactProof): Iterable<string> {
  const { topology } = bundle;
  yield '{\n  "format": "ccc-plan",\n  "version": 1,\n';
  yield `  "name": ${jsonText(plan.name)},\n`;
  const symmetry = { shape: plan.shape, ...(plan.sharded ? { sharded: true } : {}) };
  yield `  "symmetry": ${JSON.stringify(symmetry)},\n`;
  yield `  "collective": ${JSON.stringify(collectiveBlock(plan.collective))},\n`;
  if (topology !== undefined) {
    const { name, notes } = topology;
    yield `  "topology": ${jsonText({ name, digest: symmetricDigest(topology), notes })},\n`;
  }
  for (const [key, value] of timeAndBoundBlocks(bundle, verification)) {
    yield `  ${JSON.stringify(key)}: ${jsonText(value)},\n`;
  }
  yield `  "bulks": ${plan.bulks},\n`;
  if (plan.scratchPerBulk !== 1) yield `  "scratchPerBulk": ${plan.scratchPerBulk},\n`;
  yield '  "programs": [';
  yield* programText(soleProgram(plan), 0);
  yield '\n  ]\n}\n';
}
