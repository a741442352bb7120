/** The number of bulks that is chosen, what is said of it, and the channels that let bulks overlap. Times are closed forms. */
import { describe, expect, it } from 'vitest';
import {
  type CollectiveKind,
  type CompileRequest,
  type CompileResult,
  resolveTopology,
  searchDefaults,
  searchPlan,
} from '../../../src/index.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { describePipeline } from '../../../src/session/compile/pipeline.ts';
import { collectiveOf } from '../../collectives.ts';

const KiB = 2 ** 10;
const MiB = 2 ** 20;

function compiled(
  kind: CollectiveKind,
  topo: string,
  size: number,
  changes: Partial<CompileRequest> = {},
): CompileResult {
  const topology = resolveTopology(topo);
  const collective = collectiveOf(kind, topology.chips.length);
  return searchPlan({ ...searchDefaults, collective, topology, size, ...changes });
}

/** What is said of the pipeline of a compiled plan. */
function pipelineOf({ bundle, schedule }: CompileResult) {
  const { proved, topology, size = 0, cost } = bundle;
  if (topology === undefined) throw new Error('no topology');
  return describePipeline(proved.plan, schedule, new Routes(topology), size, cost.seconds);
}

/** The whole number next to √((N − 2)M/(αβ)) for which (N + k − 2)(α + M/(kβ)) is least. */
function bestOfChain(ranks: number, alpha: number, perByte: number, size: number) {
  const time = (k: number): number => (ranks + k - 2) * (alpha + (size * perByte) / k);
  const near = Math.sqrt(((ranks - 2) * size * perByte) / alpha);
  const [below, above] = [Math.floor(near), Math.ceil(near)];
  const depth = time(below) <= time(above) ? below : above;
  return { depth, seconds: time(depth) };
}

describe('a pipelined chain', () => {
  it.each([4, 6, 9])('broadcasts in k* bulks, %i ranks, and its interval, fill and gain are said', (ranks) => {
    const [alpha, perByte, size] = [0.55e-6, 1 / 64e9, 4 * MiB];
    const topology = resolveTopology(`line:${ranks}`);
    const links = topology.links.map((link) => ({
      ...link,
      latency: alpha,
      bandwidth: 64e9,
      occupancy: 'blocking' as const,
    }));
    const result = compiled('broadcast', `line:${ranks}`, size, {
      topology: { ...topology, links },
      algorithm: 'chain-broadcast',
    });
    const expected = bestOfChain(ranks, alpha, perByte, size);
    const { bulks } = result.bundle.proved.plan;
    expect(bulks).toBe(expected.depth);
    expect(result.bundle.cost.seconds).toBeCloseTo(expected.seconds, 12);
    const { pipeline } = pipelineOf(result);
    if (pipeline?.kind !== 'bulks') throw new Error('no pipeline');
    const stage = alpha + (size * perByte) / bulks;
    expect(pipeline.interval).toBeCloseTo(stage, 12);
    expect(pipeline.leastInterval).toBeCloseTo(stage, 12);
    expect(pipeline.fill).toBeCloseTo((ranks - 1) * stage, 12);
    expect(pipeline.single).toBeCloseTo((ranks - 1) * (alpha + size * perByte), 12);
    expect(pipeline.busiest?.kind).toBe('link');
    expect(pipeline.waits).toBe(false);
  });

  it('reduces at the pace of a message and its reduction where chips do one or the other', () => {
    const result = compiled('reduce', 'line:5', 4 * MiB, { algorithm: 'chain-reduce' });
    const [link] = result.bundle.topology?.links ?? [];
    const gamma = result.bundle.topology?.nodes[0].reduce;
    if (gamma === undefined) throw new Error('no engine');
    expect(gamma.overlap).toBe(false);
    const { pipeline, reductions } = pipelineOf(result);
    if (pipeline?.kind !== 'bulks') throw new Error('no pipeline');
    const bytes = (4 * MiB) / pipeline.bulks;
    expect(pipeline.interval).toBeCloseTo(link.latency + bytes / link.bandwidth + bytes / gamma.throughput, 12);
    expect(pipeline.busiest?.kind).toBe('chip');
    expect(reductions?.reducing).toBeCloseTo((4 * MiB) / gamma.throughput, 12);
    expect(reductions?.hidden).toBeCloseTo(0, 12);
  });
});

describe('one bulk', () => {
  it('is chosen where a second would only add latencies, and that is said', () => {
    const result = compiled('allgather', 'sg2260x4', 64 * MiB);
    const { pipeline } = pipelineOf(result);
    if (pipeline?.kind !== 'single') throw new Error('bulks');
    // Two messages each way per bulk, of 3M/8 in all: 2α + 3M/8β, and 2α more for a second bulk.
    const bytesTime = (3 * 64 * MiB) / (8 * 64e9);
    expect(result.bundle.cost.seconds).toBeCloseTo(2 * 0.55e-6 + bytesTime, 12);
    expect(pipeline.double).toBeCloseTo(4 * 0.55e-6 + bytesTime, 12);
    expect(pipeline.added).toBeCloseTo(2 * 0.55e-6, 12);
    expect(pipeline.busiest?.seconds).toBeCloseTo(result.bundle.cost.seconds, 12);
  });
});

