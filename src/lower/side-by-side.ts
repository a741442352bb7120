/** Joins the plans of disjoint groups of ranks into one plan in which all of them run at the same time. */
import {
  type Collective,
  type Contribution,
  type CustomCondition,
  chunksPerShard,
  combinesInRankOrder,
  expectation,
  inputChunks,
  listed,
  memoryLayout,
  messageChunks,
  outputChunks,
} from '../ir/collective.ts';
import { CustomResultsBuilder } from '../ir/custom-results.ts';
import { OperationCode, operationCount, type Plan, PlanBuilder, type ProgramBuffers } from '../ir/plan.ts';
import { leastCommonMultiple } from '../ir/whole-numbers.ts';

/** A plan of a group of ranks: `group[rank]` is the rank of the joint plan that runs program `rank`. */
export interface PlacedPlan {
  readonly plan: Plan;
  readonly group: readonly number[];
  /** Offset that is added to the channels of a connection between two ranks of the plan; 0 if left out. */
  readonly channelShift?: (from: number, to: number) => number;
}

/**
 * Joins plans of disjoint groups into one plan on `ranks` ranks; ranks in no group have empty programs. The joint collective is a custom one that
 * states the result of each group. Chunks are subdivided until the messages of all groups, which have the same size in bytes, have the same number of
 * chunks. Messages take turns (`Plan.inTurn`) if they do in every group.
 *
 * @param parts plans of disjoint groups with the same number of bulks; those that use scratch need the same number of copies of it. If one of them
 * combines in rank order, all must
 * @throws Error if the numbers of bulks or of copies of scratch differ
 */
export function sideBySide(parts: readonly PlacedPlan[], ranks: number, name: string): Plan {
  const [{ plan: first }] = parts;
  const { bulks } = first;
  const using = parts.filter(({ plan }) => plan.buffers.some(({ scratch }) => scratch > 0));
  const scratchPerBulk = using[0]?.plan.scratchPerBulk ?? 1;
  if (
    parts.some(({ plan }) => plan.bulks !== bulks) ||
    using.some(({ plan }) => plan.scratchPerBulk !== scratchPerBulk)
  ) {
    throw new Error(`plans side by side in ${name} have different numbers of bulks`);
  }
  const collectives = parts.map(({ plan, group }) => ({ collective: plan.collective, group }));
  const whole = commonChunks(collectives);
  const builder = new PlanBuilder();
  const buffers: ProgramBuffers[] = Array.from({ length: ranks }, () => ({ input: 0, output: 0, scratch: 0 }));
  for (const part of parts) {
    const { plan, group } = part;
    const scale = whole / messageChunks(plan.collective);
    addProgram(part, scale, builder);
    plan.buffers.forEach(({ input, output, scratch }, rank) => {
      buffers[group[rank]] = { input: scale * input, output: scale * output, scratch: scale * scratch };
    });
  }
  const collective = jointCollective(collectives, ranks);
  const turns = parts.every(({ plan }) => plan.inTurn === true) ? { inTurn: true as const } : {};
  return builder.build({ name, collective, bulks, scratchPerBulk, ...turns, buffers, rounds: [] });
}

/** Adds the programs of one group, with each chunk divided into `scale` chunks. */
function addProgram({ plan, group, channelShift }: PlacedPlan, scale: number, builder: PlanBuilder): void {
  const { ops } = plan;
  const shifted = (rank: number, o: number): number => {
    if (channelShift === undefined) return ops.channel[o];
    const [from, to] = ops.kind[o] === OperationCode.send ? [rank, ops.peer[o]] : [ops.peer[o], rank];
    return ops.channel[o] + channelShift(from, to);
  };
  const handles = new Int32Array(operationCount(plan));
  for (let rank = 0; rank < group.length; rank++) {
    for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++) {
      const handle = builder.openLane(group[rank], plan.laneId[lane]);
      for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
        const isLocal = ops.peer[o] < 0;
        handles[o] = builder.addRow(handle, {
          kind: ops.kind[o],
          peer: isLocal ? -1 : group[ops.peer[o]],
          channel: isLocal ? 0 : shifted(rank, o),
          srcBuffer: ops.srcBuffer[o],
          srcOffset: scale * ops.srcOffset[o],
          srcCount: scale * ops.srcCount[o],
          dstBuffer: ops.dstBuffer[o],
          dstOffset: scale * ops.dstOffset[o],
          dstCount: scale * ops.dstCount[o],
          receivedFirst: ops.receivedFirst[o],
          step: ops.step[o],
          origin: plan.origins[ops.origin[o]],
          nanoseconds: (ops.nanoseconds?.[o] ?? -1) < 0 ? undefined : ops.nanoseconds?.[o],
        });
      }
    }
  }
  for (let o = 0; o < handles.length; o++) {
    for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
      builder.wait(handles[o], handles[ops.afterOp[a]], ops.afterBulks[a]);
    }
    if (ops.relay[o] >= 0) builder.relay(handles[o], handles[ops.relay[o]]);
  }
}

