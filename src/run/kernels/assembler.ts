/** An assembler for the part of the WebAssembly binary format that the kernels need: numbers, instructions and modules. */

export type Code = readonly number[];

/** Unsigned LEB128. */
function unsigned(value: number): Code {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

/** Signed LEB128 of a 32-bit number. */
function signed(value: number): Code {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

/** An instruction of the vector extension (SIMD), by its opcode in the specification. */
export function simd(opcode: number): Code {
  return [0xfd, ...unsigned(opcode)];
}

/** A vector load or store, with an alignment hint of one byte. */
export function simdMemory(opcode: number, offset: number): Code {
  return [0xfd, ...unsigned(opcode), 0, ...unsigned(offset)];
}

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number): Code => [0x21, ...unsigned(local)];
export const tee = (local: number): Code => [0x22, ...unsigned(local)];
export const i32Const = (value: number): Code => [0x41, ...signed(value)];
export const i32Add: Code = [0x6a];
export const i32And: Code = [0x71];
const i32Ne: Code = [0x47];
/** memory.copy: destination, source, bytes. */
export const memoryCopy: Code = [0xfc, 0x0a, 0, 0];

/** A vector with the same 32-bit word in all four lanes. */
export function splatWord(word: number): Code {
  const bytes = [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24];
  return [...simd(12), ...bytes, ...bytes, ...bytes, ...bytes];
}

/** A loop that runs `body` while the two locals differ. */
export function whileDifferent(left: number, right: number, body: Code): Code {
  const differ = [...get(left), ...get(right), ...i32Ne];
  return [...differ, 0x04, 0x40, 0x03, 0x40, ...body, ...differ, 0x0d, 0, 0x0b, 0x0b];
}

/** Two vector locals for use by the instructions, and a third one for conversions. */
export interface VectorLocals {
  readonly left: number;
  readonly right: number;
  readonly other: number;
}

export interface FunctionCode {
  readonly name: string;
  /** Number of parameters, all i32. Locals are numbered after them: first the i32 ones, then the v128 ones. */
  readonly parameters: number;
  readonly words: number;
  readonly vectors: number;
  readonly body: Code;
}

const i32 = 0x7f;
const v128 = 0x7b;

const section = (id: number, items: readonly Code[]): Code => {
  const content = [...unsigned(items.length), ...items.flat()];
  return [id, ...unsigned(content.length), ...content];
};
const text = (value: string): Code => [...unsigned(value.length), ...new TextEncoder().encode(value)];

/** A module of functions without results over an imported shared memory, `env.memory`, of up to `pages` pages. */
export function assembleModule(pages: number, functions: readonly FunctionCode[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [0x60, ...unsigned(parameters), ...Array(parameters).fill(i32), 0]);
  const memory = [...text('env'), ...text('memory'), 2, 3, 0, ...unsigned(pages)];
  const exported = functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]);
  const bodies = functions.map(({ words, vectors, body }) => {
    const code = [2, ...unsigned(words), i32, ...unsigned(vectors), v128, ...body, 0x0b];
    return [...unsigned(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(2, [memory]),
    ...section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(7, exported),
    ...section(10, bodies),
  ]);
}
