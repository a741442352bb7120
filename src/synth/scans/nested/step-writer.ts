/** Steps written chunk by chunk: what goes from one rank to another in a step is one message. */
import { type Piece, type ScheduleBuffer, type Steps, StepsBuilder, type TransferKind } from '../../../ir/schedule.ts';

/** Where a chunk lies. */
export interface Spot {
  readonly rank: number;
  readonly buffer: ScheduleBuffer;
  readonly offset: number;
}

/** A message, or a local operation, that more chunks may come to. */
interface Open {
  readonly kind: TransferKind;
  readonly source: number;
  readonly destination: number;
  readonly pieces: Piece[];
}

/** Contributions of lower ranks stand to the left: what comes is combined before what is there. */
export class StepWriter {
  private readonly builder = new StepsBuilder();
  private readonly open = new Map<number, Open>();
  private readonly ranks: number;
  private channel = 0;

  constructor(ranks: number) {
    this.ranks = ranks;
  }

  add(kind: TransferKind, from: Spot, to: Spot): void {
    const key = 2 * (from.rank * this.ranks + to.rank) + (kind === 'copy' ? 0 : 1);
    let transfer = this.open.get(key);
    if (transfer === undefined) {
      transfer = { kind, source: from.rank, destination: to.rank, pieces: [] };
      this.open.set(key, transfer);
    }
    const { pieces } = transfer;
    const last = pieces.at(-1);
    const follows =
      last?.from === from.buffer &&
      last.to === to.buffer &&
      last.fromOffset + last.count === from.offset &&
      last.toOffset + last.count === to.offset;
    if (follows) pieces[pieces.length - 1] = { ...last, count: last.count + 1 };
    else pieces.push({ from: from.buffer, fromOffset: from.offset, to: to.buffer, toOffset: to.offset, count: 1 });
  }

  endStep(): void {
    for (const { kind, source, destination, pieces } of this.open.values()) {
      const channel = source === destination ? 0 : this.channel;
      const ends = { source, destination, channel, origin: undefined } as const;
      this.builder.add({ kind, ...ends, order: 'received-first', pieces });
    }
    this.open.clear();
    this.builder.endStep();
  }

  /** Messages that follow have a channel of their own: so they do not wait for those of the bulk before. */
  nextChannel(): void {
    this.channel++;
  }

  steps(): Steps {
    return this.builder.build();
  }
}
