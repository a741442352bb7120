/**
 * Padding: what keeps chips in step that cannot send while they reduce, where all messages take equally long. If in each step all
 * messages end at one moment, and then all chips reduce for equally long, nobody is ever ahead, and nothing has to be said about it
 * (handshakes.ts). So chips that would be done before others get something to do: a message that nobody reads, and a local reduction
 * of what nobody needs. A step takes α + n/β + (what the busiest chip reduces)/γ, for messages of n bytes at most.
 */
import { messageChunks } from '../../ir/collective.ts';
import type { Routes } from '../../ir/routes.ts';
import { dataWindow, type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { longestOf, type Places, reducedBy, StepMessages, transferOf } from './step-messages.ts';
import { StepRoom } from './step-room.ts';

/**
 * The same schedule in which all ranks are done with a step at the same time, as far as there are links for it; undefined where
 * messages of a step take differently long on their ways, or share links or ports. Steps after the last that reduces stay as they are.
 *
 * @param schedule its chunks are of one size, every rank of its collective has an input, and all chips reduce equally fast
 */
export function withPadding(schedule: Schedule, routes: Routes): Schedule | undefined {
  const { collective, scratch } = schedule;
  const steps = Array.from(schedule.steps.rounds, (_, step) => schedule.steps.inStep(step));
  const room = new StepRoom(routes);
  if (!steps.every((transfers) => room.isFor(transfers))) return undefined;
  const length = steps.reduce((most, transfers) => Math.max(most, longestOf(transfers)), 0);
  const [received, reduced, waiting] = [1, 2, 3].map((lengths) => scratch + lengths * length);
  const places = { sent: scratch, received, reduced, waiting, length };
  const lastReducing = steps.findLastIndex((transfers) => transfers.some(({ kind }) => kind === 'reduce'));
  const lastOf = lastSteps(steps, collective.ranks);
  const builder = new StepsBuilder();
  addFilling(builder, schedule, places);
  for (const [step, transfers] of steps.entries()) {
    const isPadded = step <= lastReducing;
    const inStep = isPadded ? Array.from(lastOf.keys()).filter((rank) => lastOf[rank] > step) : [];
    const padded = paddedStep(transfers, inStep, room, places);
    if (padded === undefined) return undefined;
    for (const transfer of padded.messages) builder.add(transfer);
    builder.endStep(schedule.steps.rounds[step]);
    for (const transfer of padded.local) builder.add(transfer);
    builder.endStep();
  }
  return { ...schedule, scratch: waiting + length, inStep: true, steps: builder.build() };
}

/** What the schedule takes with padding: step by step, the longest message and what the busiest rank reduces. */
export function secondsWithPadding({ steps, collective }: Schedule, routes: Routes, size: Bytes): Seconds {
  const { nodes, chips } = routes.topology;
  const throughput = nodes[chips[0]].reduce?.throughput ?? Number.POSITIVE_INFINITY;
  const chunkBytes = size / messageChunks(collective);
  let seconds = 0;
  for (let step = 0; step < steps.stepCount; step++) {
    const transfers = steps.inStep(step);
    const [{ source, destination, channel }] = transfers;
    const route = routes.between(source, destination, channel);
    if (route === undefined) return Number.POSITIVE_INFINITY;
    const most = Math.max(0, ...reducedBy(transfers).values());
    seconds += route.latency + chunkBytes * (longestOf(transfers) / route.bandwidth + most / throughput);
  }
  return seconds;
}

interface PaddedStep {
  readonly messages: readonly Transfer[];
  /** Reductions that follow. */
  readonly local: readonly Transfer[];
}

/**
 * A step in which the ports of all these ranks are busy until the longest message ends, and who reduces less than others then reduces
 * something else; undefined where no links are found for that. A rank for which only its own port was left gets the first choice of links.
 */
function paddedStep(
  transfers: readonly Transfer[],
  inStep: readonly number[],
  room: StepRoom,
  places: Places,
): PaddedStep | undefined {
  const first = filled(transfers, inStep, room, places);
  if (typeof first !== 'number') return first;
  const second = filled(transfers, [first, ...inStep.filter((rank) => rank !== first)], room, places);
  return typeof second === 'number' ? undefined : second;
}

/** The step with padding for these ranks in turn, or the first of them for which there is none. */
function filled(
  transfers: readonly Transfer[],
  inStep: readonly number[],
  room: StepRoom,
  places: Places,
): PaddedStep | number {
  const step = new StepMessages(transfers, places);
  room.enter(transfers);
  for (const rank of inStep) {
    if (step.isBusy(rank)) continue;
    const sender = room.senderTo(rank);
    if (sender !== undefined) step.addTo(rank, sender);
    else if (!step.lengthenOneOf(rank)) return rank;
  }
  return { messages: step.messages, local: [...step.delayed, ...inStep.flatMap((rank) => step.reductionsAt(rank))] };
}

/** Before the first step there must be something in what is sent, and in what is reduced to. */
function addFilling(builder: StepsBuilder, { collective }: Schedule, { sent, reduced, length }: Places): void {
  for (let rank = 0; rank < collective.ranks; rank++) {
    const { input, inputCount } = dataWindow(collective, rank);
    const source =
      input < 0 ? ({ from: 'input', fromOffset: 0 } as const) : ({ from: 'data', fromOffset: input } as const);
    for (let at = 0; at < length; at += inputCount) {
      const count = Math.min(inputCount, length - at);
      for (const place of [sent, reduced]) {
        builder.add(transferOf('copy', rank, rank, { ...source, to: 'scratch', toOffset: place + at, count }));
      }
    }
  }
  builder.endStep();
}

/** The last step in which each rank sends or receives, −1 if there is none. */
function lastSteps(steps: readonly (readonly Transfer[])[], ranks: number): Int32Array {
  const last = new Int32Array(ranks).fill(-1);
  for (const [step, transfers] of steps.entries()) {
    for (const { source, destination } of transfers) {
      last[source] = step;
      last[destination] = step;
    }
  }
  return last;
}
