/** Scatter on any machine: paths from the root that share its links evenly, or a tree with few messages; gather by reversal. */
import type { Collective } from '../../../ir/collective.ts';
import { Random } from '../../../ir/random.ts';
import { Routes } from '../../../ir/routes.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import { transpose } from '../../../ir/topology.ts';
import type { ArcNetwork } from '../../arcs.ts';
import { assemble, derivationsOf } from '../../derive.ts';
import { dismissed, type Problem, type Proposal } from '../../engine.ts';
import { mostRanksFor } from '../../limits.ts';
import { equalShares, sharesOf } from '../../shares.ts';
import { chunksFor } from '../places.ts';
import { choices, isStrict, sharesResources } from './choices.ts';
import { fewestChunks } from './chunks.ts';
import { routedNetwork } from './network.ts';
import { parcelsFrom, type RoutedParcels } from './parcels.ts';
import { rowParcels } from './rows.ts';
import { scatterSchedule } from './scatter-schedule.ts';
import { spreadingTreeParcels } from './spreading-tree.ts';

/** Chunks per rank that are tried: what leaves the root is to be the same over all its links. */
const chunkCounts = { quick: [1, 2, 4, 8], full: [1, 2, 3, 4, 5, 6, 7, 8] } as const;

/**
 * Proposes flows over ways of least latency, or a tree with few messages where chips cannot send several at once, and flows
 * over paths that share the machine evenly.
 */
export function* proposeScatter(problem: Problem): Iterable<Proposal> {
  const { collective, routes } = problem;
  const { ranks, kind } = collective;
  const name = `routed-${kind}`;
  const [derivation] = derivationsOf(kind);
  if (ranks < 2) return;
  // A reversed part is searched on the machine with its links turned round.
  const reversed = derivation.parts[0].reversed;
  const turned = reversed ? new Routes(transpose(routes.topology)) : routes;
  const network = ranks > mostRanksFor.sources ? undefined : routedNetwork(turned);
  if (network === undefined) {
    yield dismissed(name, `to search paths for ${ranks} ranks would take too long`);
    return;
  }
  const flows = flowsFrom(network, reversed, problem);
  if (flows === undefined) {
    yield dismissed(name, 'some rank cannot be reached from some other');
    return;
  }
  for (const { about, chunks, routed } of flows) {
    const wanted = problem.chunks ?? chunks;
    const build = (multiple: number): Schedule =>
      assemble({ ...collective, chunks: wanted * multiple }, derivation, (move: Collective) =>
        scatterSchedule(name, move, network, routed),
      );
    const origin = { engine: 'list', schedule: name };
    yield { kind: 'candidate', candidate: { name: `${name} (${about})`, origin, build } };
  }
}

interface Flow {
  readonly about: string;
  /** C, if it is not given. */
  readonly chunks: number;
  readonly routed: RoutedParcels;
}

/** Ways for the data to leave the root; undefined if some rank is out of reach. */
function flowsFrom(network: ArcNetwork, reversed: boolean, problem: Problem): readonly Flow[] | undefined {
  const { collective, size } = problem;
  const shares = sharesOf(collective.counts);
  const units = shares?.reduce((sum, { share }) => sum + share, 0) ?? collective.ranks;
  // Parcels of shards that differ are parts of them whatever C is.
  const chunks = shares === undefined ? problem.chunks : undefined;
  const counts = chunkCounts[problem.effort ?? 'full'];
  const search = { ...problem, chunks, chunkCounts: counts, random: new Random(problem.seed) };
  const destinations = shares ?? equalShares(Array.from({ length: collective.ranks }, (_, rank) => rank));
  const parcelsFor = (parts: number) => parcelsFrom(collective.root, destinations, parts);
  const soonest = fewestChunks(network, parcelsFor, { ...search, soonest: true });
  const even = fewestChunks(network, parcelsFor, search);
  if (soonest === undefined || even === undefined) return undefined;
  const strict = isStrict(network, problem.routes.topology);
  const found = choices({ network, soonest, even, strict, unitBytes: size / units });
  const flows = [...found].map(({ about, pairs: { chunks: parts, parcels, routing }, rounds }): Flow => {
    const each = shares === undefined ? parts : chunksFor(shares, parts);
    return { about, chunks: each, routed: { parcels, paths: routing.paths, rounds } };
  });
  const tree = sharesResources(network) ? spreadingTreeParcels(network, collective.root) : undefined;
  if (tree === undefined) return flows;
  const row =
    shares === undefined
      ? rowParcels(network, problem.routes, { root: collective.root, reversed, shard: size / units })
      : undefined;
  const trees = [
    { about: 'tree', chunks: 1, routed: tree },
    ...(row === undefined ? [] : [{ about: 'tree over a row', chunks: 1, routed: row }]),
  ];
  return [...trees, ...flows.filter(({ about }) => about !== 'shortest ways')];
}
