/** Moves every transfer to the earliest step that its data allow, and merges messages between the same ranks in one step. */
import { inputChunks, outputChunks } from '../ir/collective.ts';
import { dataWindow, type Schedule, type ScheduleBuffer, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/**
 * Moves transfers to earlier steps. Reads still precede the writes that they preceded, and writes to a slot keep their order. A schedule that uses
 * `data` beside input or output stays as it is, since only the lowering decides which of their slots share memory.
 */
export function compactSteps(schedule: Schedule): Schedule {
  const { steps } = schedule;
  if (schedule.collective.kind === 'barrier' || namesBothKinds(schedule)) return schedule;
  const history = new SlotHistory(schedule);
  const levels: Transfer[][] = [];
  for (let step = 0; step < steps.stepCount; step++) {
    const transfers = steps.inStep(step);
    // All transfers of a step read the memory as it was before the step.
    const earliest = transfers.map((transfer) => history.earliest(transfer));
    transfers.forEach((transfer, index) => {
      history.note(transfer, earliest[index]);
      levels[earliest[index]] ??= [];
      levels[earliest[index]].push(transfer);
    });
  }
  const builder = new StepsBuilder();
  for (const level of levels) {
    for (const transfer of merged(level ?? [])) builder.add(transfer);
    builder.endStep();
  }
  return { ...schedule, steps: builder.build() };
}

function namesBothKinds({ steps }: Schedule): boolean {
  const named = (code: number): boolean => steps.from.includes(code) || steps.to.includes(code);
  return named(0) && (named(1) || named(2));
}

/** Merges transfers of the same kind, channel and ranks into one message. */
function merged(transfers: readonly Transfer[]): readonly Transfer[] {
  const byWay = new Map<string, Transfer>();
  for (const transfer of transfers) {
    const key = `${transfer.source} ${transfer.destination} ${transfer.channel} ${transfer.kind} ${transfer.order}`;
    const before = byWay.get(key);
    const pieces = joinPieces([...(before?.pieces ?? []), ...transfer.pieces]);
    byWay.set(key, before === undefined ? transfer : { ...before, pieces });
  }
  return [...byWay.values()];
}

/** For every slot the last step in which it was read and written, −1 for never. */
class SlotHistory {
  private readonly read: readonly Readonly<Record<ScheduleBuffer, Int32Array>>[];
  private readonly written: readonly Readonly<Record<ScheduleBuffer, Int32Array>>[];

  constructor({ collective, scratch }: Schedule) {
    const never = (count: number): Int32Array => new Int32Array(count).fill(-1);
    const slots = (rank: number): Readonly<Record<ScheduleBuffer, Int32Array>> => ({
      data: never(dataWindow(collective, rank).size),
      input: never(inputChunks(collective, rank)),
      output: never(outputChunks(collective, rank)),
      scratch: never(scratch),
    });
    this.read = Array.from({ length: collective.ranks }, (_, rank) => slots(rank));
    this.written = Array.from({ length: collective.ranks }, (_, rank) => slots(rank));
  }

  /**
   * The earliest step for a transfer: after its operands were written, in or after the step that last reads what it overwrites, and after earlier
   * writes of that.
   */
  earliest({ source, destination, pieces }: Transfer): number {
    let step = 0;
    for (const { from, fromOffset, to, toOffset, count } of pieces) {
      for (let chunk = 0; chunk < count; chunk++) {
        const ready = this.written[source][from][fromOffset + chunk] + 1;
        const free = Math.max(
          this.read[destination][to][toOffset + chunk],
          this.written[destination][to][toOffset + chunk] + 1,
        );
        step = Math.max(step, ready, free);
      }
    }
    return step;
  }

  note({ source, destination, pieces }: Transfer, step: number): void {
    for (const { from, fromOffset, to, toOffset, count } of pieces) {
      for (let chunk = 0; chunk < count; chunk++) {
        const [reads, writes] = [this.read[source][from], this.written[destination][to]];
        reads[fromOffset + chunk] = Math.max(reads[fromOffset + chunk], step);
        writes[toOffset + chunk] = Math.max(writes[toOffset + chunk], step);
      }
    }
  }
}
