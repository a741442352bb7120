/**
 * Scans up and down one tree whose ranks stand in order (scan-tree.ts), on machines whose chips cannot send while they reduce and have few neighbours. On a
 * grid a chain has as many messages one after the other as there are ranks, and such a tree about as many as there are chips along its edges; both carry one
 * vector each way over a link. Packets of chunks follow each other stage by stage, and sends wait until all of earlier steps has come and is
 * reduced.
 */
import type { Schedule } from '../../../ir/schedule.ts';
import type { Seconds } from '../../../ir/units.ts';
import { type Candidate, dismissed, type Problem, type Proposal } from '../../engine.ts';
import { mostRanksFor } from '../../limits.ts';
import { inStep } from '../../reductions/in-step.ts';
import { type ChunkProgram, programOf } from '../chunk-program.ts';
import {
  getsOutOfStep,
  inWaitingPackets,
  isChain,
  leastThroughput,
  reductionsOf,
  transposingByWays,
} from '../estimate.ts';
import { distancesOf, type Hops, hopsOf } from '../hops.ts';
import { limits } from '../limits.ts';
import { packedSchedule } from '../packed-schedule.ts';
import { EdgeWays } from './edge-ways.ts';
import { type Prices, type ScanTree, ScanTrees } from './scan-tree.ts';
import { tellOfTree } from './telling.ts';

/** Finding the best of trees takes the cube of the ranks. */
const workPerCube = 1 / 300;
const mostChunks = 4;
/** What one reduction more of each byte, on a rank with more than one, costs in waiting for each other: a part of all. */
const perReduction = 0.2;

/** What ranks do for the chunks of one packet, how many packets suit the size, and what they are likely to take. */
interface Found {
  readonly programs: readonly ChunkProgram[];
  readonly packets: number;
  readonly seconds: Seconds;
  /** Ranks or links have so much to do at times that handshakes may hold up others less than they do. */
  readonly isUneven: boolean;
}

export function* proposeTree(problem: Problem): Iterable<Proposal> {
  const { collective, routes, chunks, effort = 'full', byName, toBeat = Number.POSITIVE_INFINITY } = problem;
  const { ranks } = collective;
  const none = Number.POSITIVE_INFINITY;
  if (!getsOutOfStep(routes) || chunks !== undefined || ranks < 3 || ranks > mostRanksFor.cubes) return;
  const hops = hopsOf(routes);
  const name = 'scan tree';
  const enough = byName === true ? none : Math.min(toBeat, transposingByWays(routes, problem.size));
  const distances = distancesOf(hops);
  const { least, prices } = guessed(problem, { distances, slowest: hops.slowest });
  const found = least < enough ? bestTree(problem, hops, new ScanTrees(ranks, distances, prices)) : undefined;
  if (found === undefined || found.seconds >= enough) {
    yield dismissed(name, 'another plan, a chain or two alltoalls promise to take less');
    return none;
  }
  const { programs, packets, seconds, isUneven } = found;
  if (isChain(programs, routes)) {
    yield dismissed(name, 'it is a chain');
    return none;
  }
  const build = (multiple: number): Schedule => {
    const target = { ...collective, chunks: programs.length * packets * multiple };
    return packedSchedule(programs, target, name);
  };
  const candidate: Candidate = { name, origin: { engine: 'scans', schedule: name }, build };
  const waiting = (multiple: number): Schedule => ({ ...build(multiple), sendsWait: true });
  yield { kind: 'candidate', candidate: { ...candidate, build: waiting } };
  if (effort === 'full' && isUneven) yield { kind: 'candidate', candidate: inStep(candidate, problem, 'scans') };
  return seconds;
}

/** About the least that a tree takes, and what this has to do with its detours and reductions: (√(M·l) + √(s·α))² for s stages and l seconds for each byte. */
function guessed(
  { routes, size }: Problem,
  { distances, slowest }: { readonly distances: readonly Float64Array[]; readonly slowest: number },
): { readonly least: Seconds; readonly prices: Prices } {
  const latency = routes.topology.links.reduce((most, link) => Math.max(most, link.latency), 0);
  const [sending, reducing] = [size * slowest, size / leastThroughput(routes)];
  const stages = distances.reduce(
    (most, row) => row.reduce((farthest, distance) => Math.max(farthest, distance), most),
    0,
  );
  const [held, waited] = [Math.sqrt(sending + 2 * reducing), Math.sqrt(stages * latency)];
  // What a second more for the bytes takes, in messages one after the other.
  const perSecond = held === 0 || latency === 0 ? 1 : (1 + waited / held) / (latency * (1 + held / waited));
  return { least: (held + waited) ** 2, prices: { detour: sending * perSecond, reduction: reducing * perSecond } };
}

/** The best of a few trees, in as few chunks as any. */
function bestTree(problem: Problem, hops: Hops, trees: ScanTrees): Found {
  problem.shouldStop?.(hops.ranks ** 3 * workPerCube);
  const roots = Array.from({ length: hops.ranks }, (_, root) => root);
  roots.sort((a, b) => trees.costOf(a) - trees.costOf(b) || a - b);
  const found = roots.slice(0, limits.roots).flatMap((root) => inChunks(problem, hops, trees.treeOf(root)));
  return found.reduce((best, other) => (other.seconds < best.seconds ? other : best));
}

/** A tree in more and more chunks, as long as more can spread what is between its edges' ends. */
function inChunks({ collective, routes, size }: Problem, hops: Hops, tree: ScanTree): Found[] {
  const isScan = collective.kind === 'scan';
  const found: Found[] = [];
  const throughput = leastThroughput(routes);
  for (let chunks = 1; chunks <= mostChunks; chunks++) {
    const ways = new EdgeWays(hops, tree, chunks);
    const programs = Array.from({ length: chunks }, () => programOf(tellOfTree(tree, ways, isScan), hops, isScan));
    const reductions = reductionsOf(programs, hops.ranks);
    const most = reductions.reduce((most, count) => Math.max(most, count), 1);
    const mean = reductions.reduce((sum, count) => sum + count, 0) / hops.ranks;
    const load = ways.load();
    const held = { longest: load + most / throughput, mostly: hops.slowest + mean / throughput };
    const packets = inWaitingPackets(programs, held, { routes, size });
    const seconds = packets.seconds * (1 + perReduction * (most - 1));
    const isSpread = load <= hops.slowest * (1 + 1e-9);
    found.push({ programs, packets: packets.count, seconds, isUneven: !isSpread || most > limits.children });
    if (isSpread) break;
  }
  return found;
}