describe('staging through L2 on four SG2260 chips', () => {
  it.each(['allgather', 'gather'] as const)('gains by bulks: %s', (kind) => {
    const result = compiled(kind, 'sg2260x4-ddr', 64 * MiB);
    const { pipeline } = pipelineOf(result);
    if (pipeline?.kind !== 'bulks') throw new Error('one bulk');
    expect(pipeline.single / result.bundle.cost.seconds).toBeGreaterThan(1.1);
    expect(pipeline.interval).toBeCloseTo(pipeline.leastInterval, 12);
  });

  it.each(['allreduce', 'broadcast', 'reduce', 'scan'] as const)('gains more by bulks that taper: %s', (kind) => {
    const { origin, cost, proved } = compiled(kind, 'sg2260x4-ddr', 64 * MiB).bundle;
    expect(proved.plan.bulks).toBe(1);
    expect(Number(origin?.oneBulkSeconds) / cost.seconds).toBeGreaterThan(1.8);
    expect(Number(origin?.equalBulksSeconds) / cost.seconds).toBeGreaterThan(1.005);
    const asked = compiled(kind, 'sg2260x4-ddr', 64 * MiB, { bulks: Number(origin?.taperedBulks) }).bundle;
    expect(asked.proved.plan.ops).toEqual(proved.plan.ops);
  });

  it('of an allgather out of place is bound by what every chip writes: all of M', () => {
    const result = compiled('allgather', 'sg2260x4-ddr', 64 * MiB);
    const { pipeline } = pipelineOf(result);
    if (pipeline?.kind !== 'bulks') throw new Error('one bulk');
    expect(pipeline.busiest?.kind).toBe('copy engine');
    expect(pipeline.interval * pipeline.bulks).toBeCloseTo((64 * MiB) / 128e9, 12);
  });

  it('raises the number of bulks until four of them fit the memory', () => {
    const topology = { ...resolveTopology('sg2260x4-ddr'), staging: { memory: 256 * KiB } };
    const changes = { topology, algorithm: 'chain-broadcast' };
    // Every chip has the whole of a bulk in scratch: 4 · 1 MiB / k ≤ 256 KiB.
    const { plan } = compiled('broadcast', 'sg2260x4-ddr', MiB, changes).bundle.proved;
    expect(plan.bulks).toBeGreaterThanOrEqual(16);
    expect(plan.scratchPerBulk).toBe(4);
    expect(compiled('broadcast', 'sg2260x4-ddr', MiB, { ...changes, bulks: 16 }).bundle.proved.plan.bulks).toBe(16);
    expect(() => compiled('broadcast', 'sg2260x4-ddr', MiB, { ...changes, bulks: 15 })).toThrow(/at least 16 bulks/);
  });
});

describe('the memory that messages are staged in', () => {
  const ddr = resolveTopology('sg2260x4-ddr');
  const inMemory = (memory: number, size: number, bulks: number | 'auto', kind: CollectiveKind = 'alltoall') =>
    compiled(kind, 'sg2260x4-ddr', size, { topology: { ...ddr, staging: { memory } }, bulks, effort: 'quick' });
  /** What the refusal says would do. */
  const told = (pattern: RegExp, ...asked: Parameters<typeof inMemory>): number => {
    try {
      inMemory(...asked);
    } catch (error) {
      return Number(pattern.exec((error as Error).message)?.[1]);
    }
    return Number.NaN;
  };

  it.each(['alltoall', 'scatter', 'reduce'] as const)('says how few bulks fit it, of all algorithms: %s', (kind) => {
    const most = told(/memory of sg2260x4-ddr is 128 KiB: at least (\d+) bulks would fit/, 128 * KiB, MiB, 3, kind);
    expect(inMemory(128 * KiB, MiB, most, kind).bundle.proved.plan.bulks).toBe(most);
    expect(() => inMemory(128 * KiB, MiB, most - 1, kind)).toThrow(`at least ${most} bulks`);
  });

  it('says how many bulks fit it where messages are of one unit', () => {
    const most = told(/is 2 KiB: at most (\d+) bulks would fit/, 2 * KiB, KiB, 8);
    expect(inMemory(2 * KiB, KiB, most).bundle.proved.plan.bulks).toBe(most);
    expect(() => inMemory(2 * KiB, KiB, most + 1)).toThrow(`at most ${most} bulks`);
  });

  it('says how much would do where no number of bulks fits', () => {
    const least = KiB * told(/in chunks of 128 bytes or more; a memory of ([\d.]+) KiB would/, KiB, MiB, 'auto');
    expect(inMemory(least, MiB, 'auto').bundle.proved.plan.bulks).toBe(2048);
    expect(() => inMemory(least - 1, MiB, 'auto')).toThrow('no number of bulks fits');
  });

  it.each(['alltoall', 'allgather'] as const)(
    'is enough for the plan that is chosen for a large message: %s',
    (kind) => {
      const { bundle } = compiled(kind, 'sg2260x4-ddr', 1024 * MiB);
      const { plan } = bundle.proved;
      // Average chunks of a bulk, as many as the fullest chip has in scratch, for all the bulks that are under way.
      const chunkBytes = (1024 * MiB) / (4 * plan.collective.chunks * plan.bulks);
      const most = Math.max(...plan.buffers.map(({ scratch }) => scratch));
      expect(most * chunkBytes * plan.scratchPerBulk).toBeLessThanOrEqual(128 * MiB);
    },
  );
});

