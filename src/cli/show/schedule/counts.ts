/** Counts steps and traffic of a schedule, the figures by which textbooks compare allreduces. */
import { messageChunks } from '../../../ir/collective.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import { fractionOfMessage } from '../plan/amounts.ts';
import type { Table } from '../table.ts';
import { shownMessagesOf } from './transfers.ts';

/** Amounts in chunks; M has `messageChunks` of them. */
export interface ScheduleCounts {
  /** Steps in which messages are sent. */
  readonly steps: number;
  /** Steps in which all operations are local, without a message. */
  readonly localSteps: number;
  readonly messages: number;
  /** Total over all messages. */
  readonly moved: number;
  /** The maximum over nodes and steps of what a node sends, receives, and sends plus receives in one step. */
  readonly sent: number;
  readonly received: number;
  readonly handled: number;
}

function scheduleCounts(schedule: Schedule): ScheduleCounts {
  const { collective, steps } = schedule;
  const counts = { steps: 0, localSteps: 0, messages: 0, moved: 0, sent: 0, received: 0, handled: 0 };
  for (let step = 0; step < steps.stepCount; step++) {
    const sent = new Float64Array(collective.ranks);
    const received = new Float64Array(collective.ranks);
    const messages = shownMessagesOf(steps, step);
    for (const { source, destination, chunks } of messages) {
      sent[source] += chunks;
      received[destination] += chunks;
      counts.moved += chunks;
    }
    counts.messages += messages.length;
    if (messages.length > 0) counts.steps++;
    else counts.localSteps++;
    for (let rank = 0; rank < collective.ranks; rank++) {
      counts.sent = Math.max(counts.sent, sent[rank]);
      counts.received = Math.max(counts.received, received[rank]);
      counts.handled = Math.max(counts.handled, sent[rank] + received[rank]);
    }
  }
  return counts;
}

/** Makes a table with one row per count. */
export function countsTable(schedule: Schedule): Table {
  const counts = scheduleCounts(schedule);
  const whole = messageChunks(schedule.collective);
  const rounds = schedule.steps.rounds.reduce((sum, claimed) => sum + claimed, 0);
  const local = counts.localSteps === 0 ? '' : ` (and ${counts.localSteps} with local operations only)`;
  return {
    header: ['Count', 'Value'],
    rows: [
      ['Steps', `${counts.steps}${local}`],
      ...(rounds === 0 ? [] : [['Rounds claimed per unit link', `${rounds}`]]),
      ['Messages', `${counts.messages}`],
      ['Moved in total', fractionOfMessage(counts.moved, whole)],
      ['Most a node sends in a step', fractionOfMessage(counts.sent, whole)],
      ['Most a node receives in a step', fractionOfMessage(counts.received, whole)],
      ['Most a node sends and receives in a step', fractionOfMessage(counts.handled, whole)],
    ],
  };
}
