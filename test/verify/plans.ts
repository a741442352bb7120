/** Small plans as text, for tests: one string per operation, one list of them per lane, one list of lanes per rank. */
import type { Collective } from '../../src/ir/collective.ts';
import { inputChunks, outputChunks } from '../../src/ir/collective.ts';
import {
  type NewOperation,
  type OperationKind,
  operationFrom,
  type Plan,
  PlanBuilder,
  type Slice,
} from '../../src/ir/plan.ts';
import { collectiveOf } from '../collectives.ts';

export type Programs = readonly (readonly (readonly string[])[])[];

export interface PlanText {
  readonly collective: Collective;
  readonly programs: Programs;
  readonly scratch?: number;
  readonly bulks?: number;
  readonly scratchPerBulk?: number;
  readonly rounds?: readonly number[];
}

const buffers = { i: 'input', o: 'output', s: 'scratch' } as const;

/** `o2` is chunk 2 of the output, `s0*3` three chunks of scratch. */
function slice(text: string): Slice {
  const match = /^([ios])(-?\d+)(?:\*(\d+))?$/.exec(text);
  if (match === null) throw new Error(`not a slice: ${text}`);
  const [, letter, offset, count = '1'] = match;
  return {
    buffer: buffers[letter === 'i' || letter === 'o' ? letter : 's'],
    offset: Number(offset),
    count: Number(count),
  };
}

interface ParsedOperation {
  readonly operation: NewOperation;
  /** Lane, index and bulks back of each `after`. */
  readonly after: readonly (readonly [number, number, number])[];
}

/**
 * `copy i0 o0`, `reduce s0 o0`, `send o0 1` (to rank 1), `recv o0 1`, `recvReduce o0 1` (from rank 1); then any of `ch=2`,
 * `step=1`, `first` (received first), `after=0.2` (lane 0, operation 2), `after=0.2/1` (one bulk earlier).
 */
function parse(text: string): ParsedOperation {
  const [kind, first, second, ...rest] = text.split(' ');
  const option = (name: string): number =>
    Number(rest.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? 0);
  const local = kind === 'copy' || kind === 'reduce';
  const after = rest
    .filter((word) => word.startsWith('after='))
    .map((word): [number, number, number] => {
      const [lane, index, bulks = '0'] = word.slice(6).split(/[./]/);
      return [Number(lane), Number(index), Number(bulks)];
    });
  const operation = operationFrom(kind as OperationKind, {
    step: option('step'),
    order: rest.includes('first') ? 'received-first' : 'held-first',
    ...(local ? { src: slice(first), dst: slice(second) } : { peer: Number(second), channel: option('ch') }),
    ...(kind === 'send' ? { src: slice(first) } : {}),
    ...(kind === 'recv' || kind === 'recvReduce' ? { dst: slice(first) } : {}),
  });
  return { operation, after };
}

/** Builds the plan; lane ids are 0, 1, … */
export function planOf(text: PlanText): Plan {
  const builder = new PlanBuilder();
  text.programs.forEach((lanes, rank) => {
    const parsed = lanes.map((operations) => operations.map(parse));
    const handles = parsed.map((operations, id) => {
      const lane = builder.openLane(rank, id);
      return operations.map(({ operation }) => builder.add(lane, operation));
    });
    parsed.forEach((operations, lane) => {
      operations.forEach(({ after }, index) => {
        for (const [l, i, bulks] of after) builder.wait(handles[lane][index], handles[l][i], bulks);
      });
    });
  });
  return builder.build({
    name: 'test',
    collective: text.collective,
    bulks: text.bulks ?? 1,
    scratchPerBulk: text.scratchPerBulk ?? 1,
    rounds: text.rounds ?? [],
    buffers: text.programs.map((_, rank) => ({
      input: inputChunks(text.collective, rank),
      output: outputChunks(text.collective, rank),
      scratch: text.scratch ?? 0,
    })),
  });
}

/** Ring allreduce, in place, one send lane (0) and one receive lane (1) per rank: N shards, 2(N − 1) steps. */
export function ringAllreduce(ranks: number): PlanText {
  const shard = (value: number): number => ((value % ranks) + ranks) % ranks;
  const steps = Array.from({ length: 2 * ranks - 2 }, (_, s) => s);
  const programs = Array.from({ length: ranks }, (_, r) => [
    steps.map((s) => `send o${shard(r - s)} ${shard(r + 1)} step=${s + 1}${s === 0 ? '' : ` after=1.${s - 1}`}`),
    steps.map((s) => `${s < ranks - 1 ? 'recvReduce' : 'recv'} o${shard(r - s - 1)} ${shard(r - 1)} step=${s + 1}`),
  ]);
  return { collective: collectiveOf('allreduce', ranks, { chunks: ranks, inPlace: true }), programs };
}

/** Ring allgather out of place: a local copy, then N − 1 steps. */
export function ringAllgather(ranks: number): PlanText {
  const shard = (value: number): number => ((value % ranks) + ranks) % ranks;
  const steps = Array.from({ length: ranks - 1 }, (_, s) => s);
  const programs = Array.from({ length: ranks }, (_, r) => [
    [`copy i0 o${r}`],
    steps.map((s) => (s === 0 ? `send i0 ${shard(r + 1)}` : `send o${shard(r - s)} ${shard(r + 1)} after=2.${s - 1}`)),
    steps.map((s) => `recv o${shard(r - s - 1)} ${shard(r - 1)}`),
  ]);
  return { collective: collectiveOf('allgather', ranks), programs };
}

/** Rank 0's chunk goes to rank 1 and comes back reduced, through scratch: nothing but the data says that its send is complete. */
export const roundTrip: PlanText = {
  collective: collectiveOf('allreduce', 2, { inPlace: true }),
  scratch: 1,
  programs: [[['send o0 1'], ['recv s0 1', 'copy s0 o0']], [['recvReduce o0 0', 'send o0 0']]],
};

/** The same with a second message back, which the lane that sent takes: without buffers, the partner knows that this lane has got there. */
export const taken: PlanText = {
  collective: collectiveOf('allreduce', 2, { inPlace: true }),
  scratch: 2,
  programs: [
    [
      ['send o0 1', 'recv s0 1'],
      ['recv s1 1 ch=1', 'copy s1 o0'],
    ],
    [['recvReduce o0 0'], ['send o0 0 after=0.0', 'send o0 0 ch=1']],
  ],
};
