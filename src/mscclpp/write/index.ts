/** Emitters of MSCCL++ execution plans, with signals or with packets. */

import { type Emitter, type OpenBundle, opened, type PlanBundle } from '../../emit/emitter.ts';
import { inLargestChunks } from '../../emit/msccl/coarse.ts';
import { collectiveFacts } from '../../ir/collective.ts';
import { jsonText } from '../../ir/plain-text.ts';
import type { Plan } from '../../ir/plan.ts';
import { counted } from '../../ir/units.ts';
import { documentOf, type EmittedChannelType } from './document.ts';
import { type Programs, programsOf } from './program.ts';
import { addressLacking, blocksLacking, probablyLackingRoom, surelyLackingRoom } from './room.ts';
import { addressable, executor, type MscclppProfile, packetProfile, simple } from './target.ts';

export const mscclpp = emitterFor(
  simple,
  'execution plan for MSCCL++: memory channels in a box, port channels between boxes',
);
export const mscclppPackets = emitterFor(
  packetProfile,
  'execution plan for MSCCL++ in LL packets, for short messages in one box',
);

/** Collectives that the format can name. In each of them every rank needs data of every other rank. */
const named: ReadonlySet<string> = new Set(['allgather', 'allreduce', 'reducescatter', 'alltoall']);

function emitterFor(profile: MscclppProfile, about: string) {
  return {
    name: profile.name,
    about,
    reread: 'execution-plan',
    check: (bundle: PlanBundle): readonly string[] => {
      const { proved, topology } = bundle;
      const lacking = notInFormat(bundle, profile);
      if (lacking.length > 0) return lacking;
      const early = surelyLackingRoom(proved.plan, topology);
      return early.length > 0 ? early : limitsExceeded(arranged(unopened(bundle), profile), bundle, profile);
    },
    lackingRoom: probablyLackingRoom,
    emit: (bundle: PlanBundle): Iterable<string> => {
      const open = opened(bundle);
      const { plan } = open;
      const { kind, inPlace } = plan.collective;
      const programs = arranged(open, profile);
      const header = {
        name: plan.name,
        collective: named.has(kind) ? kind : 'custom',
        packets: profile.packets,
        inPlace,
        mostBytes: mostBytes(programs, plan, profile),
      };
      return [`${jsonText(documentOf(header, programs.gpus), 1)}\n`];
    },
    remarks: (bundle: PlanBundle): readonly string[] => remarksOn(arranged(unopened(bundle), profile)),
  } satisfies Emitter;
}

/** The features of the plan that the format cannot express, however the plan is arranged. */
function notInFormat({ proved, topology }: PlanBundle, { packets: usesPackets }: MscclppProfile): readonly string[] {
  const { plan } = proved;
  const { kind, op, ordered, counts, ranks } = plan.collective;
  const lacking: string[] = [];
  if (kind === 'barrier') lacking.push('the format has no barrier of gpus that moves nothing');
  if (counts !== undefined) lacking.push('the format has no shards of different sizes');
  if (collectiveFacts[kind].reduces && op !== 'sum')
    lacking.push(`the runtime adds up, whatever reduce_op says: no ${op}`);
  if (collectiveFacts[kind].reduces && ordered) lacking.push('the runtime keeps no order of operands');
  if (kind === 'custom' && plan.bulks > 1)
    lacking.push('a custom collective has no shards to divide into bulks (--bulks 1)');
  if (plan.buffers.some(({ input, output }) => input + output === 0)) lacking.push('every gpu needs a buffer');
  if (usesPackets && !named.has(kind)) {
    lacking.push(`packets of a call may overtake those of the call before: for ${[...named].join(', ')} only`);
  }
  const far = boxesOf({ topology, ranks });
  if (usesPackets && messagesCross(plan, far)) lacking.push('packets are written for memory channels, within a box');
  return lacking;
}

/** The box of each rank: the groups that the topology declares. */
function boxesOf({
  topology,
  ranks,
}: {
  readonly topology: PlanBundle['topology'];
  readonly ranks: number;
}): Int32Array {
  const boxes = new Int32Array(ranks);
  topology?.groups.forEach((group, box) => {
    for (const rank of group) boxes[rank] = box;
  });
  return boxes;
}

