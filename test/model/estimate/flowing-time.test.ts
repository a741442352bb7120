/** What a schedule takes where messages wait for data and links, not for steps. Times are closed forms. */
import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import { type Schedule, StepsBuilder } from '../../../src/ir/schedule.ts';
import { lower } from '../../../src/lower/index.ts';
import { flowingTime, simulate } from '../../../src/model/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { scheduleOf } from '../../seeds/library.ts';

const size = 1e6;
/** α and β of lines, rings and switches; γ of chips that cannot send while they reduce. */
const [latency, bandwidth, throughput] = [1e-6, 10e9, 50e9];

/** Messages of single chunks, each in a step of its own: source, destination, chunk, and a channel other than 0. */
function broadcastOf(ranks: number, chunks: number, messages: readonly (readonly number[])[]): Schedule {
  const builder = new StepsBuilder();
  for (const [source, destination, chunk, channel = 0] of messages) {
    builder.startTransfer({ kind: 'copy', source, destination, channel, order: 'held-first', origin: undefined });
    builder.addPiece(0, chunk, 0, chunk, 1);
    builder.endStep();
  }
  const collective = {
    ...({ kind: 'broadcast', ranks, chunks, root: 0, op: 'sum', ordered: false, inPlace: false } as const),
  };
  return { name: 'chain', collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

describe('the time of a schedule whose messages wait for what they bring', () => {
  it('is that of a pipeline, though no two messages are in one step: (N − 2 + C)(α + M/Cβ)', () => {
    const [ranks, chunks] = [5, 4];
    const messages = Array.from({ length: chunks }, (_, chunk) =>
      Array.from({ length: ranks - 1 }, (__, rank) => [rank, rank + 1, chunk]),
    ).flat();
    const flowing = flowingTime(broadcastOf(ranks, chunks, messages), new Routes(resolveTopology('line:5')), size);
    expect(flowing?.seconds).toBeCloseTo((ranks - 2 + chunks) * (latency + size / chunks / bandwidth), 12);
    // Of no bytes the link is held for α all the same.
    expect(flowing?.latency).toBeCloseTo((ranks - 2 + chunks) * latency, 12);
  });

  it('is that of its steps on a ring in lock step, and that of the plan: (N − 1)(α + M/Nβ)', () => {
    const routes = new Routes(resolveTopology('ring:5'));
    const schedule = scheduleOf('ring-allgather', 5);
    const { seconds } = simulate(lower(schedule), routes, size);
    expect(flowingTime(schedule, routes, size)?.seconds).toBeCloseTo(4 * (latency + size / 5 / bandwidth), 12);
    expect(flowingTime(schedule, routes, size)?.seconds).toBeCloseTo(seconds, 12);
  });

  it('counts reductions, during which some chips cannot send: a chain that reduces N − 1 times', () => {
    const routes = new Routes(resolveTopology('line:4'));
    const expected = 3 * (latency + size / bandwidth + size / throughput);
    expect(flowingTime(scheduleOf('chain-reduce', 4), routes, size)?.seconds).toBeCloseTo(expected, 12);
  });

  it('lets a message go before one that is listed earlier and still waits, unless a channel keeps their order', () => {
    const routes = new Routes(resolveTopology('line:3'));
    const message = latency + size / 2 / bandwidth;
    // Rank 1 passes chunk 0 on once it has come; chunk 1 is there from the beginning.
    const timeOf = (channel: number) =>
      flowingTime(
        broadcastOf(3, 2, [
          [0, 1, 0],
          [1, 2, 0],
          [1, 2, 1, channel],
        ]),
        routes,
        size,
      )?.seconds;
    expect(timeOf(0)).toBeCloseTo(3 * message, 12);
    expect(timeOf(1)).toBeCloseTo(2 * message, 12);
  });

  it.each([
    ['ring-allreduce', 'ring:6'],
    ['full-mesh-reducescatter', 'switch:5'],
    ['binomial-reduce', 'mesh:2x4'],
    ['bidirectional-chain-broadcast', 'line:5'],
  ])('is that of the plan for %s on %s', (name, machine) => {
    const topology = resolveTopology(machine);
    const routes = new Routes(topology);
    const schedule = scheduleOf(name, topology.chips.length);
    const { seconds } = simulate(lower(schedule), routes, size);
    expect(flowingTime(schedule, routes, size)?.seconds).toBeCloseTo(seconds, 12);
  });
});
