/**
 * Reduce in packets up trees that are packed into all links (trees/pack.ts): each chip sends M and reduces about M in all, which is
 * what the bound counts (cost/bounds/exclusive-reduce.ts).
 */
import { transpose } from '../../ir/topology.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { mostRanksFor } from '../limits.ts';
import type { Tree } from '../trees/pack.ts';
import { Packings } from '../trees/packing.ts';
import { balancedTrees } from './balanced-trees.ts';
import { inStep, latenciesOfStep } from './in-step.ts';
import { bestPackets, type PacketLoad, packetLoad, secondsInPackets } from './packet-load.ts';
import { packetSchedule, partsOfPacket } from './packet-schedule.ts';

/** Packings to choose from, and edges in all of them together: small ones are packed in a moment. */
const mostPackings = 8;
const mostEdges = 200;
/** Messages of a schedule that is made, proved and simulated in a moment; half as many with handshakes, which are as many again. */
const mostMessages = { quick: 8_000, full: 62_000 } as const;

/** @param engine for the origin of candidates */
export function* pipelinedTrees(problem: Problem, engine: string): Iterable<Proposal> {
  const { chunks, size, parameters, effort = 'full' } = problem;
  const name = 'packets up packed trees';
  if (parameters.trees !== undefined) return;
  if (problem.collective.ranks > mostRanksFor.packings) {
    return yield dismissed(name, `packing trees of more than ${mostRanksFor.packings} ranks takes too long`);
  }
  const packed = bestPacking(problem);
  if (typeof packed === 'string') return yield dismissed(name, packed);
  const { trees, load } = packed;
  const parts = partsOfPacket(trees);
  const messages = trees.reduce((sum, { edges }) => sum + edges.length, 0);
  const most = Math.max(1, Math.floor(mostMessages[effort] / messages / latenciesOfStep(problem.routes)));
  const paced = { ...load, latency: load.latency * latenciesOfStep(problem.routes) };
  const number = chunks === undefined ? bestPackets(paced, size, most) : chunks / parts;
  if (!Number.isInteger(number)) return yield dismissed(name, `needs a multiple of ${parts} chunks, not ${chunks}`);
  const build = (multiple: number) =>
    packetSchedule(name, trees, { ...problem.collective, chunks: parts * number * multiple }, number);
  yield { kind: 'candidate', candidate: inStep({ name, origin: { engine, schedule: name }, build }, problem, engine) };
}

interface Packed {
  readonly trees: readonly Tree[];
  readonly load: PacketLoad;
}

/** Of several packings the one that takes least; or why there is none. */
function bestPacking(problem: Problem): Packed | string {
  const { collective, routes, size, seed, effort, shouldStop } = problem;
  const topology = transpose(routes.topology);
  let best: Packed | undefined;
  let least = Number.POSITIVE_INFINITY;
  let edges = 0;
  for (let attempt = 0; attempt < mostPackings && edges <= mostEdges; attempt++) {
    const request = {
      topology,
      kind: 'broadcast',
      root: collective.root,
      trees: undefined,
      chunks: undefined,
    } as const;
    const packing = new Packings().of({ ...request, seed: seed + attempt, effort, shouldStop });
    if (typeof packing === 'string') {
      if (best === undefined) return packing;
      break;
    }
    const { trees } = packing;
    const load = packetLoad(trees, routes);
    if (load === undefined) return 'switches are in between';
    edges += trees.reduce((sum, tree) => sum + tree.edges.length, 0);
    const seconds = secondsInPackets(load, bestPackets(load, size, mostMessages.full), size);
    if (seconds < least) [least, best] = [seconds, { trees, load }];
  }
  if (best === undefined) return 'there was no time to pack trees';
  const trees = balancedTrees(best.trees, best.load, problem);
  return { trees, load: packetLoad(trees, routes) ?? best.load };
}
