/**
 * Gives every message a channel of its own, so that bulks can overlap. Messages of one channel keep their order across
 * bulks: a message that waits for data delays those of the next bulk, even if the link is free.
 */
import type { Routes } from '../../ir/routes.ts';
import { type Schedule, StepsBuilder } from '../../ir/schedule.ts';

/** The same messages over the same routes; undefined if each has a channel of its own already. */
export function onOwnChannels(schedule: Schedule, routes: Routes): Schedule | undefined {
  const { steps } = schedule;
  const used = 1 + steps.channel.reduce((most, channel) => Math.max(most, channel), 0);
  const seen = new Map<string, number>();
  const builder = new StepsBuilder();
  let changes = false;
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of steps.inStep(step)) {
      const { source, destination, channel } = transfer;
      if (source === destination) {
        builder.add(transfer);
        continue;
      }
      const connection = `${source} ${destination} ${channel}`;
      const before = seen.get(connection) ?? 0;
      seen.set(connection, before + 1);
      // Adding a multiple of the number of parallel routes keeps the route.
      const choices = routes.choices(source, destination);
      builder.add({ ...transfer, channel: channel + before * choices * Math.ceil(used / choices) });
      changes ||= before > 0;
    }
    builder.endStep(steps.rounds[step]);
  }
  return changes ? { ...schedule, steps: builder.build() } : undefined;
}
