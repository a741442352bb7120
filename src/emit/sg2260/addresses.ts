/**
 * Where the bytes of a plan's chunks lie, in whole units (docs/plan-format.md): in a rank's buffers shard after shard, each cut evenly on units; in
 * scratch in slots of the largest chunk. What a slot of scratch holds is known from what was written there, and says how long it is.
 */
import { type Collective, inputChunks, memoryLayout, messageChunks, outputChunks } from '../../ir/collective.ts';
import { OperationCode, type Plan, planBuffers } from '../../ir/plan.ts';
import type { Bytes } from '../../ir/units.ts';

export type Region = 'data' | 'input' | 'output' | 'scratch';

/** Contiguous bytes of a region of one rank. */
export interface Run {
  readonly region: Region;
  readonly offset: Bytes;
  readonly bytes: Bytes;
}

/** A rank's regions: in place, input and output are windows of one. */
export interface RankRegions {
  readonly regions: readonly { readonly region: Region; readonly bytes: Bytes }[];
  readonly input: Omit<Run, 'bytes'>;
  readonly output: Omit<Run, 'bytes'>;
}

const [inputCode, outputCode] = [planBuffers.indexOf('input'), planBuffers.indexOf('output')];

export class Addresses {
  /** Bytes of a slot of scratch. */
  readonly slotBytes: Bytes;
  private readonly plan: Plan;
  /** Units of each shard, all of one size, and the chunks that it is cut into over all bulks. */
  private readonly units: number;
  private readonly parts: number;
  private readonly alignment: Bytes;
  private readonly rankOf: Int32Array;
  /** Of each operation in bulk 0: which chunk of its shard each of the chunks that it moves is. */
  private readonly carried: readonly (readonly number[])[];

  /** @param order operations of bulk 0, each behind those that it needs; @param size M in whole units */
  constructor(plan: Plan, size: Bytes, alignment: Bytes, order: readonly number[], partner: Int32Array) {
    const { collective, bulks } = plan;
    this.plan = plan;
    this.alignment = alignment;
    this.units = size / alignment / (messageChunks(collective) / collective.chunks);
    this.parts = bulks * collective.chunks;
    this.slotBytes = Math.ceil(this.units / this.parts) * alignment;
    this.rankOf = new Int32Array(plan.ops.kind.length);
    plan.buffers.forEach((_, rank) => {
      this.rankOf.fill(rank, plan.firstOp[plan.firstLane[rank]], plan.firstOp[plan.firstLane[rank + 1]]);
    });
    this.carried = carriedBy(plan, this.rankOf, order, partner);
  }

  regionsOf(rank: number): RankRegions {
    const { collective, buffers, scratchPerBulk } = this.plan;
    const chunkBytes = (this.units * this.alignment) / collective.chunks;
    const [inputs, outputs] = [inputChunks(collective, rank), outputChunks(collective, rank)];
    const scratch = { region: 'scratch', bytes: buffers[rank].scratch * scratchPerBulk * this.slotBytes } as const;
    const window = memoryLayout(collective, rank);
    if (overlaps(collective, rank)) {
      const data = { region: 'data', bytes: window.cells * chunkBytes } as const;
      const at = (chunks: number) => ({ region: 'data', offset: chunks * chunkBytes }) as const;
      return { regions: [data, scratch], input: at(window.input), output: at(window.output) };
    }
    const [input, output] = [
      { region: 'input', bytes: inputs * chunkBytes },
      { region: 'output', bytes: outputs * chunkBytes },
    ] as const;
    const [start, end] = [
      { region: 'input', offset: 0 },
      { region: 'output', offset: 0 },
    ] as const;
    return { regions: [input, output, scratch], input: start, output: end };
  }

  /** The runs of bytes that an operation reads (`src`) or writes in a bulk, chunk by chunk. */
  runsOf(operation: number, side: 'src' | 'dst', bulk: number): readonly Run[] {
    const { ops, collective } = this.plan;
    const rank = this.rankOf[operation];
    const [buffer, first, count] =
      side === 'src'
        ? [ops.srcBuffer[operation], ops.srcOffset[operation], ops.srcCount[operation]]
        : [ops.dstBuffer[operation], ops.dstOffset[operation], ops.dstCount[operation]];
    const runs: Run[] = [];
    for (let i = 0; i < count; i++) {
      const bytes = this.length(this.carried[operation][i], bulk);
      runs.push({ ...this.startOf(buffer, first + i, collective, rank, bulk), bytes });
    }
    return runs;
  }

  private startOf(
    buffer: number,
    slot: number,
    collective: Collective,
    rank: number,
    bulk: number,
  ): Omit<Run, 'bytes'> {
    const { scratchPerBulk, buffers } = this.plan;
    if (buffer !== inputCode && buffer !== outputCode) {
      const copy = bulk % scratchPerBulk;
      return { region: 'scratch', offset: (copy * buffers[rank].scratch + slot) * this.slotBytes };
    }
    const { input, output } = this.regionsOf(rank);
    const { region, offset } = buffer === inputCode ? input : output;
    const shard = Math.floor(slot / collective.chunks);
    const cut = this.cut(bulk * collective.chunks + (slot % collective.chunks));
    return { region, offset: offset + (shard * this.units + cut) * this.alignment };
  }

  private length(chunk: number, bulk: number): Bytes {
    const q = bulk * this.plan.collective.chunks + chunk;
    return (this.cut(q + 1) - this.cut(q)) * this.alignment;
  }

  /** ⌊q · units / parts⌋, exact. */
  private cut(q: number): number {
    const whole = Math.floor(this.units / this.parts);
    return q * whole + Math.floor((q * (this.units - whole * this.parts)) / this.parts);
  }
}

/** In place, and both are there: one memory. */
function overlaps(collective: Collective, rank: number): boolean {
  return collective.inPlace && inputChunks(collective, rank) > 0 && outputChunks(collective, rank) > 0;
}

/** Follows chunks through one bulk. */
function carriedBy(
  { collective: { chunks }, ops, buffers }: Plan,
  rankOf: Int32Array,
  order: readonly number[],
  partner: Int32Array,
): readonly (readonly number[])[] {
  const inScratch = buffers.map(({ scratch }) => new Int32Array(scratch));
  const carried: number[][] = Array.from({ length: ops.kind.length }, () => []);
  const held = (o: number, buffer: number, slot: number): number =>
    buffer === inputCode || buffer === outputCode ? slot % chunks : inScratch[rankOf[o]][slot];
  for (const o of order) {
    const isReceive = ops.kind[o] >= OperationCode.recv;
    const what = isReceive
      ? carried[partner[o]]
      : Array.from({ length: ops.srcCount[o] }, (_, i) => held(o, ops.srcBuffer[o], ops.srcOffset[o] + i));
    carried[o] = [...what];
    if (ops.kind[o] === OperationCode.send) continue;
    const isScratch = ops.dstBuffer[o] !== inputCode && ops.dstBuffer[o] !== outputCode;
    what.forEach((chunk, i) => {
      if (isScratch) inScratch[rankOf[o]][ops.dstOffset[o] + i] = chunk;
    });
  }
  return carried;
}
