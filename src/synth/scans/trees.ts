/**
 * Scans over a single in-order tree (scan-tree.ts), on machines with few neighbours per chip whose chips cannot send while they reduce: a
 * chain, in which every rank reduces each byte once, and on grids a tree about as high as there are chips along its edges. Both carry one
 * vector each way over a link.
 *
 * A chip that forwards data without reducing it sends and receives without a pause. Nobody waits for the reductions that it still has to
 * do, so it finds no moment with idle links to do them. Sends therefore wait until everything of earlier steps has arrived and has been
 * reduced. Packets follow each other stage by stage, in bulks of packets.
 *
 * Finding the best tree takes O(N³) for N ranks, so there is a limit of ranks.
 */
import type { Schedule } from '../../ir/schedule.ts';
import { distancesFrom } from '../distances.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import { type ChunkProgram, programOf } from './chunk-program.ts';
import { becomesUnsynchronised, inPackets, isChain, type PacketEstimate } from './estimate.ts';
import { CheapestPaths, HopLoads, type Hops, hopsOf } from './hops.ts';
import { packedSchedule } from './packed-schedule.ts';
import { chainOf, type ScanTreeCosts, ScanTrees } from './scan-tree.ts';
import { type RankSpan, tellOfTree } from './tree-telling.ts';

/** Work of the search for the best tree, in operations of a plan, per N³ for N ranks. */
const workPerCube = 1 / 300;

/** The program of one packet, and the best number of packets. */
interface Found {
  readonly program: ChunkProgram;
  readonly packets: PacketEstimate;
  /** Whether every link carries at most one message of a packet in each direction. */
  readonly isSpread: boolean;
}

/** Proposes a chain and a tree where they may win, or dismisses the tree with the reason. */
export function* proposeTrees(problem: Problem): Iterable<Proposal> {
  const { collective, routes, chunks } = problem;
  const { ranks } = collective;
  if (!becomesUnsynchronised(routes) || chunks !== undefined || ranks < 3 || ranks > maxRanksFor.cubes) return;
  const hops = hopsOf(routes);
  const chain = foundOf(problem, hops, chainOf(ranks));
  // Chains between neighbours are in the library already; and if a link carries two messages of a packet, ranks get unsynchronised.
  if (chain.isSpread && !isChain([chain.program], routes)) {
    // A bulk needs no more packets than there are stages to fill the pipeline.
    yield proposed('chain over other ranks', chain, Math.min(chain.packets.count, chain.program.stages), problem);
  }
  if (hops.arcs.length > ranks * Math.log2(ranks))
    return yield dismissed('scan tree', 'chips have so many neighbours that two alltoalls take less');
  const tree = foundOf(problem, hops, bestTree(problem, hops));
  if (isChain([tree.program], routes)) yield dismissed('scan tree', 'it is a chain');
  else yield proposed('scan tree', tree, tree.packets.count, problem);
}

function proposed(name: string, { program }: Found, packets: number, { collective }: Problem): Proposal {
  const build = (multiple: number): Schedule => {
    const schedule = packedSchedule([program], { ...collective, chunks: packets * multiple }, name);
    return { ...schedule, sendsWait: true };
  };
  return { kind: 'candidate', candidate: { name, origin: { engine: 'scans', schedule: name }, build } };
}

/**
 * Costs of detours and reductions, in messages. A pipelined scan takes about (√(M·l) + √(s·α))² for s stages and l seconds per byte; so one
 * more second for the bytes costs as much as √(s/α)/√(M·l) more consecutive messages.
 * @param slowest seconds per byte of the slowest link
 */
function pricesOf({ routes, size }: Problem, slowest: number, distances: readonly Float64Array[]): ScanTreeCosts {
  const { chips, nodes, links } = routes.topology;
  const latency = links.reduce((most, link) => Math.max(most, link.latency), 0);
  const throughput = Math.min(...chips.map((chip) => nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY));
  const [sending, reducing] = [size * slowest, size / throughput];
  const stages = distances.reduce((most, row) => Math.max(most, ...row), 0);
  const held = Math.sqrt(sending + 2 * reducing);
  const perSecond = held === 0 || latency === 0 ? 1 : Math.sqrt(stages / latency) / held;
  return { detour: sending * perSecond, reduction: reducing * perSecond };
}

function bestTree(problem: Problem, hops: Hops): RankSpan {
  problem.shouldStop?.(hops.ranks ** 3 * workPerCube);
  const distances = distancesOf(hops);
  return new ScanTrees(distances, pricesOf(problem, hops.slowest, distances)).treeOf([...distances.keys()]);
}

/** By source, then destination: the number of hops; Infinity if there is no path. */
export function distancesOf({ ranks, arcs, outgoing }: Hops): readonly Float64Array[] {
  return outgoing.map((_, from) => distancesFrom(from, ranks, (at) => outgoing[at].map((hop) => arcs[hop].to)));
}

function foundOf({ collective, routes, size }: Problem, hops: Hops, tree: RankSpan): Found {
  const isScan = collective.kind === 'scan';
  const { ranks } = hops;
  const { way, load: loadOf } = treeEdgePaths(hops, tree);
  const program = programOf(tellOfTree(tree, { ranks, ownResult: isScan, path: way }), ranks, isScan);
  const load = loadOf();
  const packets = inPackets([program], load, routes, size);
  return { program, packets, isSpread: load <= hops.slowest * (1 + 1e-9) };
}

/**
 * Routes the edges of a tree: directly between neighbours, others along the least loaded paths.
 * @returns `way`, the ranks that a message visits from child to parent or back, and `load`, the seconds per byte for which the busiest
 * resource is occupied
 */
export function treeEdgePaths(hops: Hops, tree: RankSpan) {
  const loads = new HopLoads(hops);
  const ways = new CheapestPaths(hops);
  /** Empty if the ranks are not neighbours. */
  const hopTo = (from: number, to: number) => hops.outgoing[from].filter((hop) => hops.arcs[hop].to === to);
  const putNeighbours = ({ rank, parts }: RankSpan): void => {
    for (const child of parts) {
      if (child.rank === rank) continue;
      if (child.end < hops.ranks) loads.put(hopTo(child.rank, rank), 1);
      if (child.first > 0) loads.put(hopTo(rank, child.rank), 1);
      putNeighbours(child);
    }
  };
  const way = (from: number, to: number): readonly number[] => {
    if (hopTo(from, to).length > 0) return [to];
    loads.rescale();
    const found = ways.path(loads.prices(), from, to);
    loads.put(found, 1);
    return found.map((hop) => hops.arcs[hop].to);
  };
  putNeighbours(tree);
  return { way, load: () => loads.busiest() };
}
