/** Schedules in rounds: times that can be written down by hand, and plans that are proved and take what was promised. */
import { describe, expect, it } from 'vitest';
import { randomGraph } from '../../../bench/drawn-machines.ts';
import type { Collective, CollectiveKind } from '../../../src/ir/collective.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { Random } from '../../../src/ir/random.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { ranksOf, type Topology } from '../../../src/ir/topology.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { evaluateCandidate } from '../../../src/search/evaluate/index.ts';
import { loadSolver, type SolverName } from '../../../src/solver/index.ts';
import { bestInRounds, type InRounds } from '../../../src/synth/index.ts';
import { unorderedKinds } from '../../collectives.ts';
import { problemFor } from '../problems.ts';

function collectiveOf(kind: CollectiveKind, ranks: number, root = 0): Collective {
  return { kind, ranks, chunks: 1, root, op: 'sum', ordered: false, inPlace: false };
}

/** What nothing here takes. */
const toBeat = 1e-3;

async function inRounds(
  kind: CollectiveKind,
  topology: Topology,
  size: number,
  { root = 0, solver = 'highs', counts }: { root?: number; solver?: SolverName; counts?: readonly number[] } = {},
): Promise<InRounds | undefined> {
  const collective = { ...collectiveOf(kind, ranksOf(topology), root), ...(counts && { counts }) };
  return bestInRounds(problemFor(collective, topology, { size }), await loadSolver(solver), toBeat);
}

/** The least simulated time of its plans, all of which must be correct. */
function timeOf(found: InRounds | undefined, kind: CollectiveKind, topology: Topology, size: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of found?.candidates ?? []) {
    const request = { collective: { kind }, topology, size, bulks: 'auto', limits: defaultLimits } as const;
    const outcome = evaluateCandidate(candidate, request, new Routes(topology), Number.POSITIVE_INFINITY);
    expect(outcome.kind === 'dismissed' ? outcome.dismissal.reason : '').toBe('');
    if (outcome.kind === 'priced') least = Math.min(least, outcome.cost.seconds);
  }
  return least;
}

const mebibyte = 2 ** 20;

