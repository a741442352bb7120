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
import { bestPackets, mostPackets, type PacketLoad, packetLoad } from './packet-load.ts';
import { packetSchedule, partsOfPacket } from './packet-schedule.ts';

/** @param engine for the origin of candidates */
export function* pipelinedTrees(problem: Problem, engine: string): Iterable<Proposal> {
  const { chunks, size, parameters, effort = 'full' } = problem;
  const name = 'packets up packed trees';
  if (parameters.trees !== undefined) return;
  if (problem.collective.ranks > mostRanksFor.packings) {
    return yield dismissed(name, `packing trees of more than ${mostRanksFor.packings} ranks takes too long`);
  }
  const packed = packedTrees(problem);
  if (typeof packed === 'string') return yield dismissed(name, packed);
  const { trees, load } = packed;
  const parts = partsOfPacket(trees);
  const messages = trees.reduce((sum, { edges }) => sum + edges.length, 0);
  const most = mostPackets(messages * latenciesOfStep(problem.routes), effort);
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

/** The trees, balanced for the size; or why there are none. */
function packedTrees(problem: Problem): Packed | string {
  const { collective, routes, effort, shouldStop } = problem;
  const request = { kind: 'broadcast', root: collective.root, trees: undefined, chunks: undefined } as const;
  const packing = new Packings().of({ ...request, topology: transpose(routes.topology), effort, shouldStop });
  if (typeof packing === 'string') return packing;
  const load = packetLoad(packing.trees, routes);
  if (load === undefined) return 'switches are in between';
  const trees = balancedTrees(packing.trees, load, problem);
  return { trees, load: packetLoad(trees, routes) ?? load };
}
