/** What messages take between the ranks of a row, for data that go from one of them to all others or, turned round, come from all others to it. */
import { collectiveFacts } from '../../ir/collective.ts';
import type { Route, Routes } from '../../ir/routes.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { MovingKind } from '../derive.ts';
import type { Problem } from '../engine.ts';

/** Where data of one rank go: all of them to everyone, or to everyone a shard. */
export type RootedKind = Extract<MovingKind, 'broadcast' | 'scatter'>;

/**
 * Of a message from rank a to rank b that brings what c ranks want, in seconds: it has arrived after `arrival[a · N + b]` and c times
 * `arrivalEach`, and a can send the next one after `release` and c times `releaseEach`.
 */
export interface MessageTimes {
  readonly ranks: number;
  readonly arrival: Float64Array;
  readonly arrivalEach: Float64Array;
  readonly release: Float64Array;
  readonly releaseEach: Float64Array;
}

/** What a message of a part of a collective weighs: so much in any case, and so much for each rank that gets something. */
interface Weight {
  readonly fixed: Bytes;
  readonly each: Bytes;
  readonly reduces: boolean;
}

/**
 * @param reversed the times are those of messages from b to a, and `release` is when a can receive the next one: it reduces what came where the
 * collective reduces and everyone gets all
 * @returns undefined where there is no way between some ranks
 */
export function messageTimes(problem: Problem, kind: RootedKind, reversed: boolean): MessageTimes | undefined {
  const { routes, collective, size } = problem;
  const { ranks } = collective;
  const weight: Weight = {
    fixed: kind === 'broadcast' ? size : 0,
    each: kind === 'broadcast' ? 0 : size / ranks,
    reduces: reversed && kind === 'broadcast' && collectiveFacts[collective.kind].reduces,
  };
  const column = () => new Float64Array(ranks * ranks);
  const times = { ranks, arrival: column(), arrivalEach: column(), release: column(), releaseEach: column() };
  for (let near = 0; near < ranks; near++) {
    for (let far = 0; far < ranks; far++) {
      if (near === far) continue;
      const route = reversed ? routes.between(far, near) : routes.between(near, far);
      if (route === undefined) return undefined;
      const at = near * ranks + far;
      const hold = holdAt(routes, near, route, reversed);
      const reducing = reducingAt(routes, near, weight);
      times.arrival[at] = route.latency + weight.fixed / route.bandwidth + reducing.seconds;
      times.arrivalEach[at] = weight.each / route.bandwidth;
      const held = hold.latency + weight.fixed / hold.bandwidth;
      times.release[at] = reducing.overlaps ? Math.max(held, reducing.seconds) : held + reducing.seconds;
      times.releaseEach[at] = weight.each / hold.bandwidth;
    }
  }
  return times;
}

/** For how long a message keeps the only link or port of the chip `near`: for its latency, too, unless the link is pipelined and the ports are many. */
function holdAt({ topology }: Routes, near: number, route: Route, reversed: boolean) {
  const { ports } = topology.nodes[topology.chips[near]];
  const link = topology.links[reversed ? route.links[route.links.length - 1] : route.links[0]];
  const atOnce = (reversed ? ports.receive : ports.send) > 1;
  if (atOnce && link.occupancy === 'pipelined') return { latency: 0, bandwidth: link.bandwidth };
  return route;
}

function reducingAt({ topology }: Routes, near: number, { fixed, reduces }: Weight) {
  const { reduce } = topology.nodes[topology.chips[near]];
  const seconds: Seconds = reduces && reduce !== undefined ? fixed / reduce.throughput : 0;
  return { seconds, overlaps: reduce?.overlap !== false };
}
