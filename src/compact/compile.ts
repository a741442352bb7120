/**
 * The flow for compact plans: variants of the collective that suit the machine are lowered to one program for all ranks
 * and simulated; the fastest is proved and compared with the bound.
 */

import type { CompactCertificate } from '../ir/certificate.ts';
import { type Collective, collectiveFacts } from '../ir/collective.ts';
import { type CompactPlan, compactKinds, type SymmetricTopology } from '../ir/compact.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Dtype } from '../ir/dtype.ts';
import type { Limits } from '../ir/limits.ts';
import { type Bound, ContradictedBound, type CostReport, contradictedClaims } from '../ir/report.ts';
import { TranslationGroup } from '../ir/translation-group.ts';
import { type Bytes, counted } from '../ir/units.ts';
import { verdictText } from '../ir/verification.ts';
import { compactLowerBound, latenciesToZero, simulateCompact } from './cost/index.ts';
import type { CompactBundle } from './plan-json.ts';
import { compactPlanText } from './plan-json.ts';
import { type CompactVariant, compactVariants, transposedSymmetric } from './variants.ts';
import { proveCompact } from './verify/prove.ts';

export interface CompactCompileRequest {
  /** An allgather, reducescatter, allreduce or alltoall; its `chunks` is ignored. */
  readonly collective: Collective;
  readonly topology: SymmetricTopology;
  readonly size: Bytes;
  readonly dtype: Dtype;
  /** C; default: as many as balance the load of a chip's links, where that matters. */
  readonly chunks?: number | undefined;
  /** Slices of the message; `auto` means one, since the links are busy all the time already. */
  readonly bulks: number | 'auto';
  readonly limits: Limits;
}

export interface CompactCompileResult {
  readonly bundle: CompactBundle & { readonly cost: CostReport; readonly bound: Bound<CompactCertificate> };
  /** Steps of the schedule. */
  readonly steps: number;
}

/**
 * Compiles a compact plan.
 * @throws CccError 'unsupported' for collectives and machines that it does not support, 'limit' for plans beyond the
 * limits
 */
export function compileCompact(request: CompactCompileRequest): CompactCompileResult {
  const { topology, size, limits } = request;
  checkRequest(request);
  checkDirectness(topology);
  const bulks = request.bulks === 'auto' ? 1 : request.bulks;
  const { variant, plan, cost } = fastest(request, compactVariants({ ...request, bulks }));
  const { inflight, shape } = topology;
  const { proved, verification } = proveCompact(plan, { inflight, shape, slots: limits.slots });
  if (proved === undefined) {
    const reason = `not correct: ${verdictText(verification)}`;
    throw new CccError('no-plan', `no compact plan for ${topology.name}: ${reason}`);
  }
  const backwards = plan.collective.kind === 'reducescatter';
  const found = compactLowerBound(plan.collective, backwards ? transposedSymmetric(topology) : topology, size);
  const { schedule } = variant;
  const origin = { engine: 'symmetric', schedule, recipe: schedule, chunks: plan.collective.chunks };
  const bundle = { proved, topology, size, dtype: request.dtype, cost, bound: found, origin };
  const claims = contradictedClaims(found, cost.seconds);
  if (claims.length > 0) {
    const text = [...compactPlanText({ ...bundle, bound: undefined })].join('');
    throw new ContradictedBound({ request, topology, size, seconds: cost.seconds, plan: text, claims });
  }
  const steps = plan.ops.step.reduce((last, step) => Math.max(last, step), 0);
  return { bundle, steps };
}

interface Priced {
  readonly variant: CompactVariant;
  readonly plan: CompactPlan;
  readonly cost: CostReport;
}

/**
 * Variants are ordered by the cost of building them; a variant whose lower bound exceeds the best time is not built.
 */
function fastest({ topology, size, limits }: CompactCompileRequest, variants: readonly CompactVariant[]): Priced {
  let best: Priced | undefined;
  for (const variant of variants) {
    if (best !== undefined && variant.minSeconds >= best.cost.seconds) continue;
    const plan = variant.make();
    checkOperations(plan, limits);
    const cost = simulateCompact(plan, topology, size);
    if (best === undefined || cost.seconds < best.cost.seconds) best = { variant, plan, cost };
  }
  if (best === undefined) throw new Error('no variant for a collective that was let in');
  return best;
}

function checkRequest({ collective: { kind, counts, ordered } }: CompactCompileRequest): void {
  const { rooted, reduces } = collectiveFacts[kind];
  const elsewhere = 'without --compact the plan is a full one';
  if (rooted) {
    const why = 'its root does what no other rank does, and in a compact plan all ranks run one program';
    throw new CccError('unsupported', `there is no compact plan for ${kind}: ${why}; ${elsewhere}`);
  }
  if (!compactKinds.includes(kind) || counts !== undefined) {
    const what = counts === undefined ? kind : `${kind} with counts`;
    throw new CccError(
      'unsupported',
      `compact plans are made for ${compactKinds.join(', ')}, not for ${what}; ${elsewhere}`,
    );
  }
  if (reduces && ordered) {
    throw new CccError('unsupported', 'compact plans reduce in an order of their own: not with --ordered');
  }
}

/**
 * Compact plans only send over the links of a chip, each to one neighbour. If a neighbour is reached sooner over other
 * chips, messages would take that route instead (`Routes`), and the time of one chip would not be that of all.
 */
function checkDirectness(topology: SymmetricTopology): void {
  const { name, shape, generators } = topology;
  const least = generators.reduce((soonest, { latency }) => Math.min(soonest, latency), Number.POSITIVE_INFINITY);
  if (generators.every(({ latency }) => latency <= 2 * least)) return;
  const group = new TranslationGroup(shape);
  const toZero = latenciesToZero(topology);
  const slow = generators.find(({ offset, latency }) => toZero[group.negate(offset)] < latency);
  if (slow === undefined) return;
  const why = `the way over others is quicker than the link from chip 0 to chip ${slow.offset}, so that messages take it`;
  throw new CccError(
    'unsupported',
    `${name}: ${why}; compact plans need links that are the quickest way between their ends`,
  );
}

function checkOperations({ ops, bulks }: CompactPlan, limits: Limits): void {
  if (ops.kind.length * bulks <= limits.operations) return;
  const what = `${ops.kind.length} operations of a rank in ${counted(bulks, 'bulk')}`;
  throw new CccError('limit', `${what} are more than the limit operations = ${limits.operations}`);
}
