/** Tori as one chip sees them, built by hand, and the compact plans that ccc makes for them. */

import { lowerExchange } from '../../src/compact/lower/exchange.ts';
import { lowerGatherThenReduce } from '../../src/compact/lower/gather-then-reduce.ts';
import { lowerLayered } from '../../src/compact/lower/layered.ts';
import { gatherThenReduceOn } from '../../src/compact/synth/gather-then-reduce.ts';
import { layeredInTree } from '../../src/compact/synth/layered-tree.ts';
import { stagedRoutesOn } from '../../src/compact/synth/staged-routes.ts';
import type { Collective, ReductionOperator } from '../../src/ir/collective.ts';
import type { CompactPlan, Generator, SymmetricTopology } from '../../src/ir/compact.ts';
import type { Link, Topology } from '../../src/ir/topology.ts';
import { TranslationGroup } from '../../src/ir/translation-group.ts';
import { collectiveOf } from '../collectives.ts';

export type LinkNumbers = Omit<Generator, 'offset'>;

export const standardLink: LinkNumbers = { latency: 1e-6, bandwidth: 1e10, occupancy: 'blocking', units: 1 };

/** A torus with the same numbers on all links of an axis. */
export function torus(shape: readonly number[], links: readonly LinkNumbers[] = [standardLink]): SymmetricTopology {
  const generators = new Map<number, Generator>();
  let stride = shape.reduce((product, extent) => product * extent, 1);
  shape.forEach((extent, axis) => {
    stride /= extent;
    if (extent === 1) return;
    for (const steps of [1, extent - 1]) {
      generators.set(steps * stride, { offset: steps * stride, ...links[axis % links.length] });
    }
  });
  const unlimited = Number.POSITIVE_INFINITY;
  return {
    name: `torus:${shape.join('x')}`,
    shape,
    generators: [...generators.values()].sort((a, b) => a.offset - b.offset),
    ports: { send: unlimited, receive: unlimited },
    reduce: undefined,
    copy: undefined,
    inflight: undefined,
    notes: [],
  };
}

/** The whole machine: rank r has a link to every r ⊕ offset, coordinates added by hand. */
export function wholeMachine(machine: SymmetricTopology): Topology {
  const { shape, ports, reduce, copy, inflight } = machine;
  const ranks = shape.reduce((product, extent) => product * extent, 1);
  const coordinates = (rank: number): number[] => {
    const result: number[] = [];
    for (const extent of [...shape].reverse()) {
      result.unshift(rank % extent);
      rank = (rank - (rank % extent)) / extent;
    }
    return result;
  };
  const rankAt = (place: readonly number[]): number => place.reduce((rank, c, axis) => rank * shape[axis] + c, 0);
  const chips = Array.from({ length: ranks }, (_, rank) => rank);
  const links = chips.flatMap((from): Link[] =>
    machine.generators.map(({ offset, ...numbers }) => {
      const step = coordinates(offset);
      const to = rankAt(coordinates(from).map((c, axis) => (c + step[axis]) % shape[axis]));
      return { from, to, ...numbers, origin: undefined };
    }),
  );
  const chip = { kind: 'chip', ports, reduce, copy, multicast: false, origin: undefined } as const;
  return {
    name: machine.name,
    nodes: chips.map((rank) => ({ ...chip, name: `chip ${rank}` })),
    links,
    chips,
    inflight,
    shape,
    groups: [],
    notes: [],
  };
}

export function allgather(ranks: number, chunks: number, inPlace = false): Collective {
  return collectiveOf('allgather', ranks, { chunks, inPlace });
}

/** The plan that ccc makes, without the choices that its flow makes. */
export function layeredPlan(
  machine: SymmetricTopology,
  { chunks = 1, bulks = 1, inPlace = false }: { chunks?: number; bulks?: number; inPlace?: boolean } = {},
): CompactPlan {
  const group = new TranslationGroup(machine.shape);
  const { generators } = machine;
  const tree = layeredInTree(group, generators, chunks);
  const collective = allgather(group.order, chunks, inPlace);
  return lowerLayered({ gather: tree }, { name: 'layered', collective, group, generators, bulks });
}

