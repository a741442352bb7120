/**
 * Reversal of a schedule: every transfer goes the other way, in the opposite order of steps. Spreading copies of a value becomes gathering
 * contributions to it: broadcast becomes reduce, allgather becomes reducescatter, scatter becomes gather, and vice versa (docs/collectives.md).
 *
 * In terms of matrices a transfer adds the row of its source to the row of its destination, which a copy clears before. The transposed matrix adds
 * the destination to the source, and for a copy clears the destination. Adding to a slot that holds nothing is a copy, otherwise a reduction; so the
 * pass tracks which slots hold data, and sends no empty slots.
 */

import { type Collective, collectiveFacts, dualKinds } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { dataWindow, type Schedule, type ScheduleBuffer, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { counted } from '../ir/units.ts';
import { deliver } from './deliver.ts';
import { partition } from './pieces.ts';
import { SlotFlags } from './slot-flags.ts';

/**
 * The schedule of the dual collective, step by step in reverse order; each step keeps its number of rounds. The order of reductions follows from the
 * order of transfers, so that the operator must commute.
 *
 * @param target the dual of the schedule's collective, with the same ranks, chunks and root
 * @throws CccError 'schedule' if it is not
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

/** Reversal swaps input and output; data and scratch stay what they are. */
const counterpart: Readonly<Record<ScheduleBuffer, ScheduleBuffer>> = {
  data: 'data',
  input: 'output',
  output: 'input',
  scratch: 'scratch',
};

/** The slots that hold data before the reversed schedule starts: its input. */
function liveAtStart({ scratch }: Schedule, target: Collective): SlotFlags {
  const live = new SlotFlags(target, scratch);
  for (let rank = 0; rank < target.ranks; rank++) {
    const { input, inputCount } = dataWindow(target, rank);
    live.set(rank, 'data', input, inputCount, true);
    live.set(rank, 'input', 0, inputCount, true);
  }
  return live;
}

/** The reversed transfer without slots that hold nothing. `deliver` decides whether it copies or reduces. */
function turn(transfer: Transfer, live: SlotFlags): Transfer {
  const turned = transfer.pieces.map((piece) => ({
    from: counterpart[piece.to],
    fromOffset: piece.toOffset,
    to: counterpart[piece.from],
    toOffset: piece.fromOffset,
    count: piece.count,
  }));
  const { source, destination } = transfer;
  // Nearly always all slots hold data; only otherwise is each chunk tested.
  const isWhole = turned.every((piece) => live.all(destination, piece.from, piece.fromOffset, piece.count));
  const pieces = isWhole
    ? turned
    : partition(turned, (piece, chunk) => live.has(destination, piece.from, piece.fromOffset + chunk)).passed;
  return { ...transfer, kind: 'copy', order: 'held-first', source: destination, destination: source, pieces };
}

/**
 * Marks the slots that a copy overwrote as empty: what they held before contributed nothing to the later values, so the transpose leaves nothing
 * there.
 */
function clearCopied({ kind, destination, pieces }: Transfer, live: SlotFlags): void {
  if (kind !== 'copy') return;
  for (const { to, toOffset, count } of pieces) live.set(destination, counterpart[to], toOffset, count, false);
}
