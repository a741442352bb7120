/** What must come before what, and one run. Operation o of bulk b is event b · n + o. Lane order and waits lead from done to posted, messages
 *  and room for them from what happens to what happens; `width` nodes of an event tell these apart where ownership or buffers need it. */
import type { Form } from './form.ts';
import { need } from './plan.ts';
export function orderOf(form: Form, inflight: number, isStrict: boolean) {
  const { ops, firstOp, laneOf, connectionOf, turn, bulks, scratchPerBulk, buffers } = form;
  const count = ops.kind.length;
  // Edges of all bulks are alike and none leads to an earlier one; they meet in scratch alone: bulk 0 and the first that uses its copy again.
  const meet = bulks > scratchPerBulk && buffers.some(({ scratch }) => scratch > 0);
  const [events, waits] = [count, ops.afterOp.length].map((one) => one * (meet ? scratchPerBulk + 1 : 1));
  need(events + waits <= 2 ** 25, 'more operations and waits than 2 ** 25, bulks written out', 'limit');
  const width = isStrict || inflight === 0 ? 3 : 1;
  const [happens, done] = [width >> 1, width - 1];
  // Node x comes after `before[first[x]] … before[first[x + 1] − 1]`.
  const [first, before] = [new Int32Array(width * events + 1), new Int32Array((width + 2) * events + waits)];
  let edges = 0;
  for (let event = 0; event < events; event++) {
    const [o, bulk, posted] = [event % count, Math.floor(event / count), width * event];
    const [start, end] = [firstOp[laneOf[o]], firstOp[laneOf[o] + 1]];
    const previous = o > start ? event - 1 : event - o - count + end - 1;
    if (previous >= 0) before[edges++] = width * previous + done;
    for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
      const earlier = bulk - ops.afterBulks[a];
      if (earlier >= 0) before[edges++] = width * (earlier * count + ops.afterOp[a]) + done;
    }
    if (width === 3) [first[posted + 1], before[edges++]] = [edges, posted];
    const isSend = ops.kind[o] === 2;
    const other = ops.kind[o] < 2 ? -1 : width * (event - o + connectionOf[o][isSend ? 1 : 0][turn[o]]);
    if (ops.kind[o] > 2) before[edges++] = other + happens;
    // Send k waits for the room that receive k − inflight makes. Without buffers it waits for its own receive to be posted, and is done after it.
    const send = isSend ? o : (ops.relay?.[o] ?? -1);
    if (send >= 0 && inflight > 0) {
      const ends = connectionOf[send][1];
      const k = bulk * ends.length + turn[send] - inflight;
      if (k >= 0) before[edges++] = width * (Math.floor(k / ends.length) * count + ends[k % ends.length]) + happens;
    } else if (isSend) before[edges++] = other;
    if (width === 3) [first[posted + 2], before[edges++]] = [edges, posted + happens];
    if (isSend && inflight === 0) before[edges++] = other + happens;
    first[posted + width] = edges;
  }
  // All runs get equally far: a plan deadlocks exactly if the edges lead round in a circle. By node: 0 not met, 1 waits, more: has run.
  const [run, state] = [0, 1].map(() => new Int32Array(width * events));
  for (let root = 0, ran = 0; root < run.length; root++) {
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (state[node] === 1) run[ran++] = node;
      if (state[node]++ > 0) continue;
      open.push(node);
      for (let e = first[node]; e < first[node + 1]; e++) {
        need(state[before[e]] !== 1, 'waits for itself', 'deadlock', Math.floor(node / width) % count);
        if (state[before[e]] === 0) open.push(before[e]);
      }
    }
  }
  const happening = run.filter((node) => node % width === happens).map((node) => Math.floor(node / width));
  const [begin, end] = isStrict ? [0, done] : [happens, happens]; // the nodes from which to which an event owns its slices
  return { ...form, count, width, first, before, run, happening, begin, end };
}
export type Order = ReturnType<typeof orderOf>;
