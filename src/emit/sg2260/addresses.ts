/**
 * Byte addresses of a plan's chunks (ir/element-layout.ts) in the memory regions of each rank. The length of a chunk in scratch follows from the
 * chunk that was written there.
 */
import { type Collective, inputChunks, outputChunks } from '../../ir/collective.ts';
import { type Dtype, dtypeBytes } from '../../ir/dtype.ts';
import { ElementLayout } from '../../ir/element-layout.ts';
import { OperationCode, type Plan, planBuffers } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';
import type { Bytes } from '../../ir/units.ts';

export type Region = 'data' | 'input' | 'output' | 'scratch';

/** A range of consecutive bytes in a region of one rank. */
export interface ByteRun {
  readonly region: Region;
  readonly offset: Bytes;
  readonly bytes: Bytes;
}

/** The regions of a rank; in place, input and output are parts of one region. */
export interface RankRegions {
  readonly regions: readonly { readonly region: Region; readonly bytes: Bytes }[];
  readonly input: Omit<ByteRun, 'bytes'>;
  readonly output: Omit<ByteRun, 'bytes'>;
}

/** A slot of input or output, whose length is the length of the chunk that comes from it. */
interface Origin {
  readonly rank: number;
  readonly buffer: number;
  readonly slot: number;
}

const [inputCode, outputCode] = [planBuffers.indexOf('input'), planBuffers.indexOf('output')];

export class Addresses {
  private readonly plan: Plan;
  private readonly elementBytes: Bytes;
  private readonly layout: ElementLayout;
  private readonly rankOf: Int32Array;
  /** For each operation in bulk 0: the slots from which its chunks come. */
  private readonly carried: readonly (readonly Origin[])[];

  /**
   * @param order the operations of bulk 0, each after its dependencies
   * @param size M in whole units
   */
  constructor(
    plan: Plan,
    { size, dtype, alignment }: { readonly size: Bytes; readonly dtype: Dtype; readonly alignment: Bytes },
    order: readonly number[],
    partner: Int32Array,
  ) {
    this.plan = plan;
    this.elementBytes = dtypeBytes[dtype];
    this.layout = new ElementLayout({
      ...plan,
      ...{ elements: size / this.elementBytes, elementBytes: this.elementBytes, alignment },
    });
    this.rankOf = PlanIndex.of(plan).rankOf;
    this.carried = carriedBy(plan, this.rankOf, order, partner);
  }

  regionsOf(rank: number): RankRegions {
    const { collective, buffers, scratchPerBulk } = this.plan;
    const bytesOf = (buffer: 'input' | 'output') => (this.layout.shards(rank, buffer).at(-1) ?? 0) * this.elementBytes;
    const [inputs, outputs] = [bytesOf('input'), bytesOf('output')];
    const slots = buffers[rank].scratch * scratchPerBulk;
    const scratch = { region: 'scratch', bytes: slots * this.layout.scratchLength * this.elementBytes } as const;
    if (isShared(collective, rank)) {
      const shift = this.layout.inputShift(rank) * this.elementBytes;
      const bytes = Math.max(shift + inputs, outputs) - Math.min(0, shift);
      const at = (offset: Bytes) => ({ region: 'data', offset }) as const;
      return {
        regions: [{ region: 'data', bytes }, scratch],
        input: at(Math.max(0, shift)),
        output: at(Math.max(0, -shift)),
      };
    }
    const regions = [{ region: 'input', bytes: inputs }, { region: 'output', bytes: outputs }, scratch] as const;
    return { regions, input: { region: 'input', offset: 0 }, output: { region: 'output', offset: 0 } };
  }

  /**
   * The ranges of bytes that move from one operation to another, at both ends. The shorter of two slots determines the length of a chunk; chunks
   * without bytes are left out.
   */
  runsOf(
    source: number,
    target: number,
    bulk: number,
  ): { readonly from: readonly ByteRun[]; readonly to: readonly ByteRun[] } {
    const { srcBuffer, srcOffset, dstBuffer, dstOffset } = this.plan.ops;
    const [from, to]: [ByteRun[], ByteRun[]] = [[], []];
    this.carried[target].forEach((origin, i) => {
      const slot = { rank: this.rankOf[target], buffer: dstBuffer[target], slot: dstOffset[target] + i };
      const bytes = Math.min(
        this.lengthOf(origin, bulk),
        isScratch(slot.buffer) ? Number.POSITIVE_INFINITY : this.lengthOf(slot, bulk),
      );
      if (bytes === 0) return;
      from.push({ ...this.startOf(srcBuffer[source], srcOffset[source] + i, this.rankOf[source], bulk), bytes });
      to.push({ ...this.startOf(slot.buffer, slot.slot, slot.rank, bulk), bytes });
    });
    return { from, to };
  }

  private lengthOf({ rank, buffer, slot }: Origin, bulk: number): Bytes {
    this.layout.find(rank, buffer, slot, bulk);
    return this.layout.length * this.elementBytes;
  }

  private startOf(buffer: number, slot: number, rank: number, bulk: number): Omit<ByteRun, 'bytes'> {
    this.layout.find(rank, buffer, slot, bulk);
    const start = this.layout.first * this.elementBytes;
    if (isScratch(buffer)) return { region: 'scratch', offset: start };
    const { input, output } = this.regionsOf(rank);
    const { region, offset } = buffer === inputCode ? input : output;
    return { region, offset: offset + start };
  }
}

/** Whether input and output of a rank share memory: the collective is in place and the rank has both. */
function isShared(collective: Collective, rank: number): boolean {
  return collective.inPlace && inputChunks(collective, rank) > 0 && outputChunks(collective, rank) > 0;
}

function isScratch(buffer: number): boolean {
  return buffer !== inputCode && buffer !== outputCode;
}

/** Tracks the origin of the chunks through one bulk. */
function carriedBy(
  { ops, buffers }: Plan,
  rankOf: Int32Array,
  order: readonly number[],
  partner: Int32Array,
): readonly (readonly Origin[])[] {
  const inScratch = buffers.map(({ scratch }) => new Array<Origin>(scratch));
  const carried: (readonly Origin[])[] = Array.from({ length: ops.kind.length }, () => []);
  for (const o of order) {
    const rank = rankOf[o];
    const [buffer, first] = [ops.srcBuffer[o], ops.srcOffset[o]];
    const what =
      ops.kind[o] >= OperationCode.recv
        ? carried[partner[o]]
        : Array.from({ length: ops.srcCount[o] }, (_, i) =>
            isScratch(buffer) ? inScratch[rank][first + i] : { rank, buffer, slot: first + i },
          );
    carried[o] = what;
    if (ops.kind[o] === OperationCode.send || !isScratch(ops.dstBuffer[o])) continue;
    what.forEach((origin, i) => {
      inScratch[rank][ops.dstOffset[o] + i] = origin;
    });
  }
  return carried;
}