export interface ReductionOptions {
  readonly chunks?: number;
  readonly inPlace?: boolean;
  readonly op?: ReductionOperator;
  readonly bulks?: number;
}

/** The reducescatter that ccc makes, the plan by layers backwards; or the allreduce, which is that and then the allgather. */
export function reductionPlan(
  machine: SymmetricTopology,
  { chunks = 1, inPlace = false, op = 'sum', bulks = 1 }: ReductionOptions = {},
  kind: 'reducescatter' | 'allreduce' = 'reducescatter',
): CompactPlan {
  const group = new TranslationGroup(machine.shape);
  const { generators } = machine;
  const turned = generators.map((generator) => ({ ...generator, offset: group.negate(generator.offset) }));
  const reduce = layeredInTree(group, turned, chunks);
  const all = kind === 'allreduce' ? group.order * chunks : chunks;
  const collective = { ...allgather(group.order, all, inPlace), kind, op };
  const lowering = { name: 'reduced', collective, group, generators, bulks };
  const gather = layeredInTree(group, generators, chunks);
  return lowerLayered(kind === 'allreduce' ? { reduce, gather } : { reduce }, lowering);
}

/** The alltoall that ccc makes; `chunks` of each of the items into which shards are cut. */
export function exchangePlan(
  machine: SymmetricTopology,
  { chunks = 1, inPlace = false, bulks = 1 }: ReductionOptions = {},
): CompactPlan {
  const group = new TranslationGroup(machine.shape);
  const { generators } = machine;
  const stagedRoutes = stagedRoutesOn(group, generators);
  if (stagedRoutes === undefined) throw new Error('too large for a test');
  const collective = { ...allgather(group.order, chunks * stagedRoutes.parts, inPlace), kind: 'alltoall' as const };
  return lowerExchange(stagedRoutes, { name: 'exchanged', collective, group, generators, bulks });
}

/** The allreduce for small messages that ccc makes; `chunks` of each part of the vector. */
export function foldedPlan(
  machine: SymmetricTopology,
  { chunks = 1, inPlace = false, op = 'sum' }: ReductionOptions = {},
): CompactPlan {
  const group = new TranslationGroup(machine.shape);
  const { generators } = machine;
  const parts = gatherThenReduceOn(group, generators, 1000);
  if (parts === undefined) throw new Error('one rank, or too many for a test');
  const kind = 'allreduce' as const;
  const collective = { ...allgather(group.order, chunks * parts.length, inPlace), kind, op };
  return lowerGatherThenReduce(parts, { name: 'folded', collective, group, generators, bulks: 1 });
}

/** The plan for a collective, by the way of that name. */
export function planFor(
  way: (typeof ways)[number],
  machine: SymmetricTopology,
  options: ReductionOptions = {},
): CompactPlan {
  switch (way) {
    case 'allgather':
      return layeredPlan(machine, options);
    case 'alltoall':
      return exchangePlan(machine, options);
    case 'folded':
      return foldedPlan(machine, options);
    default:
      return reductionPlan(machine, options, way);
  }
}

export const ways = ['allgather', 'reducescatter', 'allreduce', 'alltoall', 'folded'] as const;

/** Chips in a circle with links to those at these distances, both ways: no links along axes, unless the distances are 1. */
export function circulant(ranks: number, distances: readonly number[], link = standardLink): SymmetricTopology {
  const offsets = new Set(distances.flatMap((distance) => [distance, ranks - distance]));
  const generators = [...offsets].sort((a, b) => a - b).map((offset) => ({ offset, ...link }));
  return { ...torus([1]), name: 'circulant', shape: [ranks], generators };
}
