/** Reductions that other engines make, on machines whose chips cannot send while they reduce: padding or handshakes keep the chips in step. */
import { steppedTime } from '../../cost/index.ts';
import { messageChunks } from '../../ir/collective.ts';
import { partOfWork } from '../../ir/effort.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { refine } from '../../passes/index.ts';
import type { Candidate, Problem } from '../engine.ts';
import { withHandshakes } from './handshakes.ts';
import { secondsWithPadding, withPadding } from './padding.ts';
import { isRegular } from './step-room.ts';

/** The bytes of a handshake should take no more than this part of a latency, */
const partOfLatency = 1 / 8;
/** but chunks of all ranks together, of which each is followed on its own, should be no more than this. */
const mostChunks = 2 ** 18;

/** Latencies for which a step in step waits: that of its messages, and where padding may not be enough that of handshakes. */
export function latenciesOfStep({ topology }: Routes): 1 | 2 {
  return isRegular(topology) ? 1 : 2;
}

/**
 * The candidate with padding or with handshakes, whichever should take less: padding adds no messages before a step, but makes all ranks
 * wait for its longest. For handshakes chunks are cut so that these are short, unless the user has said how many there are.
 */
export function inStep(candidate: Candidate, problem: Problem, engine: string): Candidate {
  const name = `${candidate.name}, in step`;
  const shaken = (schedule: Schedule, multiple: number): Schedule => {
    const chunks = messageChunks(schedule.collective) / multiple;
    const most = mostChunks * partOfWork[problem.effort ?? 'full'];
    const cuts = problem.chunks === undefined ? cutsFor(chunks, problem, most) : 1;
    const shard = smallestShard(problem.collective.counts ?? []);
    return withHandshakes(refine(schedule, cuts), shard * schedule.collective.chunks * cuts);
  };
  const build = (multiple: number): Schedule => {
    const schedule = candidate.build(multiple);
    const { routes, size } = problem;
    const padded = problem.collective.counts === undefined ? withPadding(schedule, routes) : undefined;
    if (padded === undefined) return { ...shaken(schedule, multiple), name };
    const seconds = secondsWithPadding(schedule, routes, size) * (1 - 1e-9);
    if (seconds <= steppedTime(schedule, routes, size).seconds) return { ...padded, name };
    const alternative = shaken(schedule, multiple);
    return { ...(seconds <= steppedTime(alternative, routes, size).seconds ? padded : alternative), name };
  };
  return { name, origin: { ...candidate.origin, engine, schedule: name }, build };
}

/** The shard with the shortest chunks that are not empty; the first of equal ones, and where all shards are. */
function smallestShard(counts: readonly number[]): number {
  return counts.reduce(
    (best, count, shard) => (count > 0 && (counts[best] === 0 || count < counts[best]) ? shard : best),
    0,
  );
}

/** Into how many parts each of so many chunks is to be cut for handshakes, a power of two. */
function cutsFor(chunks: number, { routes, size, collective }: Problem, mostOfAll: number): number {
  const { links } = routes.topology;
  const shortest = links.reduce((least, { latency, bandwidth }) => Math.min(least, latency * bandwidth), size);
  const most = mostOfAll / (chunks * collective.ranks);
  const { counts } = collective;
  const sum = counts?.reduce((total, count) => total + count, 0) ?? 0;
  // The part of the message that is one chunk, which with counts is one of the smallest shard.
  const part = counts === undefined ? 1 / chunks : (counts[smallestShard(counts)] / sum / chunks) * collective.ranks;
  let cuts = 1;
  while (2 * cuts <= most && (size * part) / cuts > shortest * partOfLatency) cuts *= 2;
  return cuts;
}
