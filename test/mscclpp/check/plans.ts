/** MSCCL++ execution plans written tersely, for tests. Chunks are `i2` (input 2), `s0:2` (scratch 0 and 1), `r1.3` (remote buffer 1), `w0.1` (switch). */
import type { SourceText } from '../../../src/ir/diagnostic.ts';
import { type Judgement, judgeExecutionPlan } from '../../../src/mscclpp/check/index.ts';
import { readMscclpp } from '../../../src/mscclpp/read/index.ts';

export interface ChunkJson {
  type?: string;
  buffer_id?: number;
  switch_channel_id?: number;
  index: number;
  size: number;
}

export interface OpJson {
  name: string;
  src_buff?: ChunkJson[];
  dst_buff?: ChunkJson[];
  channel_ids?: number[];
  channel_type?: string;
  semaphore_ids?: number[];
  barrier_id?: number;
  num_threadblocks?: number;
  tbg_info?: { tb_id: number; tbg_size: number };
  iter_context?: { unit_size: number; num_chunks: number };
  ops?: OpJson[];
}

export interface BlockJson {
  id: number;
  ops: OpJson[];
  channels: { channel_type: string; channel_ids: number[] }[];
  remote_buffer_refs: { access_channel_type: string; remote_buffer_ids: number[] }[];
}

export interface GpuJson {
  id: number;
  input_chunks: number;
  output_chunks: number;
  scratch_chunks: number;
  threadblocks: BlockJson[];
  channels: { channel_type: string; connected_to?: number[]; buffer_type?: string; rank_groups?: object[] }[];
  remote_buffers: { rank: number; type: string; access_channel_types: string[] }[];
  semaphores: { init_value: number }[];
}

export interface PlanJson {
  name: string;
  collective: string;
  protocol: string;
  inplace: boolean;
  gpus: GpuJson[];
  [key: string]: unknown;
}

/** What a gpu of a test has; its blocks may use all of it. */
export interface Parts {
  readonly chunks: readonly [input: number, output: number, scratch: number];
  readonly memory?: readonly number[];
  readonly port?: readonly number[];
  /** `[1, 's']`: scratch of gpu 1. */
  readonly remote?: readonly (readonly [number, string])[];
  readonly semaphores?: readonly number[];
  /** Buffer of a switch channel of all gpus. */
  readonly group?: { readonly buffer: string; readonly ranks: number[] };
}

export function plan(collective: string, inplace: boolean, gpus: readonly GpuJson[], more: object = {}): PlanJson {
  const numbered = gpus.map((one, id) => ({ ...one, id }));
  return { name: 'tiny', collective, protocol: 'Simple', inplace, gpus: numbered, ...more };
}

export function gpu(
  { chunks, memory = [], port = [], remote = [], semaphores = [], group }: Parts,
  ...blocks: OpJson[][]
): GpuJson {
  const [input_chunks, output_chunks, scratch_chunks] = chunks;
  const ids = (list: readonly unknown[]): number[] => list.map((_, id) => id);
  const channels = [
    { channel_type: 'memory', channel_ids: ids(memory) },
    { channel_type: 'port', channel_ids: ids(port) },
    ...(group === undefined ? [] : [{ channel_type: 'switch', channel_ids: [0] }]),
  ];
  const remote_buffer_refs = ['memory', 'port'].map((access_channel_type) => ({
    access_channel_type,
    remote_buffer_ids: ids(remote),
  }));
  return {
    id: 0,
    ...{ input_chunks, output_chunks, scratch_chunks },
    threadblocks: blocks.map((ops, id) => ({ id, ops, channels, remote_buffer_refs })),
    channels: [
      { channel_type: 'memory', connected_to: [...memory] },
      { channel_type: 'port', connected_to: [...port] },
      ...(group === undefined
        ? []
        : [{ channel_type: 'switch', buffer_type: group.buffer, rank_groups: [{ size: 2, ranks: group.ranks }] }]),
    ],
    remote_buffers: remote.map(([rank, type]) => ({ rank, type, access_channel_types: ['memory', 'port'] })),
    semaphores: semaphores.map((init_value) => ({ init_value })),
  };
}