/** A collective of a group of ranks: `group[rank]` is the rank of the whole that takes part as `rank`. */
export interface PlacedCollective {
  readonly collective: Collective;
  readonly group: readonly number[];
}

/** The collective that all groups together perform: a custom collective in which the messages of all groups have the same number of chunks. */
export function jointCollective(parts: readonly PlacedCollective[], ranks: number): Collective {
  const whole = commonChunks(parts);
  const input = new Array<number>(ranks).fill(0);
  const output = new Array<number>(ranks).fill(0);
  const inputAt = new Array<number>(ranks).fill(0);
  const member = new Map<number, readonly [part: Collective, rank: number, group: readonly number[]]>();
  let chunks = 1;
  for (const { collective: coarse, group } of parts) {
    const collective = { ...coarse, chunks: (whole / messageChunks(coarse)) * coarse.chunks };
    chunks = Math.max(chunks, collective.chunks);
    group.forEach((place, rank) => {
      input[place] = inputChunks(collective, rank);
      output[place] = outputChunks(collective, rank);
      if (input[place] > 0 && output[place] > 0) {
        const layout = memoryLayout(collective, rank);
        inputAt[place] = layout.input - layout.output;
      }
      member.set(place, [collective, rank, group]);
    });
  }
  const [{ collective: first }] = parts;
  const { op, inPlace } = first;
  const ordered = parts.some(({ collective }) => combinesInRankOrder(collective));
  const shifted = inPlace && inputAt.some((offset) => offset !== 0);
  const results = new CustomResultsBuilder();
  for (let place = 0; place < ranks; place++) {
    results.openRank();
    const part = member.get(place);
    if (part !== undefined) addWanted(results, ...part);
  }
  const custom: CustomCondition = { input, output, results: results.build(), ...(shifted ? { inputAt } : {}) };
  return { kind: 'custom', ranks, chunks, root: 0, op, ordered, inPlace, custom };
}

function commonChunks(parts: readonly PlacedCollective[]): number {
  return parts.map(({ collective }) => messageChunks(collective)).reduce(leastCommonMultiple, 1);
}

/**
 * Adds what the output of a rank must hold, with ranks numbered as in the whole: the chunks of a shard combine consecutive chunks of the same shards,
 * so one run per shard suffices.
 */
function addWanted(
  results: CustomResultsBuilder,
  collective: Collective,
  rank: number,
  group: readonly number[],
): void {
  const shard = chunksPerShard(collective);
  for (let slot = 0; slot < outputChunks(collective, rank); slot += shard) {
    results.add(wanted(collective, rank, slot, group), shard);
  }
}

/** The contributions that an output slot of a rank must hold, with ranks numbered as in the whole; `null` if it may hold anything. */
function wanted(
  collective: Collective,
  rank: number,
  slot: number,
  group: readonly number[],
): readonly Contribution[] | null {
  const wants = expectation(collective, rank, slot);
  switch (wants.kind) {
    case 'undefined':
      return null;
    case 'list':
      return listed(wants).map((from) => ({ rank: group[from.rank], chunk: from.chunk }));
    case 'ranks':
      return group.slice(wants.first, wants.last + 1).map((place) => ({ rank: place, chunk: wants.chunk }));
  }
}
