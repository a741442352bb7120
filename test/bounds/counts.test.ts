/** Shards of different sizes: simulated times against recurrences written down by hand, bytes, bounds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { type CollectiveKind, collectiveFacts } from '../../src/ir/collective.ts';
import type { CostReport } from '../../src/ir/report.ts';
import { Routes } from '../../src/ir/routes.ts';
import { countsRequired, messageBytes, shardBytes } from '../../src/ir/shards.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { withCounts } from '../../src/passes/index.ts';
import { listShipped, loadScheduleFile, type ScheduleRequest } from '../../src/read/index.ts';
import { verify } from '../../src/verify/index.ts';
import { drawn } from '../draw.ts';
import { full, line, ring, star } from '../model/machines.ts';
import { collective } from '../model/plans.ts';
import { claims, scheduleOf } from '../seeds/library.ts';

const latency = 2;
const bandwidth = 16;
const traits = { latency, bandwidth };

interface Run {
  readonly cost: CostReport;
  readonly size: number;
}

/** A shipped schedule with these counts, proved and simulated for their own message size. */
function run(
  name: string,
  machine: Topology,
  counts: readonly number[],
  changes: Partial<ScheduleRequest> = {},
  bulks = 1,
): Run {
  const ranks = machine.chips.length;
  const plan = lower(withCounts(scheduleOf(name, ranks, changes), counts), { bulks });
  const { verdict, findings } = verify(plan, { topology: machine });
  if (verdict !== 'correct') expect.fail(`${name}, counts ${counts}: ${verdict}: ${findings[0]?.message}`);
  const size = messageBytes(plan.collective.kind, ranks, counts);
  return { cost: simulate(plan, new Routes(machine), size), size };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const someCounts = (length: number) =>
  fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4096 })), { minLength: length, maxLength: length });

/** Halfway its shards lie where other ranks' shards belong. */
const passesThrough = 'hypercube-alltoall';

/** In place, two ranks of an alltoall give each other as much: what the lower half says. */
function swapped(counts: readonly number[], ranks: number): readonly number[] {
  return counts.map((_, at) => {
    const [row, column] = [Math.floor(at / ranks), at % ranks];
    return counts[Math.max(row, column) * ranks + Math.min(row, column)];
  });
}

/**
 * Every link of the ring carries the shards of the ranks behind it, the nearest first: each when it has arrived and the link is
 * free. Empty ones are left out.
 */
function ringTime(counts: readonly number[]): number {
  const ranks = counts.length;
  const arrived = Array.from({ length: ranks }, (_, r) => counts.map((_, shard) => (shard === r ? 0 : Number.NaN)));
  const linkFree = counts.map(() => 0);
  for (let step = 0; step < ranks - 1; step++) {
    for (let r = 0; r < ranks; r++) {
      const shard = (r - step + ranks) % ranks;
      if (counts[shard] === 0) continue;
      linkFree[r] = Math.max(linkFree[r], arrived[r][shard]) + latency + counts[shard] / bandwidth;
      arrived[(r + 1) % ranks][shard] = linkFree[r];
    }
  }
  return Math.max(...linkFree);
}

