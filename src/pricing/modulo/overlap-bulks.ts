/**
 * Channels that let bulks overlap. Messages of one channel keep their order bulk after bulk, so one that waits for data holds up those
 * of the next bulk, though the link is free. A modulo schedule says which messages of a bulk go out while earlier bulks are still
 * under way; such stages get channels of their own.
 */
import { bulkEvents, bulkLoads, leastRecurrence } from '../../cost/index.ts';
import { OperationCode, operationCount, type Plan, rankOfLane } from '../../ir/plan.ts';
import type { Routes } from '../../ir/routes.ts';
import { type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { lower } from '../../lower/index.ts';
import { moduloSchedule } from './modulo-schedule.ts';

/** Operations of plans that are scheduled. */
const mostOperations = 500;
/** How much longer intervals than the least are tried, one after the other. */
const slack = [1, 1.01, 1.03, 1.1, 1.25] as const;

/** Every message between two ranks on a channel of its own; undefined where that is so already. */
export function onOwnChannels(schedule: Schedule, routes: Routes): Schedule | undefined {
  return onChannels(schedule, routes, (_, before) => before);
}

/**
 * Messages on as many channels as the stages of a modulo schedule ask for: those of a connection share one as long as the modulo
 * schedule starts them in their order, and all of one bulk before the first of the next.
 *
 * @param bulks about as many as the message will be cut in
 * @returns undefined where that changes nothing, plans are too large or no modulo schedule was found
 */
export function inStages(schedule: Schedule, routes: Routes, size: Bytes, bulks: number): Schedule | undefined {
  const apart = onOwnChannels(schedule, routes);
  if (apart === undefined) return undefined;
  const plan = lower(apart, { bulks });
  if (operationCount(plan) > mostOperations) return undefined;
  const found = leastSchedule(plan, routes, size);
  if (found === undefined) return undefined;
  const { times, interval } = found;
  const timeOf = startTimes(plan, times);
  const { steps } = apart;
  const stages = new Map<string, { first: Seconds; last: Seconds }[]>();
  return onChannels(schedule, routes, (message) => {
    const time = timeOf(steps.source[message], steps.destination[message], steps.channel[message]);
    const key = connectionKey(schedule.steps.transfer(message));
    const open = stages.get(key) ?? [];
    stages.set(key, open);
    const fitting = open.findIndex(({ first, last }) => time >= last && time <= first + interval);
    if (fitting < 0) return open.push({ first: time, last: time }) - 1;
    open[fitting].last = time;
    return fitting;
  });
}

/** A modulo schedule of a plan's events for the least interval that one is found for. */
function leastSchedule(
  plan: Plan,
  routes: Routes,
  size: Bytes,
): { readonly times: Float64Array; readonly interval: Seconds } | undefined {
  const busiest = bulkLoads(plan, routes, size)[0]?.seconds ?? 0;
  const least = leastRecurrence(plan, routes, size, busiest) ?? busiest;
  if (!(least > 0)) return undefined;
  const problem = bulkEvents(plan, routes, size);
  for (const factor of slack) {
    const times = moduloSchedule(problem, least * factor);
    if (times !== undefined) return { times, interval: least * factor };
  }
  return undefined;
}

type ChannelOf = (transfer: number, before: number) => number;

/**
 * Messages on channels of their own, over the same routes.
 * @param stageOf told of each message and how many of its connection came before it: the stage it belongs to
 * @returns undefined if that changes nothing
 */
function onChannels(schedule: Schedule, routes: Routes, stageOf: ChannelOf): Schedule | undefined {
  const { steps } = schedule;
  const used = 1 + steps.channel.reduce((most, channel) => Math.max(most, channel), 0);
  const seen = new Map<string, number>();
  const builder = new StepsBuilder();
  let changes = false;
  let index = 0;
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of steps.inStep(step)) {
      const { source, destination, channel } = transfer;
      if (source === destination) {
        builder.add(transfer);
      } else {
        const key = connectionKey(transfer);
        const before = seen.get(key) ?? 0;
        seen.set(key, before + 1);
        const stage = stageOf(index, before);
        // A multiple of the number of routes keeps the route.
        const choices = routes.choices(source, destination);
        builder.add({ ...transfer, channel: channel + stage * choices * Math.ceil(used / choices) });
        changes ||= stage > 0;
      }
      index++;
    }
    builder.endStep(steps.rounds[step]);
  }
  return changes ? { ...schedule, steps: builder.build() } : undefined;
}

function connectionKey({
  source,
  destination,
  channel,
}: {
  source: number;
  destination: number;
  channel: number;
}): string {
  return `${source} ${destination} ${channel}`;
}

/** When the messages of a plan start, each of which has a channel of its own. */
function startTimes(
  plan: Plan,
  times: Float64Array,
): (source: number, destination: number, channel: number) => Seconds {
  const { kind, peer, channel } = plan.ops;
  const known = new Map<string, Seconds>();
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const source = rankOfLane(plan, lane);
    for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
      if (kind[o] !== OperationCode.send) continue;
      known.set(connectionKey({ source, destination: peer[o], channel: channel[o] }), times[3 * o + 1]);
    }
  }
  return (source, destination, c) => known.get(connectionKey({ source, destination, channel: c })) ?? 0;
}
