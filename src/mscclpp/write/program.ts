/** Converts a proved plan to programs of the executor. */
import type { Plan } from '../../ir/plan.ts';
import { blocksOfLane, type Plans, Resources } from './blocks.ts';
import type { EmittedChannelType, GpuProgram, Instruction } from './document.ts';
import { Events } from './events.ts';
import { flatten } from './flat.ts';
import { type MessagePlan, planMessages } from './messages.ts';
import { runOrderOf } from './run-order.ts';
import { type SynchronisationWaits, synchronisationWaitsOf, withLocalWaits } from './waits.ts';

export interface Programs {
  readonly gpus: readonly GpuProgram[];
  readonly messages: MessagePlan;
  readonly waits: SynchronisationWaits;
}

/** @param typeOf the type of channel with which a rank reaches another one */
export function programsOf(
  plan: Plan,
  packets: boolean,
  typeOf: (from: number, to: number) => EmittedChannelType,
): Programs {
  const whole = flatten(plan);
  const run = runOrderOf(whole);
  const byPlace = whole.operations.map((_, id) => id).sort((a, b) => run.done[a] - run.done[b]);
  const flat = packets ? withLocalWaits(whole, byPlace, new Events(whole, run, false)) : whole;
  const events = new Events(flat, run, !packets);
  const messages = planMessages(flat, events, byPlace, packets);
  const waits = synchronisationWaitsOf(flat, events, messages);
  const resources = flat.buffers.map(() => new Resources());
  const waiting: number[][] = flat.operations.map(() => []);
  const semaphores = new Map<string, number>();
  waits.of.forEach((earlier, later) => {
    for (const id of earlier) {
      waiting[id].push(later);
      semaphores.set(`${id} ${later}`, resources[flat.operations[id].rank].semaphore());
    }
  });
  const semaphoreOf = (earlier: number, later: number): number => semaphores.get(`${earlier} ${later}`) ?? 0;
  const plans: Plans = { flat, messages, waits, packets, semaphoreOf, waiting, typeOf };
  const blocks: Instruction[][][] = flat.buffers.map(() => []);
  orderChannels(plans, resources);
  for (const lane of lanesOf(flat.operations)) {
    const { rank } = flat.operations[lane[0]];
    blocks[rank].push(...blocksOfLane(plans, resources[rank], lane));
  }
  const gpus = flat.buffers.map((buffers, rank) => ({
    chunks: {
      // The executor divides by both sizes; a rank without input or output passes a buffer that nobody accesses.
      input: buffers.input === 0 ? buffers.output : buffers.input,
      output: buffers.output === 0 ? buffers.input : buffers.output,
      scratch: messages.scratch[rank],
    },
    blocks: blocks[rank],
    channels: resources[rank].channels,
    semaphores: resources[rank].semaphores,
  }));
  return { gpus, messages, waits };
}

function lanesOf(operations: readonly { readonly lane: number }[]): readonly (readonly number[])[] {
  const lanes = new Map<number, number[]>();
  operations.forEach(({ lane }, id) => {
    const known = lanes.get(lane);
    if (known === undefined) lanes.set(lane, [id]);
    else known.push(id);
  });
  return [...lanes.values()];
}

/** Orders the channels of each pair of ranks in the same way at both ends, by the order of the sends. */
function orderChannels({ flat, typeOf }: Plans, resources: readonly Resources[]): void {
  for (const operation of flat.operations) {
    if (operation.kind !== 'send') continue;
    const { rank, peer, channel } = operation;
    const type = typeOf(rank, peer);
    resources[rank].channel(rank, peer, channel, rank, type);
    resources[peer].channel(rank, peer, channel, peer, type);
  }
}
