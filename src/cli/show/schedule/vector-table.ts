/** Makes the table of each node's vector after each step, for collectives that reduce: which ranks have been added to which element. */
import type { Collective } from '../../../ir/collective.ts';
import { dataWindow, type Schedule, type ScheduleBuffer, scheduleBuffers } from '../../../ir/schedule.ts';
import type { Table } from '../table.ts';
import { elementName, sumName } from './names.ts';
import { SlotRun, type SlotValue, writtenBuffers } from './symbolic-run.ts';

/** A slot that every rank has; it takes one row per step. */
interface Slot {
  readonly buffer: ScheduleBuffer;
  readonly index: number;
  readonly name: string;
}

/**
 * Makes the table with columns `Step`, `Element`, `Node 0`, …: for each step one row per element of the vector, with a star at each element that the
 * step has changed. Output and scratch slots have rows if the schedule uses them.
 */
export function vectorTable(schedule: Schedule): Table {
  const { collective } = schedule;
  const run = new SlotRun(schedule);
  const slots = shownSlots(schedule);
  const rowsOf = (label: string, changed: ReadonlySet<string>): string[][] =>
    slots.map((slot, index) => [
      index === 0 ? label : '',
      slot.name,
      ...run.memories.map((memory, rank) => {
        const text = valueName(memory[slot.buffer][slot.index], collective);
        return changed.has(slotKey(rank, slot.buffer, slot.index)) ? `${text}*` : text;
      }),
    ]);
  const rows = rowsOf('Initial', new Set());
  for (let step = 0; step < schedule.steps.stepCount; step++) {
    const written = run.run(step).map(({ rank, buffer, slot }) => slotKey(rank, buffer, slot));
    rows.push(...rowsOf(`Step ${step + 1}`, new Set(written)));
  }
  return { header: ['Step', 'Element', ...run.memories.map((_, rank) => `Node ${rank}`)], rows };
}

/** Returns the number of rows per step in the table. */
export function slotCount(schedule: Schedule): number {
  return shownSlots(schedule).length;
}

function shownSlots(schedule: Schedule): Slot[] {
  const { collective } = schedule;
  const written = writtenBuffers(schedule);
  const outputs = collective.custom?.output ?? [collective.chunks];
  const range = (buffer: ScheduleBuffer, count: number, name: (index: number) => string): Slot[] =>
    Array.from({ length: count }, (_, index) => ({ buffer, index, name: name(index) }));
  return [
    ...(usesData(schedule)
      ? range('data', dataWindow(collective, 0).size, (index) => elementName(index, collective))
      : []),
    ...(written.includes('output') ? range('output', Math.max(...outputs), (index) => `output ${index}`) : []),
    ...(written.includes('scratch') ? range('scratch', schedule.scratch, (index) => `scratch ${index}`) : []),
  ];
}

/** Whether a schedule uses the buffer `data` at all; a schedule that was made from a plan uses input, output and scratch only. */
export function usesData({ steps }: Schedule): boolean {
  const data = scheduleBuffers.indexOf('data');
  return steps.transferCount === 0 || steps.to.includes(data) || steps.from.includes(data);
}

function valueName(value: SlotValue, collective: Collective): string {
  return value === undefined ? '–' : sumName(value, collective);
}

function slotKey(rank: number, buffer: ScheduleBuffer, slot: number): string {
  return `${rank} ${buffer} ${slot}`;
}