describe('rounds of free length', () => {
  it('have the time of the closed form on rings that do not reduce', async () => {
    // Both directions share the N − 1 shards, of which the farthest are N/2 away.
    for (const ranks of [4, 5, 6]) {
      const ring = resolveTopology(`ring:${ranks}`);
      const [alpha, perByte] = [1e-6, 1 / 10e9];
      const found = await inRounds('allgather', ring, mebibyte);
      const shard = mebibyte / ranks;
      const expected = Math.floor(ranks / 2) * alpha + ((ranks - 1) / 2) * shard * perByte;
      expect(found?.seconds).toBeCloseTo(expected, 12);
      expect(timeOf(found, 'allgather', ring, mebibyte)).toBeCloseTo(expected, 12);
    }
  });

  it('bring an allreduce of DGX-1 to its bytes and five latencies', async () => {
    // Each GPU must send 14/8 of the message over 150 GB/s; four rounds cannot, as the radius is 2 and some links idle.
    const topology = resolveTopology('dgx1');
    const found = await inRounds('allreduce', topology, mebibyte);
    const bytes = (14 / 8) * (mebibyte / 150e9);
    expect(found?.rounds).toBe(5);
    expect(found?.seconds).toBeGreaterThan(bytes + 5e-6 - 1e-12);
    expect(found?.seconds).toBeLessThan((bytes + 5e-6) * 1.003);
    expect(timeOf(found, 'allreduce', topology, mebibyte)).toBeLessThan(17.38e-6);
  });

  it('send what a root has over all its links at once, as a flow does', async () => {
    // A line of three with its root in the middle: one shard each way, one round.
    const line = resolveTopology('line:3');
    const found = await inRounds('scatter', line, 3 * mebibyte, { root: 1 });
    expect(found?.seconds).toBeCloseTo(1e-6 + mebibyte / 10e9, 12);
    // From its end two shards go over the first link; the second one follows in a round of its own.
    const fromEnd = await inRounds('scatter', line, 3 * mebibyte, { root: 0 });
    expect(fromEnd?.seconds).toBeCloseTo(2e-6 + (2 * mebibyte) / 10e9, 12);
  });

  it('have the closed form of an alltoall on a ring of four', async () => {
    // One shard each to both neighbours; of the shard for the opposite rank a half goes either way, over one more hop: first round
    // 1 + 1/2 shards on every link, second round 1/2.
    const ring = resolveTopology('ring:4');
    const found = await inRounds('alltoall', ring, mebibyte);
    const expected = 2e-6 + (2 * (mebibyte / 4)) / 10e9;
    expect(found?.seconds).toBeCloseTo(expected, 12);
    expect(timeOf(found, 'alltoall', ring, mebibyte)).toBeCloseTo(expected, 12);
  });

  it('are within 3 % of the best rounds of a broadcast, and not under them', async () => {
    // The linear program of flows over the time-expanded DGX-1, solved by itself elsewhere, says 16.04 µs.
    const found = await inRounds('broadcast', resolveTopology('dgx1'), mebibyte);
    expect((found?.seconds ?? 0) * 1e6).toBeGreaterThan(16.035);
    expect((found?.seconds ?? 0) * 1e6).toBeLessThan(16.04 * 1.03);
  });

  it('gather what was scattered, and reduce what was spread, in the same time where links are alike both ways', async () => {
    const topology = resolveTopology('dgx1');
    for (const [there, back] of [
      ['scatter', 'gather'],
      ['broadcast', 'reduce'],
      ['allgather', 'reducescatter'],
    ] as const) {
      const [a, b] = [await inRounds(there, topology, mebibyte), await inRounds(back, topology, mebibyte)];
      expect(b?.seconds).toBeCloseTo(a?.seconds ?? 0, 9);
    }
  });

  it('are the same with another solver', async () => {
    const topology = resolveTopology('sg2260x4');
    const [a, b] = [
      await inRounds('allreduce', topology, mebibyte),
      await inRounds('allreduce', topology, mebibyte, { solver: 'glpk' }),
    ];
    expect(b?.seconds).toBeCloseTo(a?.seconds ?? 0, 9);
  });

  it('are the same each time', async () => {
    const topology = resolveTopology('dgx1');
    const made = async () => {
      const found = await inRounds('broadcast', topology, mebibyte);
      return found?.candidates.map((candidate) => JSON.stringify(candidate.build(1)));
    };
    expect(await made()).toEqual(await made());
  });

  it('are proved on machines at random, and plans take no longer than the rounds where reductions hold nothing up', async () => {
    const random = new Random(3);
    let seen = 0;
    for (let draw = 0; draw < 70; draw++) {
      const drawn = randomGraph(random);
      if (ranksOf(drawn) > 7) continue;
      const topology = { ...drawn, nodes: drawn.nodes.map((node) => ({ ...node, reduce: undefined })) };
      const kind = unorderedKinds[draw % unorderedKinds.length];
      const found = await inRounds(kind, topology, mebibyte, { root: random.below(ranksOf(topology)) });
      if (found === undefined) continue;
      seen++;
      expect(timeOf(found, kind, topology, mebibyte)).toBeLessThan(found.seconds * 1.02);
    }
    expect(seen).toBeGreaterThan(8);
  });

  it('give shards of different sizes trees in proportion', async () => {
    // Rank 0 alone has data: on a ring of four both directions carry half of it two hops, which is a broadcast.
    const ring = resolveTopology('ring:4');
    const found = await inRounds('allgather', ring, mebibyte, { counts: [mebibyte, 0, 0, 0] });
    const broadcast = await inRounds('broadcast', ring, mebibyte);
    expect(found?.seconds).toBeCloseTo(broadcast?.seconds ?? 0, 9);
    timeOf(found, 'allgather', ring, mebibyte);
  });

  it('leave alone what they are not made for', async () => {
    expect(await inRounds('scan', resolveTopology('ring:4'), mebibyte)).toBeUndefined();
    // One port for three ways: messages exclude each other.
    expect(await inRounds('allgather', resolveTopology('switch:4'), mebibyte)).toBeUndefined();
  });
});
