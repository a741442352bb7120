/** Whether a plan is well formed, which the rest relies on, and where everything lies. */
import { memoryOf } from './collective.ts';
import { type Collective, Refusal, type Tables } from './plan.ts';

const isWhole = (value: number, least: number): boolean => Number.isSafeInteger(value) && value >= least;

function need(holds: boolean, what: string): void {
  if (!holds) throw new Refusal('malformed', what);
}

/**
 * One bulk's memory as one row of cells: rank r has `first[r] … first[r + 1] − 1`, slot 0 of its input, output and scratch is cell
 * `buffers[0 … 2][r]`. Operation o reads from cell `source[o]` on and writes from `target[o]` on.
 * @param slots the most chunks that buffers may hold, and that operations may touch
 */
export function layOut(plan: Tables, slots: number) {
  const { collective, ops, firstLane, firstOp } = plan;
  checkCollective(plan.collective);
  need(isWhole(plan.bulks, 1) && plan.bulks <= 2 ** 28 && isWhole(plan.scratchPerBulk, 1), 'bulks or scratchPerBulk');
  need(plan.buffers.length === collective.ranks, 'the number of programs');
  const buffers = [0, 1, 2].map(() => new Int32Array(collective.ranks));
  const first = new Int32Array(collective.ranks + 1);
  const [source, target] = [new Int32Array(ops.kind.length), new Int32Array(ops.kind.length)];
  let [cells, touched] = [0, 0];
  for (const [rank, { input, output, scratch }] of plan.buffers.entries()) {
    const needed = memoryOf(collective, rank);
    need(input === needed.input && output === needed.output && isWhole(scratch, 0), `the buffers of rank ${rank}`);
    for (const [i, start] of needed.starts.entries()) buffers[i][rank] = cells + start;
    first[rank + 1] = cells += needed.starts[2] + scratch;
    if (cells > slots) throw new Refusal('limit', `buffers of more than ${slots} chunks`);
    const ids = plan.laneId.subarray(firstLane[rank], firstLane[rank + 1]);
    need(new Set(ids).size === ids.length, `the lane ids of rank ${rank}`);
    const [start, end] = [firstOp[firstLane[rank]], firstOp[firstLane[rank + 1]]];
    for (let o = start; o < end; o++) {
      if (ops.kind[o] < 3) source[o] = buffers[ops.srcBuffer[o]]?.[rank] + ops.srcOffset[o];
      if (ops.kind[o] !== 2) target[o] = buffers[ops.dstBuffer[o]]?.[rank] + ops.dstOffset[o];
      const isApart = ops.kind[o] > 1 || Math.abs(source[o] - target[o]) >= ops.srcCount[o];
      need(isApart && isSound(plan, rank, o, start, end), `operation ${o - start} of rank ${rank}`);
      touched += ops.srcCount[o] + ops.dstCount[o];
    }
  }
  if (touched > slots) throw new Refusal('limit', `operations that touch more than ${slots} chunks`);
  return { first, buffers, source, target };
}
export type Memory = ReturnType<typeof layOut>;

function checkCollective({ kind, ranks, chunks, root, counts, custom, inPlace }: Collective): void {
  need(isWhole(ranks, 1) && isWhole(chunks, 1) && isWhole(root, 0) && root < ranks, 'ranks, chunks or root');
  need((kind === 'custom') === (custom !== undefined), 'a custom collective, and no other, states a condition');
  for (const sizes of custom === undefined ? [] : [custom.input, custom.output]) {
    need(sizes.length === ranks && sizes.every((size) => isWhole(size, 0)), 'the buffers of the condition');
  }
  if (counts === undefined) return;
  const isSharded = ['allgather', 'reducescatter', 'scatter', 'gather', 'alltoall'].includes(kind);
  const taken = kind === 'alltoall' ? ranks * ranks : ranks;
  need(isSharded && counts.length === taken && counts.every((bytes) => isWhole(bytes, 0)), 'counts');
  const isEven = (bytes: number, i: number): boolean => bytes === counts[(i % ranks) * ranks + Math.floor(i / ranks)];
  need(kind !== 'alltoall' || !inPlace || counts.every(isEven), 'counts: in place, two ranks swap as many bytes');
}

/** @param start the operations of its rank are `start … end − 1` */
function isSound({ ops, buffers, collective }: Tables, rank: number, o: number, start: number, end: number): boolean {
  const [kind, peer] = [ops.kind[o], ops.peer[o]];
  const sizes = [buffers[rank].input, buffers[rank].output, buffers[rank].scratch];
  const fits = (buffer: number, offset: number, count: number): boolean =>
    offset >= 0 && count >= 1 && offset + count <= (sizes[buffer] ?? 0);
  let isFine = kind >= 0 && kind <= 4 && ops.channel[o] >= 0;
  if (kind > 1) isFine &&= peer >= 0 && peer < collective.ranks && peer !== rank;
  else isFine &&= ops.srcCount[o] === ops.dstCount[o];
  if (kind < 3) isFine &&= fits(ops.srcBuffer[o], ops.srcOffset[o], ops.srcCount[o]);
  // Out of place the input is only read.
  if (kind !== 2) isFine &&= fits(ops.dstBuffer[o], ops.dstOffset[o], ops.dstCount[o]);
  if (kind !== 2) isFine &&= collective.inPlace || ops.dstBuffer[o] !== 0;
  for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
    isFine &&= ops.afterOp[a] >= start && ops.afterOp[a] < end;
    isFine &&= ops.afterBulks[a] > 0 || (ops.afterBulks[a] === 0 && ops.afterOp[a] !== o);
  }
  return isFine;
}
