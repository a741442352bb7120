/** Scatter on any machine: paths from the root that share its links evenly, or a tree with few messages; gather by reversal. */
import type { Collective } from '../../../ir/collective.ts';
import { Random } from '../../../ir/random.ts';
import { Routes } from '../../../ir/routes.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import { transpose } from '../../../ir/topology.ts';
import { assemble, derivationsOf } from '../../derive.ts';
import type { Problem, Proposal } from '../../engine.ts';
import { fewestChunks } from './chunks.ts';
import { type ArcNetwork, arcNetwork } from './network.ts';
import type { RoutedParcels } from './parcels.ts';
import { manyRounds } from './rounds.ts';
import { scatterSchedule } from './scatter-schedule.ts';
import { spreadingTree } from './spreading-tree.ts';

/** Chunks per rank that are tried: what leaves the root is to be the same over all its links. */
const chunkCounts = [1, 2, 3, 4, 5, 6, 7, 8];
/** For messages of medium size: rounds in which the busiest link has work. */
const fewRounds = 4;
/** Ranks beyond which no paths are searched. */
const mostRanks = 512;

/** Proposes a tree with few messages, and flows over all links in a few large messages or in many. */
export function* proposeScatter(problem: Problem): Iterable<Proposal> {
  const { collective, routes, seed } = problem;
  const { ranks, root, kind } = collective;
  const name = `routed-${kind}`;
  const [derivation] = derivationsOf(kind);
  if (ranks < 2) return;
  const reversed = derivation.parts[0].reversed;
  const network =
    ranks > mostRanks ? undefined : arcNetwork(reversed ? new Routes(transpose(routes.topology)) : routes);
  if (network === undefined) {
    yield { kind: 'dismissed', dismissal: { name, reason: `to search paths for ${ranks} ranks would take too long` } };
    return;
  }
  const tree = spreadingTreeParcels(network, root, problem.chunks ?? 1);
  if (tree === undefined) {
    yield { kind: 'dismissed', dismissal: { name, reason: 'some rank cannot be reached from some other' } };
    return;
  }
  const random = new Random(seed);
  const routed = fewestChunks(network, [root], { ...problem, random, chunkCounts });
  const proposed = [{ about: 'tree', chunks: problem.chunks ?? 1, routed: tree }];
  if (routed !== undefined) {
    const { chunks, parcels, routing } = routed;
    const { paths } = routing;
    proposed.push(
      {
        about: 'in parts',
        chunks,
        routed: { parcels, paths, rounds: manyRounds(network, routing, random, fewRounds) },
      },
      { about: 'spread', chunks, routed: { parcels, paths, rounds: manyRounds(network, routing, random) } },
    );
  }
  for (const { about, chunks, routed } of proposed) {
    const build = (multiple: number): Schedule =>
      assemble({ ...collective, chunks: chunks * multiple }, derivation, (move: Collective) =>
        scatterSchedule(name, move, multiple, network, routed),
      );
    yield {
      kind: 'candidate',
      candidate: { name: `${name} (${about})`, origin: { engine: 'list', schedule: name }, build },
    };
  }
}

/** All data over a spreading tree, in one message per rank: what the rank and those behind it get. */
function spreadingTreeParcels(network: ArcNetwork, root: number, chunks: number): RoutedParcels | undefined {
  const tree = spreadingTree(network, root);
  if (tree === undefined) return undefined;
  const parcels = [];
  const paths: number[][] = [];
  const carried = new Map<number, number[]>();
  for (let destination = 0; destination < network.ranks; destination++) {
    if (destination === root) continue;
    for (let chunk = 0; chunk < chunks; chunk++) {
      const path: number[] = [];
      for (let at = destination; at !== root; at = network.arcs[tree.arcTo[at]].from) path.push(tree.arcTo[at]);
      for (const arc of path) carried.set(arc, [...(carried.get(arc) ?? []), parcels.length]);
      parcels.push({ source: root, destination, chunk });
      paths.push(path.reverse());
    }
  }
  const starts = [...new Set(tree.start)].sort((a, b) => a - b);
  const rounds = starts.map((start) =>
    [...carried].flatMap(([arc, there]) =>
      tree.start[network.arcs[arc].to] === start ? [{ arc, parcels: there }] : [],
    ),
  );
  return { parcels, paths, rounds };
}
