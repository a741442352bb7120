/**
 * Assigns a plan to thread blocks: tries several arrangements and takes the first that satisfies the limits of the runtimes and does not deadlock
 * there.
 */
import type { Plan } from '../../ir/plan.ts';
import { actionsInOrder } from './actions.ts';
import { blocksOf, type RankThreadBlocks } from './blocks.ts';
import { channelsOf, type MscclChannels } from './channels.ts';
import { gpuOf } from './gpu.ts';
import { mscclLimits } from './limits.ts';
import { fuse, type Pairing, pairUp } from './pairing.ts';
import { operationsOfRank, type RankOperations } from './program-order.ts';
import { runsToTheEnd } from './rehearsal.ts';
import type { EmittedGpu, MscclProfile } from './target.ts';

/** How receiving and sending thread blocks are merged. */
type Arrangement = (plan: Plan, rank: RankOperations, blocks: RankThreadBlocks) => Pairing;

const apart: Arrangement = (_plan, _rank, blocks) => ({ blocks, forwards: new Map() });
const paired: Arrangement = (_plan, _rank, blocks) => pairUp(blocks);

export interface Arranged {
  readonly channels: number;
  readonly gpus: readonly EmittedGpu[];
}

/** The thread blocks of a plan, or the reasons why the profile's runtimes could run none of the arrangements. */
export function arrange(plan: Plan, profile: MscclProfile): Arranged | { readonly lacking: readonly string[] } {
  const channels = channelsOf(plan);
  let lacking: readonly string[] = [];
  for (const arrangement of profile.fuses ? [fuse, apart, paired] : [apart, paired]) {
    const gpus = gpusOf(plan, channels, arrangement, profile.mostSteps / 2);
    if (gpus === undefined) continue;
    const arranged = { channels: channels.count, gpus };
    const exceeded = limitsExceeded(arranged, profile);
    if (exceeded.length === 0 && runsToTheEnd(gpus)) return arranged;
    if (lacking.length > 0) continue;
    lacking = exceeded.length > 0 ? exceeded : ['its thread blocks would deadlock with 2 transfers per connection'];
  }
  return { lacking };
}

/** Returns undefined if an arrangement creates a cycle of steps that wait for each other. */
function gpusOf(
  plan: Plan,
  channels: MscclChannels,
  arrangement: Arrangement,
  mostLocal: number,
): EmittedGpu[] | undefined {
  const gpus: EmittedGpu[] = [];
  for (let rank = 0; rank < plan.buffers.length; rank++) {
    const operations = operationsOfRank(plan, rank);
    const pairing = arrangement(plan, operations, blocksOf(plan, operations, channels, mostLocal));
    const actions = actionsInOrder(plan, operations, pairing);
    if (actions === undefined) return undefined;
    gpus.push(gpuOf(plan, rank, pairing.blocks.ends, actions));
  }
  return gpus;
}

function limitsExceeded({ channels, gpus }: Arranged, { mostSteps, mostBlocks }: MscclProfile): string[] {
  const blocks = gpus.flatMap((gpu) => gpu.blocks);
  const peers = gpus.flatMap((gpu) => [...peersPerChannel(gpu, 'send'), ...peersPerChannel(gpu, 'receive')]);
  const counts = [
    { count: largest(blocks.map(({ steps }) => steps.length)), most: mostSteps, what: 'steps of a thread block' },
    { count: largest(gpus.map((gpu) => gpu.blocks.length)), most: mostBlocks, what: 'thread blocks of a rank' },
    { count: largest(peers), most: mscclLimits.peersPerChannel, what: 'peers of a rank on one channel' },
    { count: channels, most: mscclLimits.channels, what: 'channels' },
  ];
  return counts
    .filter(({ count, most }) => count > most)
    .map(({ count, most, what }) => `it needs ${count} ${what}, and runtimes have ${most}`);
}

function peersPerChannel({ blocks }: EmittedGpu, direction: 'send' | 'receive'): Iterable<number> {
  const peers = new Map<number, number>();
  for (const block of blocks) {
    if (block[direction] >= 0) peers.set(block.channel, (peers.get(block.channel) ?? 0) + 1);
  }
  return peers.values();
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
