/** Parcels on paths as messages in continuous time: those that bring all of them soonest. */
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

/** Messages that the busiest resource carries at least, where they are not of all that waits: more would make long plans. */
const leastMessages = 16;
/** Messages of all that waits, or of a part of what the busiest resource has to carry; or all in step, with an even share of it for each hop, or a little more. */
const lengths = [
  { inLockStep: false, most: Number.POSITIVE_INFINITY },
  { inLockStep: false, most: 1 },
  { inLockStep: true, most: 1 },
  { inLockStep: true, most: 1.25 },
  { inLockStep: true, most: 3 },
];
/** Backwards in time, what is wanted last comes last, from near by: a link that is free takes all that has come to it. */
export const anyMessages = [true, false].flatMap((backwards) => lengths.map((length) => ({ ...length, backwards })));
export const manyMessages = anyMessages.filter(({ inLockStep, most }) => !inLockStep && most === 1);

type Policy = (typeof anyMessages)[number];

/** What comes of a policy on some paths. */
interface Flow extends Result {
  readonly policy: Policy;
  readonly routing: Routing;
}

/**
 * The steps that bring all parcels soonest.
 *
 * @param unitBytes of a parcel of weight 1
 * @param reroute finds other paths that are as good; they are tried with the best policy
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
  // Some parcels make up a share in whole but for rounding.
  const share = (busiest / (policy.inLockStep ? longest : leastMessages)) * (1 - 1e-9);
  const most = ways.bandwidth.map((bandwidth) => policy.most * share * bandwidth);
  const cargo = new ParcelCargo({ paths: turned, weights }, ways, unitBytes, most);
  const loop = { together: false, inLockStep: policy.inLockStep, noise: 0 };
  const result = attemptLoop(cargo, ways, loop, new Random(0), shouldStop);
  if (result === undefined) throw new Error('parcels on paths: some never arrive');
  const messages = policy.backwards ? result.messages.toReversed() : result.messages;
  return { messages, seconds: secondsInOrder(messages, ways, cargo, paths.length), work: result.work, policy, routing };
}

/** How long messages take that start in this order, each as soon as it can. */
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
