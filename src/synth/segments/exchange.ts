/** The alltoall over a tree: what ranks have for those outside of their segment goes up, as far as it has to, and down to whom it is for. */
import type { Collective } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { alltoallSchedule } from '../list/routed/alltoall-schedule.ts';
import { inSteps } from './schedule.ts';
import type { Handover } from './splitting.ts';

/** Each edge of the tree is two arcs: that up from the i-th rank below the root is number 2i, that down to it 2i + 1. */
export function exchangeSchedule(name: string, collective: Collective, tree: readonly Handover[]): Schedule {
  const { ranks } = collective;
  const above = new Map(tree.map((message, edge) => [message.to, edge]));
  const below = tree.map((message) => new Set(message.ranks));
  const arcs = tree.flatMap(({ from, to }) => [
    { from: to, to: from, channel: 0 },
    { from, to, channel: 0 },
  ]);
  /** Edges from a rank up to one that has another below it, or is it. */
  const climb = (rank: number, other: number): number[] => {
    const edges: number[] = [];
    for (let edge = above.get(rank); edge !== undefined && !below[edge].has(other); edge = above.get(tree[edge].from)) {
      edges.push(edge);
    }
    return edges;
  };
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const parcels = all.flatMap((source) =>
    all
      .filter((destination) => destination !== source)
      .map((destination) => ({ source, destination, weight: 1, part: 0, parts: 1 })),
  );
  const paths = parcels.map(({ source, destination }) => [
    ...climb(source, destination).map((edge) => 2 * edge),
    ...climb(destination, source)
      .map((edge) => 2 * edge + 1)
      .reverse(),
  ]);
  const carried: number[][] = arcs.map(() => []);
  for (const [parcel, path] of paths.entries()) for (const arc of path) carried[arc].push(parcel);
  const messages = (arc: number) => ({ arc, parcels: carried[arc] });
  const steps = inSteps(tree, ranks).map((step) => step.map(({ to }) => above.get(to) ?? 0));
  const rounds = [
    ...steps.map((edges) => edges.map((edge) => messages(2 * edge))).reverse(),
    ...steps.map((edges) => edges.map((edge) => messages(2 * edge + 1))),
  ];
  return alltoallSchedule(name, collective, { arcs, ranks }, { parcels, paths, rounds });
}
