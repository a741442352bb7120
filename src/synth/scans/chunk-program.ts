/** What ranks do for one chunk of a scheme: messages and local operations, in stages, on places of their own. */
import type { OperandOrder, ScheduleBuffer, TransferKind } from '../../ir/schedule.ts';
import type { Hops } from './hops.ts';
import type { Story, Value } from './merging.ts';

/** The chunk in a buffer, or a chunk of scratch that is its own. */
export interface Place {
  readonly buffer: ScheduleBuffer;
  /** In scratch. */
  readonly slot: number;
}

export interface ChunkOperation {
  /** Messages of a stage, then its local operations one part after the other. */
  readonly stage: number;
  readonly part: number;
  readonly source: number;
  readonly destination: number;
  readonly kind: TransferKind;
  readonly order: OperandOrder;
  readonly from: Place;
  readonly to: Place;
}

export interface ChunkProgram {
  readonly operations: readonly ChunkOperation[];
  readonly messages: number;
  /** Scratch chunks that a rank needs at most. */
  readonly scratch: number;
  /** Stages, counted from 1. */
  readonly stages: number;
  /** Parts of a stage. */
  readonly parts: number;
}

const input: Place = { buffer: 'input', slot: 0 };
const data: Place = { buffer: 'data', slot: 0 };

/** @param dataIsInput the data buffer starts as the rank's input */
export function programOf(story: Story, hops: Hops, dataIsInput: boolean): ChunkProgram {
  const writer = new Writer(story, hops);
  for (const message of story.messages) writer.placeOf(message);
  story.results.forEach((value, rank) => {
    if (value !== undefined && !(dataIsInput && value.made.kind === 'input')) writer.result(value, rank);
  });
  return writer.program();
}

class Writer {
  private readonly operations: ChunkOperation[] = [];
  private readonly hops: Hops;
  private readonly places = new Map<number, Place>();
  /** By value: how many others are made of it, messages and results among them. */
  private readonly uses = new Map<number, number>();
  private readonly used: Int32Array;
  private readonly results: { readonly value: Value; readonly from: Place }[] = [];

  constructor({ messages, results }: Story, hops: Hops) {
    this.hops = hops;
    this.used = new Int32Array(hops.ranks);
    const counted = new Set<number>();
    const count = (value: Value): void => {
      this.uses.set(value.id, 1 + (this.uses.get(value.id) ?? 0));
      if (counted.has(value.id)) return;
      counted.add(value.id);
      const { made } = value;
      if (made.kind === 'merge') for (const operand of [made.lower, made.upper]) count(operand);
      if (made.kind === 'message') count(made.sent);
    };
    for (const { made } of messages) if (made.kind === 'message') count(made.sent);
    for (const value of results) if (value !== undefined) count(value);
  }

  /** Where a value is; what makes it is written down when it is first asked for. */
  placeOf(value: Value): Place {
    const known = this.places.get(value.id);
    if (known !== undefined) return known;
    const place = this.make(value);
    this.places.set(value.id, place);
    return place;
  }

  private make(value: Value): Place {
    const { rank, made, stage } = value;
    switch (made.kind) {
      case 'input':
        return input;
      case 'message': {
        const from = this.placeOf(made.sent);
        const to = this.slot(rank);
        const { from: source, to: destination } = this.hops.arcs[made.hop];
        this.operations.push({ stage, part: 0, source, destination, kind: 'copy', order: 'held-first', from, to });
        return to;
      }
      case 'merge':
        return this.merge(value, made.lower, made.upper);
    }
  }

  /** In the place of an operand that nothing else needs, or in one of its own. */
  private merge({ rank, stage, merges }: Value, lower: Value, upper: Value): Place {
    const [below, above] = [this.placeOf(lower), this.placeOf(upper)];
    const ends = { stage, source: rank, destination: rank } as const;
    const part = 2 * merges;
    if (this.isFree(upper)) {
      this.operations.push({ ...ends, part, kind: 'reduce', order: 'received-first', from: below, to: above });
      return above;
    }
    if (this.isFree(lower)) {
      this.operations.push({ ...ends, part, kind: 'reduce', order: 'held-first', from: above, to: below });
      return below;
    }
    const to = this.slot(rank);
    this.operations.push({ ...ends, part: part - 1, kind: 'copy', order: 'held-first', from: above, to });
    this.operations.push({ ...ends, part, kind: 'reduce', order: 'received-first', from: below, to });
    return to;
  }

  private isFree({ id, made }: Value): boolean {
    return made.kind !== 'input' && this.uses.get(id) === 1;
  }

  private slot(rank: number): Place {
    return { buffer: 'scratch', slot: this.used[rank]++ };
  }

  result(value: Value, rank: number): void {
    this.results.push({ value: { ...value, rank }, from: this.placeOf(value) });
  }

  /** Results are written last: in place, they take the place of the input. */
  program(): ChunkProgram {
    const stages = this.operations.reduce((most, { stage }) => Math.max(most, stage), 1);
    const parts = this.operations.reduce((most, { part }) => Math.max(most, part), 0) + 2;
    const results = this.results.map(({ value: { rank, stage }, from }): ChunkOperation => {
      const reading = this.operations.filter(({ source, from }) => source === rank && from.buffer === 'input');
      const last = reading.reduce((latest, operation) => Math.max(latest, operation.stage), stage);
      const ends = { source: rank, destination: rank, kind: 'copy', order: 'held-first' } as const;
      return { ...ends, stage: last, part: parts - 1, from, to: data };
    });
    const scratch = this.used.reduce((most, used) => Math.max(most, used), 0);
    const messages = this.operations.filter(({ source, destination }) => source !== destination).length;
    return { operations: [...this.operations, ...results], messages, scratch, stages, parts };
  }
}
