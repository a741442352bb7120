/**
 * Handshakes: what keeps chips in step that cannot send while they reduce. A chip that is ahead sends to one that still waits for
 * another message of the step before; that one can then not reduce until the early message is over, so that its other neighbours
 * wait as well, and soon links are busy half of the time. So before a step every receiver tells each of its senders that it has
 * reduced all that came before, by a message of a single chunk: a handshake, as networks with flow control have it (Kung and
 * Morris 1995). A step then takes 2α + n/β + (what the busiest chip reduces)/γ.
 */
import { dataWindow, type Piece, type Schedule, type Steps, StepsBuilder, type Transfer } from '../../ir/schedule.ts';

/**
 * The same schedule in which nobody sends to a rank that has not reduced everything of the steps before. Handshakes precede
 * all steps but the first with messages that are reduced at once, or in the local steps that follow; they are copies of one chunk of
 * scratch into another, where nobody reads them.
 *
 * @param schedule every rank of its collective has an input
 * @param inputChunk the chunk of every rank's input that handshakes are as long as, and not empty
 */
export function withHandshakes(schedule: Schedule, inputChunk = 0): Schedule {
  const { steps, collective, scratch } = schedule;
  const places = new HandshakePlaces(scratch);
  const builder = new StepsBuilder();
  for (let rank = 0; rank < collective.ranks; rank++) {
    const { input } = dataWindow(collective, rank);
    const from = input < 0 ? 'input' : 'data';
    const fromOffset = Math.max(0, input) + inputChunk;
    const piece: Piece = { from, fromOffset, to: 'scratch', toOffset: scratch, count: 1 };
    builder.add(copy(rank, rank, piece));
  }
  builder.endStep();
  for (let step = 0; step < steps.stepCount; step++) {
    const transfers = steps.inStep(step);
    if (step > 0 && isReducedNext(steps, step)) {
      for (const [receiver, senders] of sendersOf(transfers)) {
        for (const sender of senders) {
          const toOffset = places.of(receiver, sender);
          builder.add(
            copy(receiver, sender, { from: 'scratch', fromOffset: scratch, to: 'scratch', toOffset, count: 1 }),
          );
        }
      }
      builder.endStep();
    }
    for (const transfer of transfers) builder.add(transfer);
    builder.endStep(steps.rounds[step]);
  }
  return { ...schedule, scratch: places.end, inStep: true, steps: builder.build() };
}

function copy(source: number, destination: number, piece: Piece): Transfer {
  const plain = { kind: 'copy', channel: 0, order: 'held-first', origin: undefined } as const;
  return { ...plain, source, destination, pieces: [piece] };
}

/** Whether this step, or a local one before messages go again, has reductions. */
function isReducedNext(steps: Steps, step: number): boolean {
  for (let next = step; next < steps.stepCount; next++) {
    for (let t = steps.stepStart[next]; t < steps.stepStart[next + 1]; t++) {
      if (steps.isReduce(t)) return true;
      if (next > step && steps.source[t] !== steps.destination[t]) return false;
    }
  }
  return false;
}

/** Of each rank that messages come to, from whom. */
function sendersOf(transfers: readonly Transfer[]): ReadonlyMap<number, ReadonlySet<number>> {
  const senders = new Map<number, Set<number>>();
  for (const { source, destination } of transfers) {
    if (source === destination) continue;
    senders.set(destination, (senders.get(destination) ?? new Set()).add(source));
  }
  return senders;
}

/** Where handshakes go: each rank has a chunk of scratch for every rank that it gets handshakes from, behind the one that it sends. */
class HandshakePlaces {
  private readonly first: number;
  private readonly known = new Map<number, Map<number, number>>();
  private most = 0;

  constructor(scratch: number) {
    this.first = scratch + 1;
  }

  of(giver: number, taker: number): number {
    const places = this.known.get(taker) ?? new Map<number, number>();
    this.known.set(taker, places);
    const place = places.get(giver) ?? places.size;
    places.set(giver, place);
    this.most = Math.max(this.most, places.size);
    return this.first + place;
  }

  get end(): number {
    return this.first + this.most;
  }
}
