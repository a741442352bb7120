/**
 * The lanes and scratch memory of a program that exchanges one message per generator and step. Each generator has a
 * lane that sends and one that receives, a buffer where a message is packed, and two landing buffers for received
 * messages that are used alternately (double buffering). What was received in one step can thus be read while the next
 * message arrives; the message after that waits for the readers.
 */
import type { Generator } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { CompactProgram, inScratch } from './program.ts';

/** A message that was received. */
export interface ReceivedMessage {
  readonly generator: number;
  /** The receive operation. */
  readonly operation: number;
  /** Its offset in scratch. */
  readonly offset: number;
  /** Which of the two landing buffers it uses. */
  readonly landing: number;
}

export class MessageBuffers {
  readonly program = new CompactProgram();
  /** The lane for operations on the rank's own shard. */
  readonly ownLane: number;
  readonly sendLanes: readonly number[];
  readonly receiveLanes: readonly number[];
  /** Per generator, the offset of the packing buffer. */
  readonly packAt: readonly number[];
  /** Number of scratch slots used. */
  readonly scratch: number;
  private readonly sources: readonly number[];
  private readonly landAt: readonly number[];
  private readonly next: Int32Array;
  /**
   * Per landing buffer: the first receive into it, −1 for none; and by lane the last operation that read it, −1 for
   * none.
   */
  private readonly firstReceive: Int32Array;
  private readonly readers: readonly Int32Array[];
  /** The readers for which the next receive has to wait. */
  private readonly unawaited: readonly Set<number>[];

  /**
   * @param largest chunks of the largest message of each generator that is packed, and that lands
   * @param taken number of leading scratch slots reserved for other uses
   */
  constructor(
    group: TranslationGroup,
    generators: readonly Generator[],
    largest: readonly { readonly packed: number; readonly landed: number }[],
    taken = 0,
  ) {
    const { program } = this;
    this.ownLane = program.openLane(0);
    this.sendLanes = generators.map((_, g) => program.openLane(2 * g + 1));
    this.receiveLanes = generators.map((_, g) => program.openLane(2 * g + 2));
    this.sources = generators.map(({ offset }) => group.negate(offset));
    let scratch = taken;
    const take = (slots: number): number => {
      scratch += slots;
      return scratch - slots;
    };
    this.packAt = largest.map(({ packed }) => take(packed));
    this.landAt = largest.flatMap(({ landed }) => [take(landed), take(landed)]);
    this.scratch = scratch;
    this.next = Int32Array.from(generators, (_, g) => 2 * g);
    this.firstReceive = new Int32Array(2 * generators.length).fill(-1);
    const lanes = 1 + 2 * generators.length;
    this.readers = Array.from(this.firstReceive, () => new Int32Array(lanes).fill(-1));
    this.unawaited = Array.from(this.firstReceive, () => new Set<number>());
  }

  /** Receives a message into the landing buffer of a generator that is next in turn. */
  land(generator: number, step: number, count: number): ReceivedMessage {
    const landing = this.next[generator];
    this.next[generator] = landing ^ 1;
    const offset = this.landAt[landing];
    const lane = this.receiveLanes[generator];
    const operation = this.program.receive(lane, step, this.sources[generator], inScratch(offset), count);
    if (this.firstReceive[landing] < 0) this.firstReceive[landing] = operation;
    for (const reader of this.unawaited[landing]) this.program.wait(operation, this.readers[landing][reader]);
    this.unawaited[landing].clear();
    return { generator, operation, offset, landing };
  }

  /** Records that an operation of a lane reads a received message. */
  noteReader({ generator, landing }: ReceivedMessage, lane: number, operation: number): void {
    if (lane === this.receiveLanes[generator]) return;
    this.readers[landing][lane] = operation;
    this.unawaited[landing].add(lane);
  }

  /** Makes the first receive into each landing buffer wait for the readers in the previous bulk. */
  separateBulks(): void {
    this.firstReceive.forEach((operation, landing) => {
      if (operation < 0) return;
      for (const reader of this.readers[landing]) if (reader >= 0) this.program.wait(operation, reader, 1);
    });
  }
}
