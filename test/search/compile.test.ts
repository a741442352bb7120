/** The flow as a whole: what is chosen, at which depth, and what is refused. Expected times are closed forms. */
import { describe, expect, it } from 'vitest';
import {
  type CollectiveKind,
  type CompileRequest,
  resolveTopology,
  searchDefaults,
  searchPlan,
} from '../../src/index.ts';
import { collectiveOf } from '../collectives.ts';

const MiB = 2 ** 20;
const GiB = 2 ** 30;

function compiled(kind: CollectiveKind, topo: string, size: number, changes: Partial<CompileRequest> = {}) {
  const topology = resolveTopology(topo);
  const ranks = topology.chips.length;
  const collective = collectiveOf(kind, ranks);
  return searchPlan({ ...searchDefaults, collective, topology, size, ...changes });
}

describe('allgather on four SG2260 chips', () => {
  it('takes 2α + 3M/8β', () => {
    const { bundle } = compiled('allgather', 'sg2260x4', 64 * MiB);
    const expected = 2 * 0.55e-6 + (3 * 64 * MiB) / (8 * 64e9);
    expect(bundle.cost.seconds).toBeCloseTo(expected, 15);
    // 3M/8β alone is a bound on any plan: three quarters of M must enter every chip through two links.
    expect(bundle.bound.seconds).toBeGreaterThanOrEqual((3 * 64 * MiB) / (8 * 64e9));
    expect(bundle.bound.seconds).toBeLessThanOrEqual(expected);
  });

  it('is not cut into bulks, which would only add latency', () => {
    expect(compiled('allgather', 'sg2260x4', 64 * MiB).bundle.proved.plan.bulks).toBe(1);
  });
});