function chunk(text: string): ChunkJson {
  const [, kind, id, index, size] = /^([iosrw])(?:(\d+)\.)?(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (kind === undefined) throw new Error(`no chunk: ${text}`);
  const where =
    kind === 'r' ? { buffer_id: Number(id) } : kind === 'w' ? { switch_channel_id: Number(id) } : { type: kind };
  return { ...where, index: Number(index), size: Number(size ?? 1) };
}

/** `move('put', 'i0 > r0.1')`; channels for ports. */
export function move(name: string, text: string, channel_type = 'memory', channel_ids?: number[]): OpJson {
  const [src, dst] = text.split('>').map((side) => side.trim().split(/\s+/).map(chunk));
  const reaches = /[rw]\d+\./.test(text);
  return {
    name,
    src_buff: src,
    dst_buff: dst,
    ...(reaches ? { channel_type } : {}),
    ...(channel_ids && { channel_ids }),
  };
}

export const nop: OpJson = { name: 'nop' };
export const signal = (...channel_ids: number[]): OpJson => ({ name: 'signal', channel_ids, channel_type: 'memory' });
export const wait = (...channel_ids: number[]): OpJson => ({ name: 'wait', channel_ids, channel_type: 'memory' });
export const relaxed = (op: OpJson): OpJson => ({ ...op, name: `rlx${op.name}` });
export const overPort = (op: OpJson): OpJson => ({ ...op, channel_type: 'port' });
export const acquire = (...semaphore_ids: number[]): OpJson => ({ name: 'sem_acquire', semaphore_ids });
export const release = (...semaphore_ids: number[]): OpJson => ({ name: 'sem_release', semaphore_ids });
export const barrier = (barrier_id: number, num_threadblocks: number): OpJson => ({
  name: 'barrier',
  barrier_id,
  num_threadblocks,
});
export const share = (op: OpJson, tb_id: number, tbg_size: number): OpJson => ({
  ...op,
  tbg_info: { tb_id, tbg_size },
});

export function sourceOf(json: unknown): SourceText {
  return { name: 'plan.json', text: JSON.stringify(json, null, 1) };
}

export function judge(json: unknown): Judgement['verification'] {
  return judgeExecutionPlan(readMscclpp(sourceOf(json))).verification;
}

/** Allreduce of two gpus in place: each takes the other's half, adds it and puts it back. */
export function exchange(): PlanJson {
  const side = (other: number): GpuJson => {
    const [own, theirs] = [1 - other, other];
    return gpu(
      {
        chunks: [2, 2, 1],
        memory: [other],
        remote: [
          [other, 's'],
          [other, 'i'],
        ],
      },
      [
        ...[signal(0), wait(0), nop, move('put', `i${theirs} > r0.0`), nop, signal(0), wait(0), nop],
        ...[move('res', `i${own} s0 > i${own} r1.${own}`), nop, signal(0), wait(0)],
      ],
    );
  };
  return plan('allreduce', true, [side(1), side(0)]);
}

/** The same in packets, two blocks on each side. */
export function packetExchange(): PlanJson {
  const side = (other: number): GpuJson => {
    const [own, theirs] = [1 - other, other];
    return gpu(
      { chunks: [2, 2, 2], memory: [other], remote: [[other, 's']] },
      [move('ppkt', `i${theirs} > r0.0`), move('upkt', `s1 > i${theirs}`)],
      [move('respkt', `i${own} s0 > i${own} r0.1`)],
    );
  };
  return plan('allreduce', true, [side(1), side(0)], { protocol: 'LL' });
}

/** Allgather over port channels: put with signal and flush. */
export function portAllgather(): PlanJson {
  const side = (own: number): GpuJson =>
    gpu({ chunks: [1, 2, 0], port: [1 - own], remote: [[1 - own, 'o']] }, [
      ...[overPort(signal(0)), overPort(wait(0)), nop],
      ...[move('pwsf', `i0 > r0.${own}`, 'port', [0]), move('copy', `i0 > o${own}`), overPort(wait(0))],
    ]);
  return plan('allgather', false, [side(0), side(1)]);
}