function messagesCross(plan: Plan, boxes: Int32Array): boolean {
  return plan.buffers.some((_, rank) => {
    const [first, last] = [plan.firstLane[rank], plan.firstLane[rank + 1]];
    const peers = plan.ops.peer.subarray(plan.firstOp[first], plan.firstOp[last]);
    return peers.some((peer) => peer >= 0 && boxes[peer] !== boxes[rank]);
  });
}

/** The plan without opening its proof, for uses that do not write it: whether the format can express it, and figures. */
function unopened({ proved: { plan }, topology }: PlanBundle): Pick<OpenBundle, 'plan' | 'topology'> {
  return { plan, topology };
}

function arranged({ plan: given, topology }: Pick<OpenBundle, 'plan' | 'topology'>, profile: MscclppProfile): Programs {
  const plan = given.collective.kind === 'custom' ? given : inLargestChunks(given);
  const boxes = boxesOf({ topology, ranks: plan.collective.ranks });
  const typeOf = (from: number, to: number): EmittedChannelType => (boxes[from] === boxes[to] ? 'memory' : 'port');
  return programsOf(plan, profile.packets, typeOf);
}

function limitsExceeded(
  programs: Programs,
  { size, proved, topology }: PlanBundle,
  profile: MscclppProfile,
): readonly string[] {
  const blocks = programs.gpus.reduce((max, gpu) => Math.max(max, gpu.blocks.length), 0);
  const chunks = programs.gpus.flatMap(({ chunks: { input, output } }) => [input, output]);
  const addressed = largestChunk(programs, profile) * Math.max(...chunks);
  return [...blocksLacking(blocks, proved.plan, topology), ...addressLacking(size, addressed)];
}

/** The maximum bytes of a chunk for which all offsets, also in scratch, fit 32 bits. */
function largestChunk({ gpus }: Programs, { packets: usesPackets }: MscclppProfile): number {
  // Packets double the size, and scratch has two halves.
  const times = usesPackets ? 4 : 1;
  const chunks = Math.max(
    1,
    ...gpus.flatMap(({ chunks: { input, output, scratch } }) => [input, output, times * scratch]),
  );
  return Math.floor((addressable - 1) / chunks / executor.alignment) * executor.alignment;
}

/** The maximum message size. The runtime counts the input of each gpu or, for allgather, the output. */
function mostBytes(programs: Programs, { collective }: Plan, profile: MscclppProfile): number {
  const counted = programs.gpus.map(({ chunks }) => (collective.kind === 'allgather' ? chunks.output : chunks.input));
  return largestChunk(programs, profile) * Math.min(...counted);
}

function remarksOn({ gpus, messages, waits }: Programs): readonly string[] {
  const blocks = gpus.flatMap((gpu) => gpu.blocks);
  const longest = blocks.reduce((most, block) => Math.max(most, block.length), 0);
  const most = gpus.reduce((largest, gpu) => Math.max(largest, gpu.blocks.length), 0);
  const saved = messages.messages - messages.handshakes;
  return [
    `${counted(most, 'block')} of a gpu, at most ${counted(longest, 'operation')} in one; ` +
      `${saved} of ${counted(messages.messages, 'handshake')} before messages and ${waits.implied} of ${counted(waits.wanted, 'wait')} ` +
      'between blocks left out, since others give their order',
  ];
}

/** Figures of the written plan, for measurements. @param format the name of an emitter of this file */
export function executionFigures(bundle: PlanBundle, format: string = simple.name) {
  const { gpus, messages, waits } = arranged(unopened(bundle), format === packetProfile.name ? packetProfile : simple);
  return {
    blocks: gpus.reduce((largest, gpu) => Math.max(largest, gpu.blocks.length), 0),
    operations: gpus.flatMap((gpu) => gpu.blocks.map((block) => block.length)),
    messages: messages.messages,
    handshakes: messages.handshakes,
    waits: waits.wanted,
    waitsImplied: waits.implied,
  };
}
