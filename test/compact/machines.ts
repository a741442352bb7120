/** Tori as one chip sees them, built by hand, and the compact plans that ccc makes for them. */
import type { Collective, ReductionOperator } from '../../src/ir/collective.ts';
import type { CompactPlan, Generator, SymmetricTopology } from '../../src/ir/compact.ts';
import type { Link, Topology } from '../../src/ir/topology.ts';
import { TranslationGroup } from '../../src/ir/translation-group.ts';
import { lowerInTree } from '../../src/lower/compact.ts';
import { lowerReversedTree } from '../../src/lower/compact-reduction.ts';
import { layeredInTree } from '../../src/synth/symmetric/layered-tree.ts';

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
  return { kind: 'allgather', ranks, chunks, root: 0, op: 'sum', ordered: false, inPlace };
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
  return lowerInTree(tree, { name: 'layered', collective, group, generators, bulks });
}

/** The reducescatter that ccc makes: the plan by layers backwards. */
export function reductionPlan(
  machine: SymmetricTopology,
  { chunks = 1, inPlace = false, op = 'sum' }: { chunks?: number; inPlace?: boolean; op?: ReductionOperator } = {},
): CompactPlan {
  const group = new TranslationGroup(machine.shape);
  const { generators } = machine;
  const turned = generators.map((generator) => ({ ...generator, offset: group.negate(generator.offset) }));
  const tree = layeredInTree(group, turned, chunks);
  const collective = { ...allgather(group.order, chunks, inPlace), kind: 'reducescatter' as const, op };
  return lowerReversedTree(tree, { name: 'reduced', collective, group, generators, bulks: 1 });
}