describe('an allgather around a ring', () => {
  it.each([
    ['one large shard', [0, 0, 4096, 0]],
    ['four sizes', [1024, 0, 3072, 512]],
    ['one empty shard', [160, 160, 160, 0, 160]],
    ['equal shards', [320, 320, 320]],
  ] as const)('of %s takes as long as its links', (_, counts) => {
    const { cost } = run('ring-allgather', ring(counts.length, traits), counts);
    expect(cost.seconds).toBeCloseTo(ringTime(counts), 9);
  });

  it('of any sizes too, in place and out of place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 7 }).chain(someCounts), fc.boolean(), (counts, inPlace) => {
        const { cost } = run('ring-allgather', ring(counts.length, traits), counts, { inPlace });
        expect(cost.seconds).toBeCloseTo(ringTime(counts), 6);
        expect(cost.bytesMoved).toBeCloseTo((counts.length - 1) * sum(counts), 6);
        expect(cost.messages).toBe((counts.length - 1) * counts.filter((count) => count > 0).length);
      }),
      drawn(60),
    );
  });

  it('moves the same bytes in bulks, each a slice of every shard', () => {
    const counts = [1024, 0, 3072, 512];
    const { cost } = run('ring-allgather', ring(4, traits), counts, {}, 8);
    expect(cost.bytesMoved).toBeCloseTo(3 * sum(counts), 6);
    expect(cost.messages).toBe(8 * 3 * 3);
  });

  it('takes N − 1 latencies and the bytes of the one shard there is', () => {
    expect(run('ring-allgather', ring(5, traits), [0, 0, 640, 0, 0]).cost.seconds).toBeCloseTo(4 * (2 + 640 / 16), 9);
  });
});

/**
 * Bruck: in step k rank r sends the shards from its own on, min(2^k, N − 2^k) of them, to r − 2^k. Each is on its way when the
 * last of those has arrived; `arrived[r][j]` is when rank r has shard r + j.
 */
function bruckTime(counts: readonly number[]): number {
  const ranks = counts.length;
  const arrived = counts.map(() => [0]);
  for (let held = 1; held < ranks; held *= 2) {
    const places = Array.from({ length: Math.min(held, ranks - held) }, (_, j) => j);
    const arrivals = counts.map((_, r) => {
      const shards = places.map((j) => ({ bytes: counts[(r + j) % ranks], at: arrived[r][j] }));
      const sent = shards.filter(({ bytes }) => bytes > 0);
      return Math.max(0, ...sent.map(({ at }) => at)) + latency + sum(sent.map(({ bytes }) => bytes)) / bandwidth;
    });
    for (let r = 0; r < ranks; r++) for (const j of places) arrived[r][held + j] = arrivals[(r + held) % ranks];
  }
  return Math.max(...arrived.flatMap((row, r) => row.map((at, j) => (counts[(r + j) % ranks] > 0 ? at : 0))));
}

describe('what scratch holds is weighed too', () => {
  it.each([[[64, 128, 256, 512, 1024]], [[16, 4000, 16, 32, 48, 1]], [[7, 6, 5, 0, 3, 2, 1]]])(
    'Bruck with counts %j',
    (counts) => {
      const machine = full(counts.length, { ...traits, occupancy: 'pipelined' });
      expect(run('bruck-allgather', machine, counts).cost.seconds).toBeCloseTo(bruckTime(counts), 9);
    },
  );
});

describe('an alltoall of any sizes', () => {
  const ranks = 4;
  const counts = [0, 16, 32, 48, 64, 0, 0, 160, 8, 24, 4000, 80, 0, 0, 0, 0];

  it('sends each pair its bytes, those to oneself excepted', () => {
    const { cost, size } = run('full-mesh-alltoall', full(ranks, { ...traits, occupancy: 'pipelined' }), counts);
    // The largest buffer is what rank 2 sends: 8 + 24 + 4000 + 80.
    expect(size).toBe(4112);
    expect(cost.bytesMoved).toBeCloseTo(16 + 32 + 48 + 64 + 160 + 8 + 24 + 80, 9);
    expect(cost.messages).toBe(8);
    expect(cost.seconds).toBeCloseTo(latency + 160 / bandwidth, 9);
  });

  it('shares M out so that the largest buffer has all of it', () => {
    const target = { ...collective('alltoall', ranks), counts };
    const bytes = shardBytes(target, 2 * 4112);
    expect([...bytes]).toEqual(counts.map((count) => 2 * count));
  });
});

describe('reducing shards of different sizes', () => {
  it('takes the engine as long as their bytes', () => {
    const counts = [800, 0, 160];
    const machine = full(3, { ...traits, occupancy: 'pipelined', reduce: { throughput: 4, overlap: true } });
    // Rank 0 adds the two contributions to its 800 bytes one after the other, which both arrive at α + 800/β.
    const { cost } = run('full-mesh-reducescatter', machine, counts);
    expect(cost.seconds).toBeCloseTo(latency + 800 / bandwidth + (2 * 800) / 4, 9);
  });
});

