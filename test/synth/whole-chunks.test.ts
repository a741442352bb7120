/** Few whole chunks on links that are not alike: optima that follow from counting messages, or from shortest ways. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveTopology, searchDefaults } from '../../src/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { Routes } from '../../src/ir/routes.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { parseTopology } from '../../src/read/topology/file.ts';
import { searchPlan } from '../../src/search/compile.ts';
import { evaluateWithinLimits } from '../../src/search/evaluate/index.ts';
import { withRounds } from '../../src/search/in-rounds.ts';
import { loadSolver } from '../../src/solver/index.ts';
import { inWholeChunks } from '../../src/synth/index.ts';
import { collectiveOf } from '../collectives.ts';
import { drawn } from '../draw.ts';

const solver = await loadSolver('highs');

function machine(chips: number, links: readonly string[]): Topology {
  const head = `format: ccc-topology\nversion: 1\nname: unlike\nchips: ${chips}\nlink: { latency: 0.7 us, bandwidth: 25 GiB/s, occupancy: blocking }\nlinks:\n`;
  const text = `${head}${links.map((link) => `  - { ${link} }\n`).join('')}`;
  return parseTopology({ name: 'unlike.yaml', text }, { name: 'unlike.yaml', values: [] });
}

/** A DGX-1 whose double links are given as one. */
const wide = ['0 <-> 1', '0 <-> 4', '1 <-> 3', '2 <-> 3', '2 <-> 6', '4 <-> 5', '5 <-> 7', '6 <-> 7'];
const narrow = ['0 <-> 2', '0 <-> 3', '1 <-> 2', '1 <-> 5', '3 <-> 7', '4 <-> 6', '4 <-> 7', '5 <-> 6'];
const doubled = machine(8, [
  ...wide.map((ends) => `duplex: ${ends}, bandwidth: 50 GiB/s`),
  ...narrow.map((ends) => `duplex: ${ends}`),
]);

function requestFor(kind: CollectiveKind, topology: Topology, size: number, chunks: number | undefined) {
  const collective = collectiveOf(kind, ranksOf(topology));
  return { ...searchDefaults, effort: 'quick', collective, topology, size, chunks } as const;
}

/** What the schedule takes; undefined where there is none. */
function secondsOf(request: ReturnType<typeof requestFor>, toBeat = Number.POSITIVE_INFINITY): number | undefined {
  const routes = Routes.of(request.topology);
  const found = inWholeChunks({ ...request, routes, algorithm: undefined }, solver, toBeat);
  if (found === undefined) return undefined;
  const outcome = evaluateWithinLimits(found, request, routes, Number.POSITIVE_INFINITY);
  if (outcome.kind !== 'priced') throw new Error(outcome.dismissal.reason);
  return outcome.cost.seconds;
}

describe('a DGX-1 with double links as one', () => {
  const size = 8 * 2 ** 20;
  /** Of a chunk over a fast link. */
  const message = 0.7e-6 + size / 8 / (50 * 2 ** 30);

  it.each(['allgather', 'reducescatter'] as const)(
    'has an %s of whole shards in three messages of fast links',
    (kind) => {
      // In less a chip takes in 2 + 2 shards over its fast links and 1 + 1 over the slow ones, and it needs 7 (or gives 7).
      expect(secondsOf(requestFor(kind, doubled, size, 1))).toBeCloseTo(3 * message, 12);
    },
  );

  it('has it in a compilation too', () => {
    const request = requestFor('allgather', doubled, size, 1);
    const before = searchPlan(request);
    expect(before.bundle.cost.seconds).toBeGreaterThan(1.2 * 3 * message);
    const after = withRounds(before, request, solver);
    expect(after.bundle.cost.seconds).toBeCloseTo(3 * message, 12);
    // A slow link takes two messages' time: a step is a message of a fast one.
    expect(after.inRounds?.steps).toBe(3);
  });

  it('is looked for where nobody asked for chunks, but not where it takes too long', () => {
    expect(secondsOf(requestFor('allgather', doubled, size, undefined))).toBeCloseTo(3 * message, 12);
    expect(secondsOf(requestFor('allgather', doubled, size, 1), 2 * message)).toBeUndefined();
  });
});

it('A compilation finds in whole shards what it finds when they are asked for', () => {
  const topology = resolveTopology('sg2260x4-ddr');
  const [open, whole] = [undefined, 1].map((chunks) => {
    const request = requestFor('alltoall', topology, 2 ** 16, chunks);
    return withRounds(searchPlan(request), request, solver).bundle.cost.seconds;
  });
  expect(open).toBeLessThanOrEqual(whole * (1 + 1e-9));
});

it('One chunk for all takes the shortest ways', () => {
  const link = fc.record({ from: fc.nat(4), to: fc.nat(4), times: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(fc.array(link, { maxLength: 8 }), (more) => {
      const links = [...[0, 1, 2, 3, 4].map((from) => ({ from, to: (from + 1) % 5, times: 1 })), ...more].filter(
        ({ from, to }, i, all) => from !== to && all.findIndex((other) => other.from === from && other.to === to) === i,
      );
      // Times are whole numbers of the shortest: the grid loses nothing.
      const texts = links.map(({ from, to, times }) => {
        return `link: ${from} -> ${to}, latency: 0.5 us, bandwidth: ${12 / (times - 0.5)} GB/s`;
      });
      const distance = [0, 1, 2, 3, 4].map((rank) => (rank === 0 ? 0 : Number.POSITIVE_INFINITY));
      for (const _ of distance)
        for (const { from, to, times } of links) distance[to] = Math.min(distance[to], distance[from] + times);
      const seconds = secondsOf(requestFor('broadcast', machine(5, texts), 12e3, 1));
      expect(seconds).toBeCloseTo(Math.max(...distance) * 1e-6, 12);
    }),
    drawn(20),
  );
});
