/**
 * Turns an evaluated plan into the bundle that is returned: checked by the kernel, with the message rounded up to whole units if the
 * machine's messages consist of these.
 */
import type { PlanBundle } from '../emit/index.ts';
import { type Collective, collectiveFacts, reductionOperators } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Dtype } from '../ir/dtype.ts';
import type { Limits } from '../ir/limits.ts';
import type { PlanOrigin } from '../ir/plan.ts';
import type { Bound, CostReport } from '../ir/report.ts';
import { alignedMessage } from '../ir/shards.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import type { CheckedPlan } from '../ir/verification.ts';
import { proveChecked } from '../verify/index.ts';
import type { EvaluatedCandidate } from './evaluate/index.ts';

/** The machine, message and limits of a request. */
export interface RequestedPlan {
  readonly topology: Topology;
  readonly size: Bytes;
  readonly dtype: Dtype;
  readonly limits?: Limits | undefined;
}

/** A plan that the kernel has checked, with its machine, message size in bytes, simulated cost and lower bound. */
export type ProvedBundle = PlanBundle & { readonly size: Bytes; readonly cost: CostReport; readonly bound: Bound };

/** The origin of an evaluated candidate: what its engine says about it, its recipe, its chunks per shard and the seed. */
export function originOf(
  { candidate, checked }: Pick<EvaluatedCandidate, 'candidate' | 'checked'>,
  seed: number,
): PlanOrigin {
  return { ...candidate.origin, recipe: candidate.name, chunks: checked.plan.collective.chunks, seed };
}

/**
 * Checks the plan for the rounded message and bundles it with its cost, bound and origin.
 * @throws as `proveChecked`
 */
export function provedBundle(
  { checked, cost }: Pick<EvaluatedCandidate, 'checked' | 'cost'>,
  { topology, size, dtype, limits }: RequestedPlan,
  bound: Bound,
  origin: PlanOrigin,
): ProvedBundle {
  const fitted = inWholeUnits(checked, topology, size);
  const proved = proveChecked(fitted.checked, { load: { topology, size: fitted.size, dtype }, slots: limits?.slots });
  return { proved, topology, size: fitted.size, dtype, cost, bound, origin };
}

function inWholeUnits(
  checked: CheckedPlan,
  { messages }: Topology,
  size: Bytes,
): { readonly checked: CheckedPlan; readonly size: Bytes } {
  if (messages === undefined) return { checked, size };
  const { plan } = checked;
  const { size: whole, counts } = alignedMessage(plan, size, messages.alignment);
  if (counts === undefined) return { checked, size: whole };
  return { checked: { ...checked, plan: { ...plan, collective: { ...plan.collective, counts } } }, size: whole };
}

/**
 * Rejects a reduction that the machine's reduce engines lack for the element type.
 * @throws CccError 'unsupported', naming the reductions that they have
 */
export function checkEngines(
  collective: Pick<Collective, 'kind' | 'op'>,
  { nodes, chips, name }: Topology,
  dtype: Dtype,
): void {
  const { kind, op } = collective;
  if (!collectiveFacts[kind].reduces || kind === 'custom') return;
  for (const chip of chips) {
    const operators = nodes[chip].reduce?.operators;
    if (operators === undefined || operators[op]?.includes(dtype) === true) continue;
    const known = operators[op];
    const others = reductionOperators.filter((other) => operators[other]?.includes(dtype));
    const types = known === undefined ? `no ${op}` : `${op} of ${known.join(', ')}`;
    const has = others.length === 0 ? `nothing of ${dtype}` : `${others.join(', ')} of ${dtype}`;
    throw new CccError(
      'unsupported',
      `the reduce engine of ${name} has no ${op} of ${dtype}; it has ${types}, and ${has}`,
    );
  }
}
