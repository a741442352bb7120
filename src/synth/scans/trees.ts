/**
 * Scans up and down one tree whose ranks stand in order (scan-tree.ts), on machines whose chips cannot send while they reduce and have few neighbours: a
 * chain, which reduces each byte once on a rank, and on grids a tree about as high as there are chips along its edges. Both carry one vector each way over a link.
 *
 * A chip that passes on what it does not reduce sends and receives without a pause: that it has still to reduce something of its own
 * makes nobody wait, and it finds no moment at which its links are idle. So sends wait until everything of the steps before has come and has been
 * reduced. Packets follow each other stage by stage, and bulks of packets, of which a chip passes on some before it reduces what belongs to the first.
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

/** Finding the best of trees takes the cube of the ranks. */
const workPerCube = 1 / 300;

/** What ranks do for a packet, and how many packets suit the size. */
interface Found {
  readonly program: ChunkProgram;
  readonly packets: PacketEstimate;
  /** No link has more than one message each way of a packet. */
  readonly isSpread: boolean;
}

export function* proposeTrees(problem: Problem): Iterable<Proposal> {
  const { collective, routes, chunks } = problem;
  const { ranks } = collective;
  if (!becomesUnsynchronised(routes) || chunks !== undefined || ranks < 3 || ranks > maxRanksFor.cubes) return;
  const hops = hopsOf(routes);
  const chain = foundOf(problem, hops, chainOf(ranks));
  // Between neighbours the algorithms of the library do; and where a link has two messages of a packet, ranks get out of step.
  if (chain.isSpread && !isChain([chain.program], routes)) {
    // Bulks of as many packets as there are stages lose none of them.
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
 * In about (√(M·l) + √(s·α))² for s stages and l seconds for each byte, a second more for the bytes takes as long as √(s/α)/√(M·l) messages more one after
 * the other.
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

/** Hops from each rank to each other, by source; Infinity where no way leads. */
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
 * How a tree's edges go: between neighbours straight, others where the fewest bytes go.
 *
 * @returns the ranks that a message passes from a child to its parent, or back, and for how long the busiest resource is held, in seconds for each byte
 */
export function treeEdgePaths(hops: Hops, tree: RankSpan) {
  const loads = new HopLoads(hops);
  const ways = new CheapestPaths(hops);
  /** None where the ranks are no neighbours. */
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
