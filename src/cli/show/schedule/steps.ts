/** Writes a schedule as tables of steps: what is sent in each step, what each node has then, and the totals. */

import { type Collective, collectiveFacts, messageChunks } from '../../../ir/collective.ts';
import { oneLine } from '../../../ir/plain-text.ts';
import type { Schedule } from '../../../ir/schedule.ts';
import { counted } from '../../../ir/units.ts';
import type { Description } from '../../../read/index.ts';
import { displayLimits } from '../../shown.ts';
import { descriptionLines } from '../description.ts';
import { amountsOfMessage } from '../plan/amounts.ts';
import { elide, elidedRows, formatTable, formatWideTable, type Table } from '../table.ts';
import { ranges, wrap } from '../text.ts';
import { countsTable } from './counts.ts';
import { type HeldTable, heldTable } from './shard-table.ts';
import { runSize } from './symbolic-run.ts';
import {
  isPairwise,
  ranksWithLocalOperations,
  type ShownMessage,
  shownMessagesOf,
  transfersText,
} from './transfers.ts';
import { slotCount, usesData, vectorTable } from './vector-table.ts';

const legend =
  'What each node has; * changed in the step. a₀ is element a of rank 0, a₁…₃ the reduction of ranks 1, 2, 3.';

/** Writes the steps in lines of at most `width` columns where the names allow, below the description from the schedule's file. */
export function showSteps(schedule: Schedule, width = displayLimits.width, description?: Description): string {
  const { collective } = schedule;
  const reduces = collectiveFacts[collective.kind].reduces;
  // The run behind the tables keeps input and output apart, so it cannot show a schedule in which they share memory.
  const shares = collective.inPlace && !usesData(schedule);
  const runs = collective.kind !== 'barrier' && !shares && runSize(schedule) <= displayLimits.chunksRun;
  const held = runs && !reduces ? heldTable(schedule) : undefined;
  const parts = [
    [
      heading(schedule),
      ...(description === undefined ? [] : descriptionLines(description, width)),
      ...(schedule.figures ?? []).map(([name, value]) => `${oneLine(name)}: ${value}`),
    ].join('\n'),
  ];
  if (schedule.steps.stepCount > 0) parts.push(formatTable(transferTable(schedule, held, width)));
  if (collective.ranks > displayLimits.nodesInTable)
    parts.push(`(States are drawn for up to ${displayLimits.nodesInTable} nodes.)`);
  else if (held !== undefined) parts.push(formatWideTable(elidedStates(held.table, 1), 1, width));
  else if (runs && reduces) parts.push(vectors(schedule, width));
  else if (shares) parts.push('(States are not drawn where input and output share memory.)');
  parts.push(formatTable(countsTable(schedule)));
  return `${parts.join('\n\n')}\n`;
}

function heading(schedule: Schedule): string {
  const { collective, steps } = schedule;
  const whole = messageChunks(collective);
  const facts = [
    `${describe(collective)} on ${counted(collective.ranks, 'node')}`,
    counted(steps.stepCount, 'step'),
    `M = ${counted(whole, 'chunk')}`,
  ];
  return `${oneLine(schedule.name)}: ${facts.join(', ')}`;
}

function describe(collective: Collective): string {
  const facts = collectiveFacts[collective.kind];
  const operator = facts.reduces ? ` (${collective.op})` : '';
  return `${collective.kind}${operator}${facts.rooted ? ` with root ${collective.root}` : ''}`;
}

/** Makes the table of what is sent in each step: pairs or arrows, amounts, and how much each node has afterwards. */
function transferTable(schedule: Schedule, held: HeldTable | undefined, width: number): Table {
  const { steps, collective } = schedule;
  const whole = messageChunks(collective);
  const allMessages = Array.from({ length: steps.stepCount }, (_, step) => shownMessagesOf(steps, step));
  const exchange = allMessages.every((messages) => messages.length === 0 || isPairwise(messages));
  const numbers = allMessages.map((_, step) => step);
  const rows = elidedRows(numbers, displayLimits.steps, 'step', (step) => {
    const messages = allMessages[step];
    const text = stepText(schedule, step, messages, Math.max(24, width - displayLimits.besideTransfers));
    const amounts = messages.map(({ chunks }) => chunks);
    const sent = messages.length === 0 ? '0' : amountsOfMessage(amounts, whole);
    return [`${step + 1}`, text, sent, ...(held === undefined ? [] : [amountsOfMessage(held.chunks[step + 1], whole)])];
  });
  const header = ['Step', exchange ? 'Pairs' : 'Transfers', exchange ? 'Exchanged' : 'Each message'];
  if (held !== undefined) header.push('Data per node after');
  return { header, rows };
}

function stepText(schedule: Schedule, step: number, messages: readonly ShownMessage[], width: number): string {
  const local = ranksWithLocalOperations(schedule.steps, step);
  const { stepStart, nanoseconds } = schedule.steps;
  const computes = nanoseconds?.subarray(stepStart[step], stepStart[step + 1]).some((time) => time > 0) === true;
  const at = local.length === schedule.collective.ranks ? 'all' : ranges(local);
  const localText = local.length === 0 ? '' : `${computes ? 'computing' : 'local'} at ${at}`;
  const sent = transfersText(messages, schedule.collective.ranks, width - localText.length);
  return [sent, localText].filter((text) => text !== '').join('; ');
}

function vectors(schedule: Schedule, width: number): string {
  const slots = slotCount(schedule);
  if (slots > displayLimits.slots) return `(Vectors are drawn up to ${displayLimits.slots} elements.)`;
  const table = vectorTable(schedule);
  const single = slots === 1;
  const drawn = single ? withoutColumn(table, 1) : table;
  const words = legend.split(' ');
  return `${wrap('', words, width).join('\n')}\n\n${formatWideTable(elidedStates(drawn, slots), single ? 1 : 2, width)}`;
}

/** Leaves out the steps in the middle if there are too many; a step has `rowsPerStep` rows. */
function elidedStates(table: Table, rowsPerStep: number): Table {
  const steps: (readonly string[])[][] = [];
  for (let row = 0; row < table.rows.length; row += rowsPerStep) steps.push(table.rows.slice(row, row + rowsPerStep));
  const limit = Math.max(3, Math.floor(displayLimits.rows / rowsPerStep));
  const skipped = [table.header.map(() => '…')];
  return { header: table.header, rows: elide(steps, limit, () => skipped).flat() };
}

function withoutColumn(table: Table, left: number): Table {
  const cut = (row: readonly string[]): string[] => row.filter((_, column) => column !== left);
  return { header: cut(table.header), rows: table.rows.map(cut) };
}