describe('channels of their own', () => {
  it('let both halves of an allreduce overlap: the interval is what the links need', () => {
    const topology = { ...resolveTopology('sg2260x4-ddr'), messages: undefined };
    const changes = { topology, algorithm: 'bidirectional-ring-allreduce' };
    const result = compiled('allreduce', 'sg2260x4-ddr', 64 * MiB, changes);
    const { plan } = result.bundle.proved;
    const { pipeline } = pipelineOf(result);
    if (pipeline?.kind !== 'bulks') throw new Error('one bulk');
    // 2 · 3/4 · M through the two links of a chip, and α for each message of a bulk on one of them.
    const [{ messages }] = result.bundle.cost.links;
    const perBulk = (2 * 3 * 64 * MiB) / (4 * 2 * 64e9) / plan.bulks;
    expect(pipeline.interval).toBeCloseTo(perBulk + (messages / plan.bulks) * 0.55e-6, 12);
    expect(Math.max(...plan.ops.channel)).toBeGreaterThan(0);
  });
});

describe('as many bulks as ccc would choose', () => {
  it.each(['allreduce', 'reduce'] as const)('give the same plan when they are asked for: %s', (kind) => {
    const algorithm = kind === 'allreduce' ? 'bidirectional-ring-allreduce' : 'chain-reduce';
    const auto = compiled(kind, 'sg2260x4-ddr', 64 * MiB, { algorithm }).bundle;
    const { bulks } = auto.proved.plan;
    expect(bulks).toBeGreaterThan(1);
    const asked = compiled(kind, 'sg2260x4-ddr', 64 * MiB, { algorithm, bulks }).bundle;
    expect(asked.proved.plan.ops).toEqual(auto.proved.plan.ops);
    expect(asked.cost.seconds).toBe(auto.cost.seconds);
  });

  it.each(['scan', 'scatter'] as const)('give the same time among all algorithms: %s', (kind) => {
    const auto = compiled(kind, 'sg2260x4-ddr', MiB).bundle;
    const asked = compiled(kind, 'sg2260x4-ddr', MiB, {
      bulks: Number(auto.origin?.taperedBulks ?? auto.proved.plan.bulks),
    }).bundle;
    expect(asked.cost.seconds).toBe(auto.cost.seconds);
  });

  it('give the same plan where that is one, whose sizes are those of a pipeline', () => {
    const auto = compiled('reducescatter', 'sg2260x4', 64 * MiB).bundle;
    expect(auto.origin?.sizes).toBeDefined();
    const asked = compiled('reducescatter', 'sg2260x4', 64 * MiB, { bulks: 1 }).bundle;
    expect(asked.proved.plan.ops).toEqual(auto.proved.plan.ops);
  });
});

describe.each([
  // Of four ranks, two of three parts and a message for each; and one message of three parts of four.
  ['scan', 2, 2 / 3],
  ['exscan', 1, 3 / 4],
] as const)('a ring-%s', (kind, messages, part) => {
  it.each(['sg2260x4', 'sg2260x4-ddr'])(
    `uses both directions of %s: ${part.toFixed(2)} of a bulk per interval, latencies: ${messages}`,
    (name) => {
      const topology = { ...resolveTopology(name), messages: undefined };
      const result = compiled(kind, name, 64 * MiB, { topology, algorithm: `ring-${kind}` });
      const { pipeline } = pipelineOf(result);
      if (pipeline?.kind !== 'bulks') throw new Error('one bulk');
      expect(pipeline.leastInterval).toBeCloseTo(messages * 0.55e-6 + (part * 64 * MiB) / (pipeline.bulks * 64e9), 12);
      expect(pipeline.interval / pipeline.leastInterval).toBeLessThan(1.001);
    },
  );
});
