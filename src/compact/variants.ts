/** The variants of a collective on a machine that looks the same from every chip. */
import type { Collective } from '../ir/collective.ts';
import type { CompactPlan, Generator, InTree, StagedRoutes, SymmetricTopology } from '../ir/compact.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { planName } from '../ir/plan-name.ts';
import { TranslationGroup } from '../ir/translation-group.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { compact } from './limits.ts';
import { lowerExchange } from './lower/exchange.ts';
import { lowerGatherThenReduce } from './lower/gather-then-reduce.ts';
import { lowerLayered } from './lower/layered.ts';
import { gatherThenReduceOn } from './synth/gather-then-reduce.ts';
import { layeredInTree } from './synth/layered-tree.ts';
import { stagedRoutesOn } from './synth/staged-routes.ts';

export interface CompactVariant {
  /** The description in the plan's origin. */
  readonly schedule: string;
  /** A lower bound on its time. */
  readonly minSeconds: Seconds;
  make(): CompactPlan;
}

export interface VariantRequest {
  readonly collective: Collective;
  readonly topology: SymmetricTopology;
  readonly size: Bytes;
  readonly chunks?: number | undefined;
  readonly bulks: number;
  readonly limits: Limits;
}

/**
 * At least one variant.
 * @throws CccError 'unsupported' for an unsuitable number of chunks, 'limit' if buffers have too many
 */
export function compactVariants(request: VariantRequest): readonly CompactVariant[] {
  const group = new TranslationGroup(request.topology.shape);
  switch (request.collective.kind) {
    case 'alltoall':
      return [exchangeVariant(request, group)];
    case 'allreduce':
      return allreduceVariants(request, group);
    default:
      return [layeredVariant(request, group)];
  }
}

function allreduceVariants(request: VariantRequest, group: TranslationGroup): readonly CompactVariant[] {
  const variants = [...foldingVariants(request, group), ...layeredReduction(request, group)];
  if (variants.length > 0) return variants;
  const what = `needs a multiple of ${group.order} chunks, a shard for each rank, not ${request.chunks}`;
  throw new CccError('unsupported', `the compact allreduce on ${request.topology.name} ${what}`);
}

/** The same machine with every link reversed. */
export function transposedSymmetric(topology: SymmetricTopology): SymmetricTopology {
  const group = new TranslationGroup(topology.shape);
  const { send, receive } = topology.ports;
  const generators = topology.generators.map((generator) => ({ ...generator, offset: group.negate(generator.offset) }));
  return { ...topology, generators, ports: { send: receive, receive: send } };
}

/** An allgather by layers; a reducescatter is its reversal on the transposed machine. */
function layeredVariant(request: VariantRequest, group: TranslationGroup): CompactVariant {
  const { topology, collective, limits } = request;
  const chunks = request.chunks ?? balancedChunks(group, topology.generators);
  checkSize(group.order * chunks, limits);
  const make = (): CompactPlan => {
    const lowering = loweringOf(request, group, 'layered', chunks);
    return collective.kind === 'reducescatter'
      ? lowerLayered({ reduce: layeredInTree(group, transposedSymmetric(topology).generators, chunks) }, lowering)
      : lowerLayered({ gather: layeredInTree(group, topology.generators, chunks) }, lowering);
  };
  return { schedule: `layered-${collective.kind}`, minSeconds: 0, make };
}

/** Reducescatter and allgather; none if the given chunks cannot be divided into a shard for each rank. */
function layeredReduction(request: VariantRequest, group: TranslationGroup): readonly CompactVariant[] {
  const { topology, limits, size } = request;
  const given = request.chunks;
  if (given !== undefined && given % group.order !== 0) return [];
  const shard = given === undefined ? balancedChunks(group, topology.generators) : given / group.order;
  checkSize(group.order * shard, limits);
  const make = (): CompactPlan => {
    const reduce = layeredInTree(group, transposedSymmetric(topology).generators, shard);
    const gather = layeredInTree(group, topology.generators, shard);
    return lowerLayered({ reduce, gather }, loweringOf(request, group, 'layered', group.order * shard));
  };
  const bandwidth = topology.generators.reduce((sum, generator) => sum + generator.bandwidth, 0);
  const bytes = (2 * (group.order - 1) * size) / group.order;
  return [{ schedule: 'layered-allreduce', minSeconds: bytes / bandwidth, make }];
}

