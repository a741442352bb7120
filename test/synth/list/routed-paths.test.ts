import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/ir/random.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { type ArcNetwork, arcNetwork } from '../../../src/synth/arcs.ts';
import { routeTableOf } from '../../../src/synth/list/route-table.ts';
import { fastestFlow } from '../../../src/synth/list/routed/flow.ts';
import { balancedRoutes, type RoutedDemand } from '../../../src/synth/list/routed/paths.ts';
import { drawn } from '../../draw.ts';
import { machines } from './routed-support.ts';

function networkOf(topology: Topology): ArcNetwork {
  return arcNetwork(new Routes(topology), 4);
}

function allPairs(ranks: number, parcels: number): RoutedDemand[] {
  return Array.from({ length: ranks }, (_, rank) => rank).flatMap((source) =>
    Array.from({ length: ranks * parcels }, (_, i) => ({
      source,
      destination: Math.floor(i / parcels),
      weight: 1,
    })).filter(({ destination }) => destination !== source),
  );
}

/** What the busiest resource takes, added up link by link. */
function busiest({ arcs, resources }: ArcNetwork, paths: readonly (readonly number[])[]): number {
  const load = new Array<number>(resources).fill(0);
  for (const arc of paths.flat()) {
    arcs[arc].resources.forEach((resource, i) => {
      load[resource] += arcs[arc].secondsPerByte[i];
    });
  }
  return Math.max(...load);
}

describe('arcs', () => {
  it('are links between chips, and ways over switches, with the ports they take', () => {
    expect(networkOf(resolveTopology('torus:4x4')).arcs).toHaveLength(64);
    const { arcs } = networkOf(resolveTopology('switch:5'));
    expect(arcs).toHaveLength(20);
    // Up and down link, the sender's and the receiver's port, all for a tenth of a nanosecond per byte.
    expect(new Set(arcs.map(({ resources }) => resources.length))).toEqual(new Set([4]));
    expect(arcs[0].secondsPerByte).toEqual([1e-10, 1e-10, 1e-10, 1e-10]);
    expect(arcs[0].latency).toBeCloseTo(1e-6, 15);
  });

  it('are told apart by channels where there are several spines', () => {
    const { arcs } = networkOf(resolveTopology('fattree'));
    const across = arcs.filter(({ from, to }) => from === 0 && to === 15);
    expect(across.map(({ channel }) => channel)).toEqual([0, 1]);
    expect(across[0].resources).not.toEqual(across[1].resources);
  });
});

describe('balanced paths', () => {
  // Loads in parcels over the busiest link: the bisection, or all hops over all links.
  it.each([
    ['ring:6', 2, 9],
    ['mesh:3x4', 1, 12],
    ['line:5', 1, 6],
    ['dgx1', 3, 8 / 2.5],
  ])('on %s with %d parcels per pair are as short and even as can be', (name, parcels, load) => {
    const network = networkOf(resolveTopology(name));
    const routing = balancedRoutes(network, allPairs(network.ranks, parcels), { random: new Random(1), effort: 1e6 });
    expect((routing?.busiest ?? 0) * 1e10).toBeCloseTo(load, 9);
  });

  it('are nearly even after a single pass too', () => {
    const network = networkOf(resolveTopology('torus:4x4'));
    const search = { random: new Random(1), effort: 1 };
    const routing = balancedRoutes(network, allPairs(16, 1), search);
    // From each chip 4 · 1 + 6 · 2 + 4 · 3 + 1 · 4 = 32 hops, over its 4 links: at best each carries 8 parcels.
    expect((routing?.busiest ?? 0) * 1e10).toBeLessThan(9 + 1e-6);
  });

  it('are nearly even too where those of a chip are searched several at a time', () => {
    const network = networkOf(resolveTopology('torus:12x12'));
    const routing = balancedRoutes(network, allPairs(144, 1), { random: new Random(1), effort: 1 });
    // On a ring of 12 a chip is 3 hops away on average, so that a parcel goes 6: 144 · 144 · 6 hops over 4 · 144 links, 216 over each.
    expect((routing?.busiest ?? 0) * 1e10).toBeLessThan(216 * 1.1);
  });

  it('lead from source to destination, with the load and above the bound that they say', () => {
    fc.assert(
      fc.property(machines, fc.boolean(), fc.constantFrom(1, 1e5), (topology, soonest, effort) => {
        const network = networkOf(topology);
        const demands = allPairs(network.ranks, 2);
        const routing = balancedRoutes(network, demands, { random: new Random(1), effort, soonest });
        if (routing === undefined) throw new Error('every chip reaches every other');
        routing.paths.forEach((path, d) => {
          let at = demands[d].source;
          for (const arc of path) {
            expect(network.arcs[arc].from).toBe(at);
            at = network.arcs[arc].to;
          }
          expect(at).toBe(demands[d].destination);
        });
        expect(busiest(network, routing.paths)).toBeCloseTo(routing.busiest, 15);
        expect(routing.bound).toBeLessThanOrEqual(routing.busiest * (1 + 1e-9));
      }),
      drawn(50),
    );
  });
});

describe('steps', () => {
  it('carry every parcel over its path, one hop after the other', () => {
    fc.assert(
      fc.property(machines, fc.constantFrom(1, 1e4), (topology, unitBytes) => {
        const ways = routeTableOf(new Routes(topology), false, 4);
        const demands = allPairs(ways.ranks, 2);
        const reroute = () => balancedRoutes(ways, demands, { random: new Random(1), effort: 1e5 });
        const control = { effort: 'full', shouldStop: () => false } as const;
        const { paths, steps } = fastestFlow(ways, reroute(), unitBytes, reroute, control);
        const taken: number[][] = paths.map(() => []);
        for (const messages of steps) {
          const moved = messages.flatMap(({ items }) => items);
          expect(new Set(moved).size).toBe(moved.length);
          for (const { route, items } of messages) for (const parcel of items) taken[parcel].push(route);
        }
        expect(taken).toEqual(paths);
      }),
      drawn(50),
    );
  });
});
