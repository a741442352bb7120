import { describe, expect, it } from 'vitest';
import { type Plan, PlanBuilder } from '../../src/ir/plan.ts';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';

/** Rank 1 passes on to rank 2, in two messages, what it takes from rank 0 in one, once there is room for the second of them. */
function relayed(): Plan {
  const builder = new PlanBuilder();
  const output = (offset: number, count: number) => ({ buffer: 'output' as const, offset, count });
  const input = { buffer: 'input' as const, offset: 0, count: 2 };
  const first = builder.openLane(0, 0);
  builder.add(first, { kind: 'copy', src: input, dst: output(0, 2), step: 0 });
  builder.add(first, { kind: 'send', peer: 1, channel: 0, src: input, step: 1 });
  const middle = builder.openLane(1, 0);
  const receive = builder.add(middle, { kind: 'recv', peer: 0, channel: 0, dst: output(0, 2), step: 1 });
  builder.add(middle, { kind: 'send', peer: 2, channel: 0, src: output(0, 1), step: 2 });
  const send = builder.add(middle, { kind: 'send', peer: 2, channel: 0, src: output(1, 1), step: 2 });
  builder.relay(receive, send);
  const last = builder.openLane(2, 0);
  builder.add(last, { kind: 'recv', peer: 1, channel: 0, dst: output(0, 1), step: 2 });
  builder.add(last, { kind: 'recv', peer: 1, channel: 0, dst: output(1, 1), step: 2 });
  const buffers = [2, 0, 0].map((chunks) => ({ input: chunks, output: 2, scratch: 0 }));
  const whole = collectiveOf('broadcast', 3, { chunks: 2 });
  return builder.build({ name: 'relayed', collective: whole, bulks: 1, scratchPerBulk: 1, buffers, rounds: [] });
}

describe('a receive that waits for room to pass its message on', () => {
  it.each([
    // The first of the two messages would have to be taken before there is room for the second: it comes only after the receive.
    [1, 'deadlock'],
    [2, 'correct'],
    [0, 'correct'],
    [undefined, 'correct'],
  ] as const)('with %s in flight: %s', (inflight, verdict) => {
    expect(verify(relayed(), { inflight }).verdict).toBe(verdict);
  });
});
