/**
 * Decides how each message is transferred. A sender writes into the receiver's memory: directly to the destination of the data, if all conflicting
 * accesses before the receive also precede the put. That may need a signal by which the receiver announces that it is ready (a handshake). If the
 * handshake would cause a deadlock, or if the data is added to the destination, the message goes to scratch of its own, from where the receiver takes
 * it.
 */
import { CellHistory } from './cell-history.ts';
import type { Events } from './events.ts';
import type { FlatPlan } from './flat.ts';

export interface MessagePlan {
  /** By receive: the first chunk of its staging area in scratch; −1 if the message is put directly to its destination. */
  readonly stage: Int32Array;
  /** By receive: 1 where the receiver signals that it is ready. */
  readonly ready: Uint8Array;
  /** By send: 1 if the sender waits for the receiver's first signal, that it has begun. */
  readonly entry: Uint8Array;
  /** By rank: chunks of scratch, including the staging areas. */
  readonly scratch: readonly number[];
  readonly messages: number;
  /** Number of signals from receivers to senders: of readiness and of having begun. */
  readonly handshakes: number;
}

/**
 * @param byPlace all operations in the order in which they are done in a run
 * @param packets whether all messages go through scratch of their own, so that no receiver needs to be ready
 */
export function planMessages(
  flat: FlatPlan,
  events: Events,
  byPlace: readonly number[],
  packets: boolean,
): MessagePlan {
  const { operations, partner, buffers } = flat;
  const stage = new Int32Array(operations.length).fill(-1);
  const ready = new Uint8Array(operations.length);
  const entry = new Uint8Array(operations.length);
  const scratch = buffers.map((own) => own.scratch);
  const history = new CellHistory(flat);
  let messages = 0;
  let handshakes = 0;
  for (const id of byPlace) {
    const operation = operations[id];
    if (operation.kind === 'receive') {
      messages++;
      const put = events.done(partner[id]);
      const needs = packets || operation.reduces ? 'stage' : needsOf(flat, events, history, stage, id);
      if (needs === 'handshake') {
        ready[id] = 1;
        events.add(events.reached(id), put);
        handshakes++;
      } else if (needs === 'stage') {
        stage[id] = scratch[operation.rank];
        scratch[operation.rank] += operation.chunks.length;
      }
      if (!packets && !events.isBefore(events.start(operation.rank), put)) {
        entry[partner[id]] = 1;
        events.add(events.start(operation.rank), put);
        handshakes++;
      }
    }
    history.record(id);
  }
  return { stage, ready, entry, scratch, messages, handshakes };
}

/** What a put needs in order to go directly to its destination: nothing or a handshake. `stage` if it cannot. */
function needsOf(
  { operations, partner }: FlatPlan,
  events: Events,
  history: CellHistory,
  stage: Int32Array,
  receive: number,
): 'nothing' | 'handshake' | 'stage' {
  const put = events.done(partner[receive]);
  for (const earlier of history.conflicts(receive)) {
    // A received message that is put directly is in memory as soon as its put is done.
    const isPut = operations[earlier].kind === 'receive' && stage[earlier] === -1;
    if (events.isBefore(events.done(isPut ? partner[earlier] : earlier), put)) continue;
    return events.placeOf(events.reached(receive)) < events.placeOf(put) ? 'handshake' : 'stage';
  }
  return 'nothing';
}
