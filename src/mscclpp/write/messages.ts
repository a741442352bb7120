/**
 * How each message goes. Senders put into the memory of receivers: into the very place where the data belongs, if everything
 * that touches this place before the receive also comes before the put; that may take a word from the receiver that it
 * is ready. Where such a word would make the two wait for each other, and where data is added to what is there, the
 * message goes into scratch of its own, from where the receiver takes it.
 */
import type { Events } from './events.ts';
import type { ChunkRow, FlatOperation, FlatPlan } from './flat.ts';

export interface MessagePlan {
  /** By receive: its place in scratch, −1 where it goes where it belongs. */
  readonly stage: Int32Array;
  /** By receive: 1 where the receiver says that it is ready. */
  readonly ready: Uint8Array;
  /** By send, 1 where the receiver's first word, that it has begun, is waited for. */
  readonly entry: Uint8Array;
  /** Chunks of scratch of each rank, places of messages included. */
  readonly scratch: readonly number[];
  readonly messages: number;
  /** Words of receivers that are sent: readiness and beginnings. */
  readonly words: number;
}

/** @param packets all messages go into scratch of their own, and nobody needs to be ready */
export function planMessages(flat: FlatPlan, events: Events, packets: boolean): MessagePlan {
  const { operations, partner, buffers } = flat;
  const stage = new Int32Array(operations.length).fill(-1);
  const ready = new Uint8Array(operations.length);
  const entry = new Uint8Array(operations.length);
  const scratch = buffers.map((own) => own.scratch);
  const touching = touches(flat);
  let messages = 0;
  let words = 0;
  operations.forEach((operation, id) => {
    if (operation.kind !== 'receive') return;
    messages++;
    const send = partner[id];
    const word = packets || operation.reduces ? 'staged' : wordFor(flat, events, touching, stage, id);
    if (word === 'ready') {
      ready[id] = 1;
      events.order.add(events.reached(id), events.done(send));
      words++;
    } else if (word === 'staged') {
      stage[id] = scratch[operation.rank];
      scratch[operation.rank] += operation.chunks.length;
    }
    if (packets || events.order.before(events.start(operation.rank), events.done(send))) return;
    entry[send] = 1;
    events.order.add(events.start(operation.rank), events.done(send));
    words++;
  });
  return { stage, ready, entry, scratch, messages, words };
}

/** By rank and cell: the operations that read or write it. */
type Touching = readonly ReadonlyMap<number, readonly number[]>[];

function touches({ operations, buffers, cell }: FlatPlan): Touching {
  const touching = buffers.map(() => new Map<number, number[]>());
  operations.forEach((operation, id) => {
    for (const { buffer, index, size } of chunkRowsOf(operation)) {
      for (let chunk = index; chunk < index + size; chunk++) {
        const own = touching[operation.rank];
        const at = cell(operation.rank, buffer, chunk);
        const known = own.get(at);
        if (known === undefined) own.set(at, [id]);
        else if (known.at(-1) !== id) known.push(id);
      }
    }
  });
  return touching;
}

export function chunkRowsOf(operation: FlatOperation): readonly ChunkRow[] {
  if (operation.kind === 'send' || operation.kind === 'receive') return operation.chunks;
  return operation.pairs.flatMap(({ source, target }) => [source, target]);
}

/** What a put to where the data belongs takes: nothing, a word of the receiver, or it cannot be. */
function wordFor(
  { operations, partner, cell }: FlatPlan,
  events: Events,
  touching: Touching,
  stage: Int32Array,
  receive: number,
): 'none' | 'ready' | 'staged' {
  const { order } = events;
  const { rank } = operations[receive];
  const put = events.done(partner[receive]);
  const others = chunkRowsOf(operations[receive]).flatMap(
    ({ buffer, index }) => touching[rank].get(cell(rank, buffer, index)) ?? [],
  );
  const isLate = others.some((other) => {
    if (other === receive || !order.before(events.done(other), events.done(receive))) return false;
    // Messages that go where they belong are there once they have been put.
    const settled = other < receive && operations[other].kind === 'receive' && stage[other] === -1;
    return !order.before(events.done(settled ? partner[other] : other), put);
  });
  if (!isLate) return 'none';
  return order.upTo(put, events.reached(receive)) ? 'staged' : 'ready';
}
