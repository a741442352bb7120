/**
 * Transposition: every transfer goes the other way, in the opposite order of steps. What spread copies of a value now
 * gathers contributions to it, so broadcast becomes reduce, allgather becomes reducescatter, scatter becomes gather, and
 * the reverse of each (docs/collectives.md).
 *
 * In matrix terms a transfer adds the row of its source to that of its destination (after clearing it, for a copy); its
 * transpose adds what the destination holds to the source, and for a copy clears the destination. "Adding" to a slot that
 * holds nothing is a copy, to one that holds something a reduction; which slots hold something is followed along the
 * way. Slots that hold nothing are not sent.
 */

import { type Collective, collectiveFacts, dualKinds } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { dataWindow, type Schedule, type ScheduleBuffer, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { counted } from '../ir/units.ts';
import { deliver } from './deliver.ts';
import { partition } from './pieces.ts';
import { SlotFlags } from './slot-flags.ts';

/**
 * The schedule for the dual collective, step by step in reverse; rounds stay with their steps. Its reductions happen in
 * whatever order the transfers give, so it needs an operator that commutes.
 *
 * @param target the dual of the schedule's collective, with the same ranks, chunks and root
 * @throws CccError 'schedule' when it is not
 */
export function reverse(schedule: Schedule, target: Collective): Schedule {
  checkTarget(schedule, target);
  const { steps } = schedule;
  const live = liveAtStart(schedule, target);
  const builder = new StepsBuilder();
  let staging = 0;
  for (let step = steps.stepCount - 1; step >= 0; step--) {
    const forward = steps.inStep(step);
    const arrivals = forward.map((transfer) => turn(transfer, live)).filter(({ pieces }) => pieces.length > 0);
    for (const transfer of forward) clearCopied(transfer, live);
    const delivery = deliver(arrivals, live, schedule.scratch);
    staging = Math.max(staging, delivery.staging);
    for (const [number, transfers] of delivery.steps.entries()) {
      for (const transfer of transfers) builder.add(transfer);
      builder.endStep(number === 0 ? steps.rounds[step] : 0);
    }
  }
  return {
    name: schedule.name,
    collective: target,
    scratch: schedule.scratch + staging,
    commutative: collectiveFacts[target.kind].reduces,
    ring: schedule.ring,
    steps: builder.build(),
  };
}

function checkTarget({ name, collective }: Schedule, target: Collective): void {
  const fail = (reason: string): never => {
    throw new CccError('schedule', `${name} cannot be reversed: ${reason}`);
  };
  if (dualKinds[collective.kind] !== target.kind) fail(`the reverse of ${collective.kind} is not ${target.kind}`);
  if (collective.ranks !== target.ranks) fail(`it has ${counted(collective.ranks, 'rank')}, not ${target.ranks}`);
  if (collective.chunks !== target.chunks)
    fail(`it has ${counted(collective.chunks, 'chunk')} per shard, not ${target.chunks}`);
  if (collectiveFacts[target.kind].rooted && collective.root !== target.root) {
    fail(`its root is rank ${collective.root}, not ${target.root}`);
  }
}

/** Input and output change places; data and scratch stay what they are. */
const counterpart: Readonly<Record<ScheduleBuffer, ScheduleBuffer>> = {
  data: 'data',
  input: 'output',
  output: 'input',
  scratch: 'scratch',
};

/** The slots that hold something before the reversed schedule starts: its input. */
function liveAtStart({ scratch }: Schedule, target: Collective): SlotFlags {
  const live = new SlotFlags(target, scratch);
  for (let rank = 0; rank < target.ranks; rank++) {
    const { input, inputCount } = dataWindow(target, rank);
    live.set(rank, 'data', input, inputCount, true);
    live.set(rank, 'input', 0, inputCount, true);
  }
  return live;
}

/** A transfer the other way round, without what holds nothing; whether it copies or reduces is decided where it arrives. */
function turn(transfer: Transfer, live: SlotFlags): Transfer {
  const turned = transfer.pieces.map((piece) => ({
    from: counterpart[piece.to],
    fromOffset: piece.toOffset,
    to: counterpart[piece.from],
    toOffset: piece.fromOffset,
    count: piece.count,
  }));
  const { source, destination } = transfer;
  // Nearly always all of it is there; only otherwise is it looked at chunk by chunk.
  const isWhole = turned.every((piece) => live.all(destination, piece.from, piece.fromOffset, piece.count));
  const pieces = isWhole
    ? turned
    : partition(turned, (piece, chunk) => live.has(destination, piece.from, piece.fromOffset + chunk)).passed;
  return { ...transfer, kind: 'copy', order: 'held-first', source: destination, destination: source, pieces };
}

/** What a copy overwrote contributed nothing after that: its transpose leaves nothing there. */
function clearCopied({ kind, destination, pieces }: Transfer, live: SlotFlags): void {
  if (kind !== 'copy') return;
  for (const { to, toOffset, count } of pieces) live.set(destination, counterpart[to], toOffset, count, false);
}
