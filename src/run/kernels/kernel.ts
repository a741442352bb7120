/** The machine code of the runtime: copying, and one operator on one element type, on memory that all threads share. */
import type { ReductionOperator } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { type Dtype, dtypeBytes } from '../../ir/dtype.ts';
import {
  assembleModule,
  type Code,
  type FunctionCode,
  get,
  i32Add,
  i32And,
  i32Const,
  memoryCopy,
  set,
  simd,
  simdMemory,
  type VectorLocals,
  whileDifferent,
} from './assembler.ts';
import { vectorOperator } from './vector-operators.ts';
import { Instance, Module, type SharedMemory } from './web-assembly.ts';

/** The parameters and locals of `reduce`, by number. */
const locals = {
  destination: 0,
  left: 1,
  right: 2,
  bytes: 3,
  end: 4,
} as const;

/** Bytes of a page of WebAssembly memory, and how many pages 32-bit addresses reach. */
export const pageBytes = 65_536;
export const maxPages = 2 ** 32 / pageBytes;

/** Addresses and lengths are in bytes; lengths are whole elements. */
export interface Kernel {
  copy(destination: number, source: number, bytes: number): void;
  /** destination = left ⊕ right, element by element; either may be the destination itself. */
  reduce(destination: number, left: number, right: number, bytes: number): void;
}

const vectors: VectorLocals = { left: 5, right: 6, other: 7 };

/** Number of vectors that one iteration of the main loop combines. */
const unrolled = 4;

/** How vectors of an element type are loaded and stored: as whole vectors, or as eight bytes widened to four lanes. */
interface Access {
  readonly vectorBytes: number;
  readonly load: (offset: number) => Code;
  readonly store: (offset: number) => Code;
  /** Loads one element into every lane, and stores the first lane. */
  readonly loadOne: Code;
  readonly storeOne: Code;
}

const wholeVectors = {
  vectorBytes: 16,
  load: (offset: number): Code => simdMemory(0, offset),
  store: (offset: number): Code => simdMemory(11, offset),
};

function accessOf(dtype: Dtype): Access {
  if (dtype === 'f16' || dtype === 'bf16') {
    const narrow = [...get(vectors.left), ...get(vectors.left), ...simd(134)];
    return {
      vectorBytes: 8,
      load: (offset) => simdMemory(4, offset),
      store: (offset) => [...set(vectors.left), ...narrow, ...simdMemory(91, offset), 0],
      loadOne: [0x2f, 0, 0, ...simd(17)],
      storeOne: [...set(vectors.left), ...narrow, ...simdMemory(89, 0), 0],
    };
  }
  const size = Math.log2(dtypeBytes[dtype]);
  if (dtypeBytes[dtype] === 16) {
    const [load, store] = [simdMemory(0, 0), simdMemory(11, 0)];
    return { ...wholeVectors, loadOne: load, storeOne: store };
  }
  return {
    ...wholeVectors,
    loadOne: simdMemory(7 + size, 0),
    storeOne: [...simdMemory(88 + size, 0), 0],
  };
}

const advance = (local: number, step: number): Code => [...get(local), ...i32Const(step), ...i32Add, ...set(local)];

/** Two loops: one over whole vectors, several per iteration, and one over the remaining elements. */
function reduction(dtype: Dtype, op: ReductionOperator): FunctionCode {
  const operator = vectorOperator(dtype, op, vectors);
  if (operator === undefined) throw new CccError('unsupported', `${dtype} has no operator ${op}`);
  const access = accessOf(dtype);
  const turn = access.vectorBytes * unrolled;
  const step = (amount: number): Code =>
    [locals.destination, locals.left, locals.right].flatMap((local) => advance(local, amount));
  const combined = Array.from({ length: unrolled }, (_, i): Code => {
    const load = access.load(i * access.vectorBytes);
    const store = access.store(i * access.vectorBytes);
    return [
      ...get(locals.destination),
      ...get(locals.left),
      ...load,
      ...get(locals.right),
      ...load,
      ...operator,
      ...store,
    ];
  }).flat();
  const one = [
    ...get(locals.left),
    ...access.loadOne,
    ...get(locals.right),
    ...access.loadOne,
    ...operator,
    ...access.storeOne,
  ];
  const endAt = (mask: number): Code => {
    return [
      ...get(locals.destination),
      ...get(locals.bytes),
      ...i32Const(mask),
      ...i32And,
      ...i32Add,
      ...set(locals.end),
    ];
  };
  const body = [
    ...endAt(-turn),
    ...whileDifferent(locals.destination, locals.end, [...combined, ...step(turn)]),
    ...endAt(turn - 1),
    ...whileDifferent(locals.destination, locals.end, [...get(locals.destination), ...one, ...step(dtypeBytes[dtype])]),
  ];
  return { name: 'reduce', parameters: 4, words: 1, vectors: 3, body };
}

const copying: FunctionCode = {
  name: 'copy',
  parameters: 3,
  words: 0,
  vectors: 0,
  body: [...get(0), ...get(1), ...get(2), ...memoryCopy],
};

/**
 * Compiles the kernel for a shared memory. `op` is undefined if nothing is reduced.
 * @throws CccError 'unsupported' for an operator that the element type lacks
 */
export function loadKernel(memory: SharedMemory, dtype: Dtype, op: ReductionOperator | undefined): Kernel {
  const functions = op === undefined ? [copying] : [copying, reduction(dtype, op)];
  const { exports } = new Instance(new Module(assembleModule(maxPages, functions)), { env: { memory } });
  return { copy: functionNamed(exports, 'copy'), reduce: functionNamed(exports, 'reduce') };
}

function functionNamed(exports: Readonly<Record<string, unknown>>, name: string): (...values: number[]) => void {
  const found = exports[name];
  if (typeof found === 'function') return (...values) => void found(...values);
  return () => {
    throw new Error(`the kernel has no ${name}: the plan was said not to need it`);
  };
}
