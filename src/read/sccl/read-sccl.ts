/**
 * Turns SCCL's algorithm JSON into a schedule of a custom collective, whose pre- and post-condition the file states. Every rank works in
 * scratch, with one slot for each address.
 */
import type { Collective, Contribution } from '../../ir/collective.ts';
import { customResults } from '../../ir/custom-results.ts';
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import { defaultLimits, type Limits } from '../../ir/limits.ts';
import { type Piece, type Schedule, StepsBuilder, type TransferKind } from '../../ir/schedule.ts';
import type { ReadOptions } from '../options.ts';
import { type Chunk, readScclAlgorithm, type ScclAlgorithm, type Send } from './algorithm.ts';

/** A chunk, and the input slot in which it starts. */
interface Placed {
  readonly chunk: Chunk;
  readonly start: Contribution;
}

/**
 * Reads an algorithm.
 * @throws CccError 'syntax', 'malformed', 'limit', 'unsupported' for chunks that start in several places
 */
export function readSccl(source: SourceText, options: ReadOptions = {}): Schedule {
  const { limits = defaultLimits } = options;
  const algorithm = readScclAlgorithm(source, limits);
  const addresses = [...new Set(algorithm.chunks.map(({ address }) => address))].sort((a, b) => a - b);
  const slots = new Map(addresses.map((address, slot) => [address, slot]));
  if (addresses.length * algorithm.ranks > limits.operations) {
    throw new CccError('limit', 'its ranks hold more chunks in all than the limit operations', algorithm.range);
  }
  const { inputs, placed } = placeInputs(algorithm);
  const outputs = wantedOutputs(algorithm);
  const collective = customOf(algorithm, inputs, outputs, placed);
  const places = new Map(algorithm.chunks.map(({ address, range }) => [address, range]));
  const steps = new StepsBuilder();
  addLocal(steps, inputs, places, (slot, address) => ({
    from: 'input',
    fromOffset: slot,
    to: 'scratch',
    toOffset: at(slots, address),
  }));
  const combines = addSends(steps, algorithm, slots, placed, limits);
  addLocal(steps, outputs, places, (slot, address) => ({
    from: 'scratch',
    fromOffset: at(slots, address),
    to: 'output',
    toOffset: slot,
  }));
  const { name } = algorithm;
  return { name, collective, scratch: addresses.length, commutative: combines, ring: false, steps: steps.build() };
}

/** By rank, its input: the addresses that it has at the start, in ascending order. */
function placeInputs({ chunks, ranks }: ScclAlgorithm): {
  readonly inputs: readonly number[][];
  readonly placed: readonly Placed[];
} {
  const inputs: number[][] = Array.from({ length: ranks }, () => []);
  const placed: Placed[] = [];
  for (const chunk of [...chunks].sort((a, b) => a.address - b.address)) {
    for (const rank of [...chunk.before, ...chunk.after]) checkRank(rank, ranks, chunk);
    const [rank, ...others] = chunk.before;
    if (rank === undefined || others.length > 0) {
      throw new CccError('unsupported', `a chunk must start on one rank, not on ${chunk.before.length}`, chunk.range);
    }
    if (inputs[rank].at(-1) === chunk.address) {
      throw new CccError('malformed', `rank ${rank} starts with two chunks at address ${chunk.address}`, chunk.range);
    }
    placed.push({ chunk, start: { rank, chunk: inputs[rank].length } });
    inputs[rank].push(chunk.address);
  }
  return { inputs, placed };
}

/** By rank, its output: the addresses that it must have at the end, in ascending order. */
function wantedOutputs({ chunks, ranks }: ScclAlgorithm): readonly number[][] {
  const wanted = Array.from({ length: ranks }, () => new Set<number>());
  for (const { address, after } of chunks) for (const rank of after) wanted[rank].add(address);
  return wanted.map((addresses) => [...addresses].sort((a, b) => a - b));
}

