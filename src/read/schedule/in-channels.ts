/** Runs a schedule several times in parallel, as libraries do in channels: each channel has its own order of the ranks and a share of the data. */
import { collectiveFacts } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { alongside, relabel } from '../../passes/index.ts';
import type { ScheduleRequest } from './elaborate.ts';
import type { ScheduleFile } from './file.ts';
import { instantiate } from './instantiate.ts';

/**
 * Instantiates the file's schedule once for each order of ranks, each on an equal share of every shard.
 *
 * @param orders of each channel: `order[p]` is the rank at position p; at least one
 * @param request the request for one channel: its `chunks` are those of one channel
 * @throws CccError 'schedule' where the file does not work for the request, or its result depends on the order of ranks
 */
export function inChannels(
  file: ScheduleFile,
  request: ScheduleRequest,
  orders: readonly (readonly number[])[],
): Schedule {
  const { rooted } = collectiveFacts[file.collective];
  const channels = orders.map((order) => {
    const root = rooted ? order.indexOf(request.root) : 0;
    return relabel(instantiate(file, { ...request, root }), order);
  });
  return sideBySide(channels);
}

/** Merges schedules pairwise, so that each transfer is copied only log₂ times. */
function sideBySide(channels: readonly Schedule[]): Schedule {
  if (channels.length === 1) return channels[0];
  const half = channels.length >> 1;
  return alongside(sideBySide(channels.slice(0, half)), sideBySide(channels.slice(half)));
}
