/** MSCCL algorithms for tests, one element per line. */

/** `i0`: chunk 0 of the input. */
type Operand = `${'i' | 'o' | 's'}${number}`;

export interface StepOptions {
  readonly src?: Operand;
  readonly dst?: Operand;
  readonly count?: number;
  /** `[tb, step]` that it waits for. */
  readonly wait?: readonly [number, number] | undefined;
  readonly publishes?: boolean;
}

/** A step without its number, which its thread block gives it. */
export type StepText = (index: number) => string;

export function step(type: string, options: StepOptions = {}): StepText {
  const { src = 'i0', dst = 'o0', count = type === 'nop' ? 0 : 1, wait = [-1, -1], publishes = false } = options;
  const source = `srcbuf="${src[0]}" srcoff="${src.slice(1)}"`;
  const target = `dstbuf="${dst[0]}" dstoff="${dst.slice(1)}"`;
  const order = `depid="${wait[0]}" deps="${wait[1]}" hasdep="${publishes ? 1 : 0}"`;
  return (index) => `<step s="${index}" type="${type}" ${source} ${target} cnt="${count}" ${order}/>\n`;
}

/** A thread block: its id, the peers that it sends to and receives from (−1: none), its channel. */
export function tb(id: number, send: number, receive: number, channel: number, ...steps: readonly StepText[]): string {
  const lines = steps.map((text, index) => text(index)).join('');
  return `<tb id="${id}" send="${send}" recv="${receive}" chan="${channel}">\n${lines}</tb>\n`;
}

export function gpu(id: number, [i, o, s]: readonly [number, number, number], ...blocks: readonly string[]): string {
  return `<gpu id="${id}" i_chunks="${i}" o_chunks="${o}" s_chunks="${s}">\n${blocks.join('')}</gpu>\n`;
}

export interface AlgorithmOptions {
  readonly chunks?: number;
  readonly inPlace?: boolean;
  readonly protocol?: string;
  readonly channels?: number;
}

/** An algorithm for as many ranks as it has gpus; `chunks` is `nchunksperloop`. */
export function algo(collective: string, options: AlgorithmOptions, ...gpus: readonly string[]): string {
  const { chunks = 1, inPlace = false, protocol = 'Simple', channels = 4 } = options;
  const size = `nchannels="${channels}" nchunksperloop="${chunks}" ngpus="${gpus.length}"`;
  const use = `inplace="${inPlace ? 1 : 0}" outofplace="${inPlace ? 0 : 1}" minBytes="0" maxBytes="0"`;
  return `<algo name="mine" proto="${protocol}" ${size} coll="${collective}" ${use}>\n${gpus.join('')}</algo>\n`;
}

/**
 * Allreduce of two ranks in place: rank 1 adds what it gets and sends the sum back.
 * Lines: algo, gpu, tb, step, step, /tb, /gpu, gpu, tb, step …
 */
export const exchange = algo(
  'allreduce',
  { inPlace: true },
  gpu(0, [1, 0, 0], tb(0, 1, 1, 0, step('s'), step('r', { dst: 'i0' }))),
  gpu(1, [1, 0, 0], tb(0, 0, 0, 0, step('rrcs', { dst: 'i0' }))),
);