const shardedSchedules = listShipped('schedules').filter((name) => {
  return collectiveFacts[loadScheduleFile(name).collective].sharded;
});

describe('every shipped schedule with shards', () => {
  it.each(shardedSchedules)('%s: equal counts are as good as none', (name) => {
    const ranks = claims(name, 6) ? 6 : 4;
    const { kind, chunks } = scheduleOf(name, ranks).collective;
    const machine = ring(ranks, { ...traits, reduce: { throughput: 32, overlap: false } });
    const { cost, size } = run(name, machine, new Array<number>(countsRequired(kind, ranks)).fill(192));
    const plan = lower(scheduleOf(name, ranks));
    expect(size).toBe(192 * ranks);
    const equal = simulate(plan, new Routes(machine), size);
    expect(plan.collective.chunks).toBe(chunks);
    expect(cost.seconds).toBeCloseTo(equal.seconds, 6);
    expect(cost.bytesOnLinks).toBeCloseTo(equal.bytesOnLinks, 6);
    expect(cost.messages).toBe(equal.messages);
  });

  it.each(shardedSchedules.filter((name) => name !== passesThrough))(
    '%s: is right with any counts, and within bounds that check',
    (name) => {
      const ranks = claims(name, 5) ? 5 : 4;
      const { kind } =
        loadScheduleFile(name).collective === 'alltoall'
          ? { kind: 'alltoall' as const }
          : scheduleOf(name, ranks).collective;
      const machine = ring(ranks, { ...traits, reduce: { throughput: 32, overlap: false } });
      fc.assert(
        fc.property(
          someCounts(countsRequired(kind, ranks)),
          fc.boolean(),
          fc.nat(ranks - 1),
          (drawn, inPlace, root) => {
            const counts = kind === 'alltoall' && inPlace ? swapped(drawn, ranks) : drawn;
            const { cost, size } = run(name, machine, counts, { inPlace, root });
            const target = { ...collective(kind, ranks, 1, root), counts };
            const bound = lowerBound(target, machine, size);
            expect(bound.seconds).toBeLessThanOrEqual(cost.seconds * (1 + 1e-9));
            for (const certificate of bound.certificates) {
              expect(checkCertificate(certificate, target, machine, size), certificate.reason).toBe(true);
            }
            if (sum(counts) === 0) expect(cost.messages).toBe(0);
          },
        ),
        drawn(12),
      );
    },
  );
});

describe('a schedule that keeps shards in the places of others', () => {
  const provedWith = (counts: readonly number[]) =>
    verify(lower(withCounts(scheduleOf(passesThrough, 4), counts))).verdict;

  it('is right where all are of one size, and wrong where a larger one would not fit', () => {
    expect(provedWith(new Array<number>(16).fill(64))).toBe('correct');
    expect(provedWith([0, 4, 0, 4, 4, 4, 0, 4, ...new Array<number>(8).fill(0)])).toBe('wrong-result');
  });
});

describe('the bound of an allgather', () => {
  it('takes the bytes that a rank lacks', () => {
    const counts = [1024, 0, 3072, 512];
    const target = { ...collective('allgather', 4), counts };
    const best = lowerBound(target, ring(4, traits), sum(counts)).certificates.find(({ kind }) => kind === 'cut');
    // Rank 1 has nothing and two links.
    expect(best?.seconds).toBeCloseTo(latency + sum(counts) / (2 * bandwidth), 9);
  });

  it('asks nothing of ranks that have nothing to say', () => {
    const target = { ...collective('allgather', 4), counts: [0, 0, 0, 0] };
    expect(lowerBound(target, ring(4, traits), 0).seconds).toBe(0);
  });
});

