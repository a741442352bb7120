/**
 * Reduce up the edge-disjoint trees of a hypercube (Johnsson and Ho 1989), in step: every chip sends one block and gets one in each step,
 * which is all that chips with a single port can do. L = log₂N trees in C blocks take (L + C)(α + M/Cβ + M/Cγ).
 */
import { messageChunks } from '../../ir/collective.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { reverse } from '../../passes/index.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { library } from '../library.ts';
import { inStep } from './in-step.ts';
import { secondsWithPadding, withPadding } from './padding.ts';

const algorithm = 'edge-disjoint-trees-broadcast';
const name = 'edge-disjoint-trees-reduce';
/** Messages of a schedule that is made, proved and simulated in a moment. */
const mostMessages = { quick: 8_000, full: 62_000 } as const;

/** @param engine for the origin of candidates */
export function* onePortTrees(problem: Problem, engine: string): Iterable<Proposal> {
  const { collective, routes, size, chunks, effort = 'full', toBeat = Number.POSITIVE_INFINITY } = problem;
  if (!sendOneAtATime(routes.topology)) return;
  const turned = { ...collective, kind: 'broadcast' } as const;
  for (const proposal of library.propose({ ...problem, collective: turned, algorithm, parameters: {} })) {
    if (proposal.kind === 'dismissed') {
      yield dismissed(name, proposal.dismissal.reason);
      continue;
    }
    const reduce = (multiple: number): Schedule => {
      const broadcast = proposal.candidate.build(multiple);
      return { ...reverse(broadcast, { ...collective, chunks: messageChunks(broadcast.collective) }), name };
    };
    const shortest = reduce(1);
    if (withPadding(shortest, routes) === undefined) {
      yield dismissed(name, 'messages of a step share links or take differently long');
      continue;
    }
    const { latency, bytes, height, blocks } = paceOf(shortest, routes, size);
    const most = Math.max(1, Math.floor(mostMessages[effort] / shortest.steps.transferCount));
    const ideal = latency === 0 ? most : Math.round(Math.sqrt((height * bytes) / latency) / blocks);
    const depth = chunks === undefined ? Math.max(1, Math.min(most, ideal)) : 1;
    if ((height + depth * blocks) * (latency + bytes / (depth * blocks)) >= toBeat) {
      yield dismissed(name, 'take as long as another plan');
      continue;
    }
    const build = (multiple: number): Schedule => reduce(depth * multiple);
    yield {
      kind: 'candidate',
      candidate: inStep({ name, origin: { engine, schedule: name }, build }, problem, engine),
    };
  }
}

/** What C blocks take, (L + C)(α + cM/C): α and cM in seconds, L, and the C of the shortest schedule. */
function paceOf(shortest: Schedule, routes: Routes, size: Bytes) {
  const steps = shortest.steps.stepCount;
  const blocks = messageChunks(shortest.collective);
  const latency: Seconds = secondsWithPadding(shortest, routes, 0) / steps;
  const bytes: Seconds = (secondsWithPadding(shortest, routes, size) / steps - latency) * blocks;
  return { latency, bytes, height: steps - blocks, blocks };
}

/** Whether every chip has but one port, or one link, each way. */
function sendOneAtATime({ nodes, links, chips }: Topology): boolean {
  const outgoing = new Int32Array(nodes.length);
  for (const { from } of links) outgoing[from]++;
  return chips.every((chip) => Math.min(nodes[chip].ports.send, outgoing[chip]) === 1);
}
