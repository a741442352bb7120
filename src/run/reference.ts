/** The expected outputs, from the definition of the collective alone: element by element over whole shards, without plans, chunks or bulks. */
import { type Collective, type Contribution, expectation, listed, type ReductionOperator } from '../ir/collective.ts';
import { type Dtype, dtypeBytes, isFloatingPoint } from '../ir/dtype.ts';
import { decode, type ElementValue, encode, type PlainValue, ValueIndexPair } from './elements.ts';
import { type InputRequest, inputValue, period } from './inputs.ts';
import type { ByteLayout } from './layout.ts';
import { runs } from './limits.ts';

/** A contribution to a shard: a rank's input from element `first` on. */
export interface Source {
  readonly rank: number;
  readonly first: number;
}

/**
 * One period (or less for shorter buffers) of the expected elements of a shard, encoded, and the permitted deviation of results that were computed in
 * another order.
 */
export interface Expected {
  readonly bytes: DataView;
  /** Undefined if the result must be exact. */
  readonly tolerance: Float64Array | undefined;
}

/** Unit in the last place of each type, relative to the number. */
const roundings: Partial<Readonly<Record<Dtype, number>>> = {
  f16: 2 ** -10,
  bf16: 2 ** -7,
  f32: 2 ** -23,
  f64: 2 ** -52,
};

export class Reference {
  private readonly inputs: InputRequest;
  private readonly collective: Collective;
  private readonly layout: ByteLayout;
  /** The maximum number of elements of a buffer. */
  private readonly elements: number;
  private readonly kept = new Map<string, Expected>();

  constructor(inputs: InputRequest, collective: Collective, layout: ByteLayout) {
    this.inputs = inputs;
    // Treats a shard as one chunk. The chunks of a custom collective are shards already.
    this.collective = collective.kind === 'custom' ? collective : { ...collective, chunks: 1 };
    this.layout = layout;
    const lengths = Array.from({ length: collective.ranks }, (_, rank) => {
      return Math.max(layout.shards(rank, 'input').at(-1) ?? 0, layout.shards(rank, 'output').at(-1) ?? 0);
    });
    this.elements = Math.max(0, ...lengths);
  }

  /** One period of a rank's input. */
  input(rank: number): DataView {
    return this.table([{ rank, first: 0 }]).bytes;
  }

  /** The contributions to a shard of the output, in reduction order; undefined if it may hold anything. */
  sources(rank: number, shard: number): readonly Source[] | undefined {
    const wanted = expectation(this.collective, rank, shard);
    if (wanted.kind === 'undefined') return undefined;
    const sources = contributions(wanted).map(({ rank: from, chunk }) => {
      return { rank: from, first: this.layout.shards(from, 'input')[chunk] };
    });
    return sources.length === 0 ? undefined : sources;
  }

  /** The expected elements of a shard, as a table that repeats with the period. Element 0 of the shard is element `phase` of the table. */
  expected(sources: readonly Source[]): { readonly table: Expected; readonly phase: number } {
    const phase = sources[0].first % period;
    // Relative to the first source, so that all shards of a reducescatter share one table.
    const relative = sources.map(({ rank, first }) => ({ rank, first: ((first % period) - phase + period) % period }));
    return { table: this.table(relative), phase };
  }

  private table(sources: readonly Source[]): Expected {
    const key = sources.map(({ rank, first }) => `${rank}+${first}`).join(' ');
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    if (this.kept.size >= runs.tables) this.kept.clear();
    const made = this.compute(sources);
    this.kept.set(key, made);
    return made;
  }

  private compute(sources: readonly Source[]): Expected {
    const { dtype, op, kind } = this.inputs;
    const size = dtypeBytes[dtype];
    const length = Math.min(period, this.elements);
    const bytes = new DataView(new ArrayBuffer(length * size));
    const rounding = roundings[dtype];
    const rounds = kind === 'random' && rounding !== undefined && sources.length > 1 && (op === 'sum' || op === 'prod');
    const tolerance = rounds ? new Float64Array(length) : undefined;
    const one = new DataView(new ArrayBuffer(size));
    /** An element of an input after rounding to the type. */
    const rounded = ({ rank, first }: Source, index: number): ElementValue => {
      encode(dtype, one, 0, inputValue(this.inputs, rank, first + index));
      const value = decode(dtype, one, 0);
      return isFloatingPoint(dtype) || value instanceof ValueIndexPair ? value : BigInt(value);
    };
    for (let i = 0; i < length; i++) {
      let result = rounded(sources[0], i);
      let magnitude = Math.abs(Number(result));
      for (const source of sources.slice(1)) {
        const value = rounded(source, i);
        result = combine(op, result, value);
        magnitude = op === 'prod' ? Math.abs(Number(result)) : magnitude + Math.abs(Number(value));
      }
      encode(dtype, bytes, i * size, result);
      // Each of the n − 1 roundings errs by at most half a unit of a partial result. Products may lose all precision where they underflow.
      const least = op === 'prod' ? 2 ** -14 : 0;
      if (tolerance !== undefined) tolerance[i] = sources.length * (rounding ?? 0) * Math.max(magnitude, least);
    }
    return { bytes, tolerance };
  }
}

function contributions(
  wanted: Exclude<ReturnType<typeof expectation>, { kind: 'undefined' }>,
): readonly Contribution[] {
  if (wanted.kind === 'list') return listed(wanted);
  const { first, last, chunk } = wanted;
  return Array.from({ length: last - first + 1 }, (_, i) => ({ rank: first + i, chunk }));
}

/** a ⊕ b of two numbers or two integers. 64-bit results may be off by multiples of 2⁶⁴, which the encoding removes. */
function combine(op: ReductionOperator, a: ElementValue, b: ElementValue): ElementValue {
  if (a instanceof ValueIndexPair && b instanceof ValueIndexPair) return choosePair(op, a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return combineIntegers(op, a, b);
  return combineNumbers(op, Number(a), Number(b));
}

/** The pair with the smaller or larger value; NaN counts as smaller or larger than every number. Of equal values the one with the smaller index. */
function choosePair(op: ReductionOperator, a: ValueIndexPair, b: ValueIndexPair): ValueIndexPair {
  const isNumber = (value: PlainValue): boolean => !Number.isNaN(Number(value));
  const [isA, isB] = [isNumber(a.value), isNumber(b.value)];
  if (isA !== isB) return isA ? b : a;
  if (!isA || a.value === b.value) return a.index <= b.index ? a : b;
  return a.value < b.value === (op === 'minloc') ? a : b;
}

function combineIntegers(op: ReductionOperator, a: bigint, b: bigint): bigint {
  switch (op) {
    case 'sum':
      return a + b;
    case 'prod':
      return BigInt.asIntN(64, a * b);
    case 'max':
      return a > b ? a : b;
    case 'min':
      return a < b ? a : b;
    case 'and':
      return a & b;
    case 'or':
      return a | b;
    case 'xor':
      return a ^ b;
    default:
      throw new Error(`integers have no operator ${op}`);
  }
}

function combineNumbers(op: ReductionOperator, a: number, b: number): number {
  switch (op) {
    case 'sum':
      return a + b;
    case 'prod':
      return a * b;
    case 'max':
      return Math.max(a, b);
    case 'min':
      return Math.min(a, b);
    default:
      throw new Error(`floating-point numbers have no operator ${op}`);
  }
}
