/** Divides the time of a plan along its critical path: latency, bytes, reductions, copies, computation, lanes. */
import { laneOf, OperationCode, type Plan, rankOfLane } from '../../ir/plan.ts';
import type { PathStep, PathTime } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Seconds } from '../../ir/units.ts';

type Kind = 'latency' | 'bytes' | 'reducing' | 'copying' | 'computing' | 'lanes';

/**
 * Attributes the time of a critical path to its causes. A step is charged with the time from its start to the start of the next step, which waited
 * for nothing else. The next step may have waited only until the bytes of a message had left a link; so a message is charged for its bytes before its
 * latency. On machines with lanes, bytes are charged at the rate of the lane or of the links, whichever is slower; receives with their reductions and
 * waits for proxies are charged to the lanes.
 * @param path the steps from the start to the end of the run, as `simulate` returns them
 */
export function timeOfPath(path: readonly PathStep[], plan: Plan, routes: Routes): PathTime {
  const { kind, peer, channel, nanoseconds } = plan.ops;
  const { launch = 0, lane } = routes.topology;
  const seconds: Record<Kind, Seconds> = { latency: 0, bytes: 0, reducing: 0, copying: 0, computing: 0, lanes: 0 };
  let [messages, reductions, copies, computations] = [0, 0, 0, 0];
  path.forEach(({ operation, start, end }, at) => {
    let left = (path[at + 1]?.start ?? end) - start;
    const spend = (on: Kind, most: Seconds): void => {
      const spent = Math.min(left, most);
      seconds[on] += spent;
      left -= spent;
    };
    switch (kind[operation]) {
      case OperationCode.send: {
        const sender = rankOfLane(plan, laneOf(plan, operation).lane);
        const latency = routes.between(sender, peer[operation], channel[operation])?.latency ?? 0;
        messages++;
        spend('bytes', end - start - latency);
        spend('latency', latency);
        break;
      }
      case OperationCode.copy: {
        const computes = (nanoseconds?.[operation] ?? -1) >= 0;
        if (end > start && computes) computations++;
        else if (end > start) copies++;
        spend(computes ? 'computing' : 'copying', end - start);
        break;
      }
      case OperationCode.recv:
        break;
      case OperationCode.recvReduce:
        if (end > start) reductions++;
        if (lane === undefined) spend('reducing', end - start);
        break;
      default:
        if (end > start) reductions++;
        spend('reducing', end - start);
    }
    if (lane !== undefined) spend('lanes', left);
  });
  const { lanes, computing, ...plain } = seconds;
  const before = (path[0]?.start ?? launch) - launch;
  return {
    ...{ messages, reductions, copies, ...(nanoseconds === undefined ? {} : { computations }) },
    seconds: {
      ...plain,
      ...(nanoseconds === undefined ? {} : { computing }),
      ...(lane === undefined ? {} : { lanes: lanes + before }),
      ...(launch > 0 ? { launch } : {}),
    },
  };
}
