/**
 * What a schedule means, after the words of src/ir/schedule.ts and nothing else: step by step, on values that are texts.
 * Input chunk c of rank r is `r.c `; a reduction writes its operands one after the other, so that order and repetition
 * show. `?` is what was never written.
 */
import { inputChunks, outputChunks } from '../../src/ir/collective.ts';
import { dataWindow, type Piece, type Schedule, type ScheduleBuffer, type Transfer } from '../../src/ir/schedule.ts';

export const undefinedValue = '?';

export function inputValue(rank: number, chunk: number): string {
  return `${rank}.${chunk} `;
}

type Memory = Record<ScheduleBuffer, string[]>;

/** What every rank's output holds after a schedule; an output the schedule names itself counts where `data` holds nothing. */
export function outputsOf(schedule: Schedule): string[][] {
  const { collective, steps } = schedule;
  const memory = Array.from({ length: collective.ranks }, (_, rank) => startOf(schedule, rank));
  for (let step = 0; step < steps.stepCount; step++) {
    const before = structuredClone(memory);
    for (const transfer of steps.inStep(step)) apply(transfer, before, memory);
  }
  return memory.map(({ data, output }, rank) => {
    const window = dataWindow(collective, rank);
    return output.map((value, chunk) => {
      const held = data[window.output + chunk] ?? undefinedValue;
      return value === undefinedValue ? held : value;
    });
  });
}

function startOf({ collective, scratch }: Schedule, rank: number): Memory {
  const window = dataWindow(collective, rank);
  const input = Array.from({ length: inputChunks(collective, rank) }, (_, chunk) => inputValue(rank, chunk));
  const data = Array.from({ length: window.size }, (_, slot) =>
    window.input < 0 ? undefinedValue : (input[slot - window.input] ?? undefinedValue),
  );
  return {
    data,
    input,
    output: new Array<string>(outputChunks(collective, rank)).fill(undefinedValue),
    scratch: new Array<string>(scratch).fill(undefinedValue),
  };
}

function apply(
  { kind, source, destination, order, pieces }: Transfer,
  before: readonly Memory[],
  memory: readonly Memory[],
): void {
  for (const { from, fromOffset, to, toOffset, count } of pieces as readonly Piece[]) {
    for (let chunk = 0; chunk < count; chunk++) {
      const arriving = before[source][from][fromOffset + chunk];
      const held = memory[destination][to][toOffset + chunk];
      const reduced = order === 'received-first' ? arriving + held : held + arriving;
      memory[destination][to][toOffset + chunk] = kind === 'copy' ? arriving : reduced;
    }
  }
}