describe('latency and bytes added up', () => {
  const combined = (kind: CollectiveKind, machine: Topology, counts: readonly number[], root = 0) => {
    const target = { ...collective(kind, machine.chips.length, 1, root), counts };
    const size = messageBytes(kind, machine.chips.length, counts);
    const { certificates } = lowerBound(target, machine, size);
    const sums = certificates.filter(({ kind: of }) => of === 'gathering' || of === 'row' || of === 'straight');
    for (const certificate of sums) {
      expect(checkCertificate(certificate, target, machine, size), certificate.reason).toBe(true);
      const more = { ...certificate, seconds: certificate.seconds * 1.001 };
      expect(checkCertificate(more, target, machine, size), certificate.reason).toBe(false);
    }
    return Math.max(0, ...sums.map(({ seconds }) => seconds));
  };

  it('of equal counts as of none', () => {
    for (const machine of [ring(5, traits), star(8, traits), full(6, traits)]) {
      const ranks = machine.chips.length;
      for (const kind of ['allgather', 'reducescatter', 'gather', 'scatter', 'alltoall'] as const) {
        const counts = new Array<number>(countsRequired(kind, ranks)).fill(320);
        const bound = lowerBound(collective(kind, ranks), machine, 320 * ranks);
        const sums = bound.certificates.filter(
          ({ kind: of }) => of === 'gathering' || of === 'row' || of === 'straight',
        );
        expect(combined(kind, machine, counts)).toBeCloseTo(Math.max(...sums.map(({ seconds }) => seconds)), 9);
      }
    }
  });

  it('through one port: doublings from the largest shard to what a rank lacks', () => {
    // Rank 4 lacks 64 + 64 + 64 + 32 bytes of at most 64: log₂ 4.5 messages in a row at least.
    const counts = [64, 64, 64, 32, 16];
    expect(combined('allgather', star(5, traits), counts)).toBeCloseTo(3 * latency + 224 / bandwidth, 9);
    // One shard is enough for one message.
    expect(combined('allgather', star(5, traits), [64, 0, 0, 0, 0])).toBeCloseTo(latency + 64 / bandwidth, 9);
    // The root has 192 bytes to send in parts of at most 64: two doublings.
    expect(combined('scatter', star(5, traits), [500, 64, 64, 64, 0])).toBeCloseTo(2 * latency + 192 / bandwidth, 9);
  });

  it('on a line, one shard after the other', () => {
    // At the end of the line 160 bytes arrive in parts of at most 64: three in a row.
    expect(combined('gather', line(4, traits), [500, 64, 64, 32])).toBeCloseTo(3 * latency + 160 / bandwidth, 9);
  });

  it.each(['linear-gather', 'binomial-gather', 'bruck-allgather', 'ring-allgather', 'full-mesh-alltoall'])(
    '%s does not beat them through one port',
    (name) => {
      const { kind } = scheduleOf(name, 6).collective;
      const machine = star(6, traits);
      fc.assert(
        fc.property(someCounts(countsRequired(kind, 6)), (counts) => {
          const { cost } = run(name, machine, counts);
          expect(combined(kind, machine, counts)).toBeLessThanOrEqual(cost.seconds * (1 + 1e-9));
        }),
        drawn(40),
      );
    },
  );
});

describe('counts that do not fit', () => {
  it.each([
    ['allgather', 4, [1, 2, 3], 'allgather of 4 ranks takes 4 counts, not 3'],
    ['alltoall', 2, [1, 2], 'alltoall of 2 ranks takes 2 × 2 counts'],
    ['broadcast', 2, [1, 2], 'broadcast has no shards'],
    ['scatter', 2, [1, -1], 'a count is a whole number of bytes, 0 or more, not -1'],
    ['gather', 2, [1, 0.5], 'not 0.5'],
  ] as const)('%s of %i ranks: %j', (kind, ranks, counts, message) => {
    expect(() => messageBytes(kind, ranks, counts)).toThrow(message);
  });
});