/** Gather-then-reduce of whole vectors; one bulk. */
function foldingVariants(request: VariantRequest, group: TranslationGroup): readonly CompactVariant[] {
  const { topology, bulks, limits } = request;
  if (bulks > 1) return [];
  const parts = gatherThenReduceOn(group, topology.generators, compact.ranksWithCare);
  if (parts === undefined) return [];
  const chunks = request.chunks ?? parts.length;
  if (chunks % parts.length !== 0) return [];
  checkSize(chunks, limits);
  const make = (): CompactPlan => lowerGatherThenReduce(parts, loweringOf(request, group, 'folded', chunks));
  return [{ schedule: 'folded-allreduce', minSeconds: 0, make }];
}

function exchangeVariant(request: VariantRequest, group: TranslationGroup): CompactVariant {
  const { topology, limits } = request;
  const stagedRoutes = stagedRoutesOn(group, topology.generators);
  if (stagedRoutes === undefined) {
    const what = `${topology.name} has no links along axes, and ${group.order} ranks are too many to find a way for each pair`;
    throw new CccError('unsupported', `no compact alltoall: ${what}`);
  }
  const chunks = request.chunks ?? stagedRoutes.parts;
  if (chunks % stagedRoutes.parts !== 0) {
    const what = `needs a multiple of ${stagedRoutes.parts} chunks per shard, not ${chunks}`;
    throw new CccError('unsupported', `the compact alltoall on ${topology.name} ${what}`);
  }
  checkSize(group.order * chunks, limits);
  checkStagedRoutes(stagedRoutes, chunks / stagedRoutes.parts, request);
  const make = (): CompactPlan => lowerExchange(stagedRoutes, loweringOf(request, group, 'exchanged', chunks));
  return { schedule: 'exchanged-alltoall', minSeconds: 0, make };
}

/** The proof follows items over every link, each of which takes a slot to send from and one to receive in. */
function checkStagedRoutes({ stages }: StagedRoutes, chunks: number, { topology, limits }: VariantRequest): void {
  const links = stages.reduce((sum, { hops }) => hops.reduce((total, more) => total + more, sum), 0);
  if (2 * links * chunks <= limits.slots) return;
  const items = stages[0].hops.length;
  // Copies move an item to its start, and on from the end of each stage.
  const enough = 2 * chunks * (links + items * (stages.length + 1));
  const what = `the items of a rank in an alltoall on ${topology.name} go over ${links} links, and the proof follows them over each`;
  const limit = `the limit slots = ${limits.slots} (--limit slots=${enough} raises it far enough)`;
  throw new CccError('limit', `${what}: that is beyond ${limit}`);
}

function loweringOf(
  { collective, topology, bulks }: VariantRequest,
  group: TranslationGroup,
  way: string,
  chunks: number,
) {
  const name = planName(`${way}-${collective.kind}`, topology.name);
  return { name, collective: { ...collective, chunks }, group, generators: topology.generators, bulks };
}

function checkSize(slots: number, limits: Limits): void {
  if (slots <= limits.chunks) return;
  throw new CccError('limit', `${slots} chunks in one buffer are more than the limit chunks = ${limits.chunks}`);
}

/** The smallest C for which the sum over the layers of the most loaded link's share is minimal. */
function balancedChunks(group: TranslationGroup, generators: readonly Generator[]): number {
  if (group.order > compact.ranksWithCare) return 1;
  let best = { chunks: 1, load: Number.POSITIVE_INFINITY };
  for (let chunks = 1; chunks <= 2 * generators.length; chunks++) {
    const load = fullestLoad(layeredInTree(group, generators, chunks), generators) / chunks;
    if (load < best.load * (1 - 1e-9)) best = { chunks, load };
  }
  return best.chunks;
}

/** Sum over the layers of the time of the most loaded link, in units of a byte on each. */
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
