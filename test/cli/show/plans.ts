/** Plans that the tests of `ccc show` print. */
import { type Plan, PlanBuilder } from '../../../src/ir/plan.ts';
import { collective } from './schedules.ts';

/** A broadcast along the chain 0 → 1 → 2 in two bulks; rank 2 receives on channel 3. */
export function chainBroadcast(): Plan {
  const builder = new PlanBuilder();
  const sends = builder.openLane(0, 0);
  builder.add(sends, { kind: 'send', peer: 1, src: { buffer: 'input', offset: 0, count: 2 }, step: 1 });
  const local = builder.openLane(0, 1);
  builder.add(local, {
    kind: 'copy',
    src: { buffer: 'input', offset: 0, count: 2 },
    dst: { buffer: 'output', offset: 0, count: 2 },
    step: 0,
  });
  const receives = builder.openLane(1, 0);
  const arrived = builder.add(receives, {
    kind: 'recv',
    peer: 0,
    dst: { buffer: 'output', offset: 0, count: 2 },
    step: 1,
  });
  const forwards = builder.openLane(1, 1);
  for (const offset of [0, 1]) {
    const forwarded = builder.add(forwards, {
      kind: 'send',
      peer: 2,
      channel: 3,
      src: { buffer: 'output', offset, count: 1 },
      step: 2,
    });
    builder.wait(forwarded, arrived);
  }
  const last = builder.openLane(2, 0);
  for (const offset of [0, 1])
    builder.add(last, { kind: 'recv', peer: 1, channel: 3, dst: { buffer: 'output', offset, count: 1 }, step: 2 });
  return builder.build({
    name: 'chain-broadcast',
    collective: collective('broadcast', 3, 2),
    bulks: 2,
    scratchPerBulk: 1,
    buffers: [
      { input: 2, output: 2, scratch: 0 },
      { input: 0, output: 2, scratch: 0 },
      { input: 0, output: 2, scratch: 0 },
    ],
    rounds: [],
  });
}

/** A reduce of two ranks through scratch, which waits for the bulk before the one before. */
export function pairReduce(): Plan {
  const builder = new PlanBuilder();
  const lane = builder.openLane(0, 7);
  const copy = builder.add(lane, {
    kind: 'copy',
    src: { buffer: 'input', offset: 0, count: 1 },
    dst: { buffer: 'scratch', offset: 0, count: 1 },
    step: 0,
  });
  const reduce = builder.add(lane, {
    kind: 'recvReduce',
    peer: 1,
    dst: { buffer: 'scratch', offset: 0, count: 1 },
    order: 'received-first',
    step: 1,
  });
  builder.add(lane, {
    kind: 'reduce',
    src: { buffer: 'scratch', offset: 0, count: 1 },
    dst: { buffer: 'output', offset: 0, count: 1 },
    step: 2,
  });
  builder.wait(copy, reduce, 2);
  const sender = builder.openLane(1, 0);
  builder.add(sender, { kind: 'send', peer: 0, src: { buffer: 'input', offset: 0, count: 1 }, step: 1 });
  return builder.build({
    name: 'pair-reduce',
    collective: collective('reduce', 2),
    bulks: 1,
    scratchPerBulk: 2,
    buffers: [
      { input: 1, output: 1, scratch: 1 },
      { input: 1, output: 0, scratch: 0 },
    ],
    rounds: [],
  });
}

/** Rank 0 sends one chunk to rank 1 again and again. */
export function longStream(messages: number): Plan {
  const builder = new PlanBuilder();
  const lanes = [builder.openLane(0, 0), builder.openLane(1, 0)];
  for (let k = 0; k < messages; k++) {
    builder.add(lanes[0], { kind: 'send', peer: 1, src: { buffer: 'input', offset: 0, count: 1 }, step: k });
    builder.add(lanes[1], { kind: 'recv', peer: 0, dst: { buffer: 'output', offset: 0, count: 1 }, step: k });
  }
  const buffers = { input: 1, output: 1, scratch: 0 };
  return builder.build({
    name: 'stream',
    collective: collective('broadcast', 2),
    bulks: 1,
    scratchPerBulk: 1,
    buffers: [buffers, buffers],
    rounds: [],
  });
}
