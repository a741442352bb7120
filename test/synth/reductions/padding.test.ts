/** Padding: steps take what the slowest chip takes, whatever the others have to do; and trees share reductions among chips. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../../src/cost/index.ts';
import type { Collective } from '../../../src/ir/collective.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../../src/ir/schedule.ts';
import { ranksOf } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { engines } from '../../../src/synth/index.ts';
import { withPadding } from '../../../src/synth/reductions/padding.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor } from '../problems.ts';

/** α, 1/β and 1/γ of the shipped rings, grids and switches. */
const [latency, perByte, perReduced] = [1e-6, 1e-10, 2e-11];

/** Simulated seconds of a schedule, which must be correct. */
function secondsOf(schedule: Schedule, name: string, size: number): number {
  const topology = resolveTopology(name);
  const plan = lower(schedule);
  expect(prove(plan, { topology }).verification.verdict).toBe('correct');
  return simulate(plan, new Routes(topology), size).seconds;
}

/** Packets of one chunk to rank 0 along ways that join: of each rank but 0, whom it sends to, ranks in the order of their distance. */
function packets(parents: readonly number[], number: number): Schedule {
  const ranks = parents.length + 1;
  const heights = new Array<number>(ranks).fill(0);
  for (let rank = ranks - 1; rank > 0; rank--) {
    heights[parents[rank - 1]] = Math.max(heights[parents[rank - 1]], heights[rank] + 1);
  }
  const collective: Collective = {
    ...{ kind: 'reduce', ranks, chunks: number, root: 0, op: 'sum', ordered: false, inPlace: false },
  };
  const builder = new StepsBuilder();
  for (let step = 0; step < number + heights[0] - 1; step++) {
    for (let source = 1; source < ranks; source++) {
      const packet = step - heights[source];
      if (packet < 0 || packet >= number) continue;
      const piece: Piece = { from: 'data', fromOffset: packet, to: 'data', toOffset: packet, count: 1 };
      const ends = { source, destination: parents[source - 1], channel: 0 };
      builder.add({ kind: 'reduce', ...ends, order: 'held-first', pieces: [piece], origin: undefined });
    }
    builder.endStep();
  }
  return { name: 'in-step', collective, scratch: 0, commutative: true, ring: false, steps: builder.build() };
}

/** The sum over steps of α + m/β + (messages that the busiest rank reduces)·m/γ, for messages of m bytes. */
function stepByStep({ steps }: Schedule, message: number): number {
  let seconds = 0;
  for (let step = 0; step < steps.stepCount; step++) {
    const received = new Map<number, number>();
    for (const { destination } of steps.inStep(step)) received.set(destination, (received.get(destination) ?? 0) + 1);
    seconds += latency + message * (perByte + Math.max(...received.values()) * perReduced);
  }
  return seconds;
}

describe('padding', () => {
  it.each([
    ['mesh:3x3', [0, 1, 0, 3, 4, 3, 6, 7]],
    ['mesh:2x4', [0, 1, 2, 0, 4, 5, 6]],
    ['torus:3x3', [0, 0, 0, 1, 2, 0, 6, 6]],
    ['line:4', [0, 1, 2]],
  ] as const)('makes each step as long as its busiest rank needs, on %s', (name, parents) => {
    const schedule = packets(parents, 6);
    const padded = withPadding(schedule, new Routes(resolveTopology(name)));
    if (padded === undefined) throw new Error('all links are alike');
    const message = 20_000;
    expect(secondsOf(padded, name, 6 * message)).toBeCloseTo(stepByStep(schedule, message), 12);
  });

  it('fills messages up where all links are in use, and reduces no more for it', () => {
    // A reducescatter of three ranks next to each other, two chunks a shard: chunk 2r + i is part i of the shard of r.
    const messages = [
      { source: 0, destination: 1, first: 2, count: 2, step: 0 },
      { source: 2, destination: 1, first: 2, count: 2, step: 1 },
      ...[0, 1].flatMap((part) => [
        { source: 0, destination: 2, first: 4 + part, count: 1, step: part },
        { source: 1, destination: 2, first: 4 + part, count: 1, step: part },
        { source: 1, destination: 0, first: part, count: 1, step: part },
        { source: 2, destination: 0, first: part, count: 1, step: part },
      ]),
    ];
    const builder = new StepsBuilder();
    for (const now of [0, 1]) {
      for (const { source, destination, first, count, step } of messages) {
        if (step !== now) continue;
        const piece: Piece = { from: 'data', fromOffset: first, to: 'data', toOffset: first, count };
        const ends = { source, destination, channel: 0 };
        builder.add({ kind: 'reduce', ...ends, order: 'held-first', pieces: [piece], origin: undefined });
      }
      builder.endStep();
    }
    const collective = collectiveOf('reducescatter', 3, { chunks: 2 });
    const rest = { scratch: 0, commutative: true, ring: false, steps: builder.build() };
    const padded = withPadding({ name: 'direct', collective, ...rest }, new Routes(resolveTopology('ring:3')));
    if (padded === undefined) throw new Error('messages can be filled up');
    // In either step there is a message of two chunks, and every rank gets, or one gets, two chunks to reduce.
    const chunk = 30_000;
    expect(secondsOf(padded, 'ring:3', 6 * chunk)).toBeCloseTo(2 * (latency + 2 * chunk * (perByte + perReduced)), 12);
  });

  it('is not made where messages of a step share links or ports, or take differently long', () => {
    const chain = packets([0, 1], 3);
    expect(withPadding(chain, new Routes(resolveTopology('ring:3')))).toBeDefined();
    expect(withPadding(chain, new Routes(resolveTopology('sg2260x4')))).toBeUndefined();
    // From rank 2 it is farther to rank 0 than from rank 1.
    expect(withPadding(packets([0, 0], 1), new Routes(resolveTopology('line:3')))).toBeUndefined();
    // One receive at a time.
    expect(withPadding(packets([0, 0], 1), new Routes(resolveTopology('switch:3')))).toBeUndefined();
    expect(withPadding(chain, new Routes(resolveTopology('switch:3')))).toBeDefined();
  });
});

describe('packets up balanced trees', () => {
  it.each(['mesh:4x4', 'mesh:5x5'])(
    'take little more than the root of %s needs for its messages and reductions',
    (name) => {
      // The root is a corner: it gets M over two links and reduces M in any plan up two trees, so no packing takes less than M/2β + M/γ.
      const size = 2 ** 30;
      const topology = resolveTopology(name);
      const problem = problemFor(collectiveOf('reduce', ranksOf(topology)), topology, { size });
      const proposals = [...(engines.find((engine) => engine.name === 'in-step')?.propose(problem) ?? [])];
      const found = candidatesAmong(proposals);
      const packet = found.find((candidate) => candidate.name === 'packets up packed trees, in step');
      if (packet === undefined) throw new Error('a grid has trees');
      const seconds = secondsOf(packet.build(1), name, size);
      expect(seconds).toBeGreaterThan(size * (perByte / 2 + perReduced));
      expect(seconds).toBeLessThan(1.04 * size * (perByte / 2 + perReduced));
    },
  );
});