describe('the choice of an algorithm', () => {
  it.each([
    ...(['allgather', 'reducescatter', 'alltoall', 'allreduce', 'barrier'] as const).map(
      (kind) => [kind, 5 * 4] as const,
    ),
    ...(['broadcast', 'reduce', 'gather', 'scatter'] as const).map((kind) => [kind, 4] as const),
    ...(['scan', 'exscan'] as const).map((kind) => [kind, 4 + 3 + 2 + 1] as const),
  ])('takes by the name of MPICH what posts all messages at once: %s', (kind, messages) => {
    const { schedule, bundle } = compiled(kind, 'switch:5', 4000, { algorithm: 'nb', bulks: 1 });
    const { source, destination, stepStart, stepCount } = schedule.steps;
    const between = Array.from({ length: stepCount }, (_, step) =>
      Array.from(source.subarray(stepStart[step], stepStart[step + 1])).some(
        (rank, t) => rank !== destination[stepStart[step] + t],
      ),
    );
    expect(between.filter(Boolean)).toHaveLength(1);
    expect(bundle.cost.messages).toBe(messages);
    expect(compiled(kind, 'switch:5', 4000, { algorithm: 'nonblocking_linear', bulks: 1 }).schedule.name).toBe(
      schedule.name,
    );
  });

  it('prefers a ring to recursive doubling on a ring, where partners are several hops away', () => {
    const { bundle, explain } = compiled('allgather', 'ring:8', MiB, { exhaustive: true });
    expect(bundle.origin?.schedule).toMatch(/ring/);
    const seconds = new Map(explain().map((candidate) => [candidate.name, candidate.seconds]));
    expect(seconds.get('recursive-doubling-allgather')).toBeGreaterThan(seconds.get('ring-allgather') ?? Infinity);
  });

  it('prefers recursive doubling on a hypercube for small messages: log₂N latencies', () => {
    const { bundle } = compiled('allreduce', 'hypercube:3', 0);
    expect(bundle.cost.seconds).toBeCloseTo(3e-6, 15);
  });

  it('changes with the size: a tree for small broadcasts, a pipeline for large ones', () => {
    const small = compiled('broadcast', 'switch:8', 1).bundle;
    const large = compiled('broadcast', 'switch:8', GiB).bundle;
    expect(small.origin?.schedule).not.toBe(large.origin?.schedule);
    expect(small.cost.seconds).toBeCloseTo(3 * (1e-6 + 1e-10), 15);
  });

  it('explains every candidate, the chosen one first', () => {
    const { explain, bundle } = compiled('allgather', 'ring:5', MiB, { exhaustive: true });
    const candidates = explain();
    expect(candidates[0]).toMatchObject({ status: 'chosen', seconds: bundle.cost.seconds });
    const times = candidates.map((candidate) => candidate.seconds);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('says what does not apply', () => {
    const { dismissed } = compiled('allgather', 'ring:5', MiB);
    expect(dismissed.find(({ name }) => name === 'recursive-doubling-allgather')?.reason).toContain('power');
  });

  it('takes an algorithm by the name it has elsewhere', () => {
    const { bundle } = compiled('allreduce', 'switch:8', MiB, { algorithm: 'reduce_scatter_allgather' });
    expect(bundle.origin?.schedule).toBe('rabenseifner-allreduce');
  });

  it('keeps rank order when the operator does not commute', () => {
    const ordered = collectiveOf('allreduce', 5, { ordered: true });
    const { bundle, dismissed } = compiled('allreduce', 'ring:5', MiB, { collective: ordered });
    expect(bundle.proved.verification.verdict).toBe('correct');
    expect(dismissed.find(({ name }) => name === 'ring-allreduce')?.reason).toContain('commute');
  });
});

describe('the depth of a pipeline', () => {
  // (N + k − 2)(α + M/(kβ)) on a chain of N ranks: the least over whole numbers k, found here by trying all.
  const [ranks, latency, bandwidth] = [6, 1e-6, 10e9];
  const time = (k: number, size: number) => (ranks + k - 2) * (latency + size / (k * bandwidth));

  it.each([64 * 1024, MiB, 10 * MiB])('is the best k for a chain broadcast of %i bytes', (size) => {
    const { bundle } = compiled('broadcast', `line:${ranks}`, size, { algorithm: 'chain-broadcast' });
    const all = Array.from({ length: 2000 }, (_, index) => time(index + 1, size));
    expect(bundle.cost.seconds / Math.min(...all)).toBeCloseTo(1, 9);
    expect(time(bundle.proved.plan.bulks, size) / Math.min(...all)).toBeCloseTo(1, 9);
  });
});

describe('rings on machines whose ranks are numbered badly', () => {
  it('finds the order with the least stretch', () => {
    const { bundle } = compiled('allreduce', 'routed-line', MiB, { algorithm: 'ring-allreduce' });
    expect(bundle.origin).toMatchObject({ ringStretchBefore: 3.5, ringStretchAfter: 2.5 });
    expect(bundle.cost.stretch).toBe(2.5);
  });
});

describe('an alltoall in place on channels that buffer nothing', () => {
  it('swaps shards through scratch: two ranks in the time of one shard', () => {
    const topology = { ...resolveTopology('ring:2'), inflight: 0 };
    const collective = { ...compiled('alltoall', 'ring:2', MiB).bundle.proved.plan.collective, inPlace: true };
    const { bundle } = compiled('alltoall', 'ring:2', MiB, { topology, collective });
    expect(bundle.proved.verification).toMatchObject({ inflight: 0, smallestInflight: 0 });
    expect(bundle.cost.seconds).toBeCloseTo(1e-6 + MiB / 2 / 1e10, 15);
  });
});

describe('limits and refusals', () => {
  it('keeps the best so far when the time is up', () => {
    const { stoppedEarly, bundle } = compiled('allgather', 'ring:8', MiB, { shouldStop: () => true });
    expect(stoppedEarly).toBe(true);
    expect(bundle.proved.verification.verdict).toBe('correct');
  });

  it('says why there is no plan', () => {
    const change = { algorithm: 'recursive-doubling-allgather' };
    expect(() => compiled('allgather', 'ring:6', MiB, change)).toThrow(/no plan for allgather on ring:6.*power/);
  });
});