function customOf(
  { ranks }: ScclAlgorithm,
  inputs: readonly number[][],
  outputs: readonly number[][],
  placed: readonly Placed[],
): Collective {
  const results = outputs.map((addresses) => addresses.map((): Contribution[] => []));
  const slotOf = outputs.map((addresses) => new Map(addresses.map((address, slot) => [address, slot])));
  const inRankOrder = [...placed].sort((a, b) => a.start.rank - b.start.rank);
  for (const { chunk, start } of inRankOrder) {
    for (const rank of chunk.after) results[rank][at(slotOf[rank], chunk.address)].push(start);
  }
  const custom = {
    input: inputs.map((own) => own.length),
    output: outputs.map((own) => own.length),
    results: customResults(results),
  };
  return { kind: 'custom', ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false, custom };
}

/** Adds the sends as transfers; returns whether any of them reduces. */
function addSends(
  steps: StepsBuilder,
  { steps: given, ranks }: ScclAlgorithm,
  slots: ReadonlyMap<number, number>,
  placed: readonly Placed[],
  limits: Limits,
): boolean {
  const held = Array.from({ length: ranks }, () => new Map<number, ReadonlySet<Placed>>());
  for (const chunk of placed) held[chunk.start.rank].set(chunk.chunk.address, new Set([chunk]));
  let combines = false;
  let compared = 0;
  for (const { rounds, sends } of given) {
    // All sends of a step read the state before the step.
    const sent = sends.map((send) => checked(send, ranks, slots) && held[send.source].get(send.address));
    sends.forEach((send, index) => {
      const arriving = sent[index] ?? new Set();
      const there = held[send.destination].get(send.address) ?? new Set();
      compared += there.size + arriving.size;
      if (compared > limits.evaluations) {
        const message = `more contributions to compare than the limit evaluations = ${limits.evaluations}`;
        throw new CccError('limit', message, send.range);
      }
      const kind = meeting(there, arriving);
      combines ||= kind === 'reduce';
      held[send.destination].set(send.address, kind === 'copy' ? arriving : new Set([...there, ...arriving]));
      const slot = at(slots, send.address);
      const piece: Piece = { from: 'scratch', fromOffset: slot, to: 'scratch', toOffset: slot, count: 1 };
      const { source, destination, range } = send;
      steps.add({ kind, source, destination, channel: 0, order: 'held-first', pieces: [piece], origin: range });
    });
    steps.endStep(rounds);
  }
  return combines;
}

/** A send copies if what arrives contains everything that the slot holds; otherwise it reduces. */
function meeting(there: ReadonlySet<Placed>, arriving: ReadonlySet<Placed>): TransferKind {
  for (const chunk of there) if (!arriving.has(chunk)) return 'reduce';
  return 'copy';
}

function addLocal(
  steps: StepsBuilder,
  addresses: readonly number[][],
  places: ReadonlyMap<number, SourceRange>,
  piece: (slot: number, address: number) => Omit<Piece, 'count'>,
): void {
  addresses.forEach((own, rank) => {
    own.forEach((address, slot) => {
      const pieces = [{ ...piece(slot, address), count: 1 }];
      const local = {
        source: rank,
        destination: rank,
        channel: 0,
        order: 'held-first',
        origin: places.get(address),
      } as const;
      steps.add({ kind: 'copy', ...local, pieces });
    });
  });
  steps.endStep();
}

function checked(
  { address, source, destination, range }: Send,
  ranks: number,
  slots: ReadonlyMap<number, number>,
): true {
  for (const rank of [source, destination]) {
    if (rank >= ranks) throw new CccError('malformed', `there is no rank ${rank}, only 0 … ${ranks - 1}`, range);
  }
  if (source === destination) throw new CccError('malformed', `rank ${source} cannot send to itself`, range);
  if (!slots.has(address)) throw new CccError('malformed', `no chunk has the address ${address}`, range);
  return true;
}

function checkRank(rank: number, ranks: number, { range }: Chunk): void {
  if (rank >= ranks) throw new CccError('malformed', `there is no rank ${rank}, only 0 … ${ranks - 1}`, range);
}

/** The slot of an address, which has one. */
function at(slots: ReadonlyMap<number, number>, address: number): number {
  const slot = slots.get(address);
  if (slot === undefined) throw new Error(`address ${address} has no slot`);
  return slot;
}
