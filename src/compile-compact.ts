/**
 * The flow for compact plans: an in-tree by layers, lowered to one program for all ranks, proved, simulated and held against the
 * bound. A reducescatter is an allgather backwards, on the machine with every link turned round.
 */
import { compactLowerBound, simulateCompact } from './cost/compact/index.ts';
import type { CompactBundle } from './emit/compact.ts';
import type { Collective } from './ir/collective.ts';
import type { Generator, InTree, SymmetricTopology } from './ir/compact.ts';
import { CccError } from './ir/diagnostic.ts';
import type { Dtype } from './ir/dtype.ts';
import type { Limits } from './ir/limits.ts';
import type { Bound, CostReport } from './ir/report.ts';
import { TranslationGroup } from './ir/translation-group.ts';
import type { Bytes } from './ir/units.ts';
import { lowerInTree } from './lower/compact.ts';
import { lowerReversedTree } from './lower/compact-reduction.ts';
import { layeredInTree } from './synth/symmetric/layered-tree.ts';
import { proveCompact } from './verify/index.ts';

export interface CompactCompileRequest {
  /** An allgather or a reducescatter; its `chunks` is ignored. */
  readonly collective: Collective;
  readonly topology: SymmetricTopology;
  readonly size: Bytes;
  readonly dtype: Dtype;
  /** C; default: as many as let the links of a chip share the layers evenly, where that matters. */
  readonly chunks?: number | undefined;
  /** Slices of the message; `auto` is one, since the links are busy all the time as it is. */
  readonly bulks: number | 'auto';
  readonly limits: Limits;
}

export interface CompactCompileResult {
  readonly bundle: CompactBundle & { readonly cost: CostReport; readonly bound: Bound };
  /** Steps of the schedule: as many as the farthest ranks are links apart. */
  readonly steps: number;
}

/** With more ranks, the few chunks too many that some link of a layer carries weigh next to nothing. */
const mostRanksToBalance = 4096;

/**
 * Makes a compact plan.
 * @throws CccError 'unsupported' for collectives and machines that it cannot do, 'limit' for plans beyond the limits
 */
export function compileCompact(request: CompactCompileRequest): CompactCompileResult {
  const { topology, size, limits } = request;
  checkRequest(request);
  const { generators } = topology;
  const group = new TranslationGroup(topology.shape);
  const chunks = request.chunks ?? balancedChunks(group, generators);
  const collective = { ...request.collective, chunks };
  checkSize(group.order * chunks, limits);
  const backwards = collective.kind === 'reducescatter';
  const tree = layeredInTree(group, backwards ? turned(topology).generators : generators, chunks);
  const bulks = request.bulks === 'auto' ? 1 : request.bulks;
  const name = `layered-${collective.kind}-${topology.name}`.replace(/[^\w.:+,-]+/g, '-');
  const lowering = { name, collective, group, generators, bulks };
  const plan = backwards ? lowerReversedTree(tree, lowering) : lowerInTree(tree, lowering);
  if (plan.ops.kind.length * bulks > limits.operations) {
    const what = `${plan.ops.kind.length} operations of a rank in ${bulks} bulks`;
    throw new CccError('limit', `${what} are more than the limit operations = ${limits.operations}`);
  }
  const { inflight, shape } = topology;
  const { proved, verification } = proveCompact(plan, { inflight, shape, slots: limits.slots });
  if (proved === undefined) {
    const reason = verification.findings[0]?.message ?? 'no finding';
    throw new CccError(
      'no-plan',
      `no compact plan for ${topology.name}: not correct (${verification.verdict}): ${reason}`,
    );
  }
  const cost = simulateCompact(plan, topology, size);
  const bound = compactLowerBound(collective, backwards ? turned(topology) : topology, size);
  const origin = { engine: 'symmetric', schedule: `layered-${collective.kind}`, chunks };
  return { bundle: { proved, topology, size, dtype: request.dtype, cost, bound, origin }, steps: tree.stepCount };
}

/** The same machine with every link turned round. */
function turned(topology: SymmetricTopology): SymmetricTopology {
  const group = new TranslationGroup(topology.shape);
  const { send, receive } = topology.ports;
  const generators = topology.generators.map((generator) => ({ ...generator, offset: group.negate(generator.offset) }));
  return { ...topology, generators, ports: { send: receive, receive: send } };
}

function checkRequest({ collective: { kind, counts, ordered }, bulks }: CompactCompileRequest): void {
  if ((kind !== 'allgather' && kind !== 'reducescatter') || counts !== undefined) {
    const what = counts === undefined ? kind : `${kind} with counts`;
    const made = 'compact plans are made for allgather and reducescatter';
    throw new CccError('unsupported', `${made}, not for ${what}; without --compact the plan is a full one`);
  }
  if (kind === 'allgather') return;
  if (ordered) throw new CccError('unsupported', 'compact plans reduce in an order of their own: not with --ordered');
  // What an operation of one bulk gathers in scratch would have to wait for all that read it in the bulk before.
  if (bulks !== 'auto' && bulks > 1) throw new CccError('unsupported', 'compact plans that reduce have one bulk');
}

function checkSize(slots: number, limits: Limits): void {
  if (slots <= limits.chunks) return;
  throw new CccError('limit', `${slots} chunks in one buffer are more than the limit chunks = ${limits.chunks}`);
}

/** The least C for which the fullest links of all layers together carry the least, as a share of the message. */
function balancedChunks(group: TranslationGroup, generators: readonly Generator[]): number {
  if (group.order > mostRanksToBalance) return 1;
  let best = { chunks: 1, load: Number.POSITIVE_INFINITY };
  for (let chunks = 1; chunks <= 2 * generators.length; chunks++) {
    const load = fullestLoad(layeredInTree(group, generators, chunks), generators) / chunks;
    if (load < best.load * (1 - 1e-9)) best = { chunks, load };
  }
  return best.chunks;
}

/** Over all layers, the time that the fullest link takes for its chunks, in units of a byte of each. */
function fullestLoad({ stepCount, firstRow }: InTree, generators: readonly Generator[]): number {
  let total = 0;
  for (let step = 0; step < stepCount; step++) {
    const first = step * generators.length;
    total += Math.max(
      ...generators.map(({ bandwidth }, g) => (firstRow[first + g + 1] - firstRow[first + g]) / bandwidth),
    );
  }
  return total;
}
