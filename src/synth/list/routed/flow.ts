/** Schedules parcels with given paths as messages in continuous time, and keeps the policy that delivers them soonest. */
import { Random } from '../../../ir/random.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { perOperation } from '../../limits.ts';
import { fastest } from '../attempts.ts';
import { type AttemptMessage, asSteps, attemptLoop, type Result } from '../events/loop.ts';
import { listLimits } from '../limits.ts';
import type { SpreadProblem } from '../problem.ts';
import type { RouteTable } from '../route-table.ts';
import { ParcelCargo } from './parcel-cargo.ts';
import type { Routing } from './paths.ts';
import type { RoutedParcels } from './schedule.ts';

/** Minimum number of messages over the busiest resource if message length is limited; more would make long plans. */
const leastMessages = 16;
/**
 * Message lengths to try: everything that waits for the arc, or a fraction of the busiest resource's load; in lock step the limit is that
 * load divided by the hops of the longest path, times `most`.
 */
const lengths = [
  { inLockStep: false, most: Number.POSITIVE_INFINITY },
  { inLockStep: false, most: 1 },
  { inLockStep: true, most: 1 },
  { inLockStep: true, most: 1.25 },
  { inLockStep: true, most: 3 },
];
/**
 * Every length is tried forwards and backwards in time. Backwards, the reversed problem (a gather) is scheduled and the result is reversed,
 * so that the parcels with short paths are sent last.
 */
export const anyMessages = [true, false].flatMap((backwards) => lengths.map((length) => ({ ...length, backwards })));
/** The policies with many short messages. */
export const shortMessagePolicies = anyMessages.filter(({ inLockStep, most }) => !inLockStep && most === 1);

type Policy = (typeof anyMessages)[number];

/** The result of a policy, with its paths. */
interface Flow extends Result {
  readonly policy: Policy;
  readonly routing: Routing;
}

/**
 * Returns the steps that deliver all parcels soonest, and the paths that they use.
 * @param unitBytes bytes of a parcel of weight 1
 * @param reroute finds other paths that share the machine equally well; they are tried with the best policy
 * @param policies tried in turn
 */
export function fastestFlow(
  ways: RouteTable,
  routing: Routing,
  unitBytes: Bytes,
  reroute: () => Routing,
  control: Pick<SpreadProblem, 'effort' | 'shouldStop'>,
  policies: readonly Policy[] = anyMessages,
): Pick<RoutedParcels, 'paths' | 'steps'> {
  const attempt = (number: number, best: Flow | undefined): Flow => {
    if (number < policies.length) return flowOf(policies[number], routing, ways, unitBytes, control);
    const other = reroute();
    const flow = flowOf(best?.policy ?? policies[0], other, ways, unitBytes, control);
    return { ...flow, work: flow.work + other.effort / perOperation.arcs };
  };
  const found = fastest(attempt, routing.bound * unitBytes, control, listLimits.patience);
  const { messages, routing: over } = found ?? attempt(0, undefined);
  return { paths: over.paths, steps: asSteps(messages, ways, (_, parcel) => parcel, over.paths.length) };
}

function flowOf(
  policy: Policy,
  routing: Routing,
  ways: RouteTable,
  unitBytes: Bytes,
  { shouldStop }: Pick<SpreadProblem, 'shouldStop'>,
): Flow {
  const { paths, busiest, weights } = routing;
  const turned = policy.backwards ? paths.map((path) => path.toReversed()) : paths;
  const longest = paths.reduce((most, { length }) => Math.max(most, length), 0);
  // Parcels may add up to exactly one share; the factor keeps rounding from adding another parcel.
  const share = (busiest / (policy.inLockStep ? longest : leastMessages)) * (1 - 1e-9);
  const most = ways.bandwidth.map((bandwidth) => policy.most * share * bandwidth);
  const cargo = new ParcelCargo({ paths: turned, weights }, ways, unitBytes, most);
  const loop = { together: false, inLockStep: policy.inLockStep, noise: 0 };
  const result = attemptLoop(cargo, ways, loop, new Random(0), shouldStop);
  if (result === undefined) throw new Error('parcels on paths: some never arrive');
  const messages = policy.backwards ? result.messages.toReversed() : result.messages;
  return { messages, seconds: secondsInOrder(messages, ways, cargo, paths.length), work: result.work, policy, routing };
}

/** The time of messages that start in this order, each as soon as its parcels and resources allow, in seconds. */
function secondsInOrder(
  messages: readonly AttemptMessage[],
  { arcs, capacity }: RouteTable,
  cargo: ParcelCargo,
  parcels: number,
): Seconds {
  const arrivedAt = new Float64Array(parcels);
  const freeAt = new Float64Array(capacity.length);
  let last = 0;
  for (const { route, items } of messages) {
    const { latency, bandwidth, resources, secondsPerByte, held } = arcs[route];
    const bytes = cargo.bytesOf(items);
    let start = 0;
    for (const item of items) start = Math.max(start, arrivedAt[item]);
    for (const resource of resources) start = Math.max(start, freeAt[resource]);
    const arrival = start + latency + bytes / bandwidth;
    for (const item of items) arrivedAt[item] = arrival;
    for (const [i, resource] of resources.entries()) {
      freeAt[resource] = held[i] ? arrival : start + bytes * secondsPerByte[i];
    }
    last = Math.max(last, arrival);
  }
  return last;
}
