import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Routes } from '../../src/ir/routes.ts';
import { type Link, type Topology, transpose } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { drawn } from '../draw.ts';

/** Names of the nodes on a route, ends included. */
function way(routes: Routes, from: number, to: number, channel: number): string[] {
  const { topology } = routes;
  const links = routes.between(from, to, channel)?.links ?? [];
  return [topology.chips[from], ...links.map((link) => topology.links[link].to)].map(
    (node) => topology.nodes[node].name,
  );
}

describe('routes over several equal switches', () => {
  // Four leaf switches with four chips each, two spines: two ways between chips of different leaves, one within a leaf.
  const fattree = resolveTopology('fattree');

  it('are as many as there are spines between leaves, and one within a leaf', () => {
    const routes = new Routes(fattree);
    expect(routes.choices(0, 4)).toBe(2);
    expect(routes.choices(0, 1)).toBe(1);
  });

  it('are chosen by channel: neighbouring channels take different spines, in the same time', () => {
    const routes = new Routes(fattree);
    expect(way(routes, 0, 9, 0)).not.toEqual(way(routes, 0, 9, 1));
    expect(way(routes, 0, 9, 0)).toEqual(way(routes, 0, 9, 2));
    expect(routes.between(0, 9, 0)?.latency).toBe(routes.between(0, 9, 1)?.latency);
  });

  it('share the chips of a leaf evenly between the spines', () => {
    const routes = new Routes(fattree);
    const spines = [4, 5, 6, 7].map((to) => way(routes, to - 4, to, 0)[2]);
    expect(new Set(spines).size).toBe(2);
    expect(spines.filter((spine) => spine === spines[0])).toHaveLength(2);
  });

  it('are the same there and back, and on the machine turned round', () => {
    const routes = new Routes(fattree);
    const turned = new Routes(transpose(fattree));
    for (const [from, to] of [
      [0, 4],
      [3, 13],
      [9, 2],
    ]) {
      for (const channel of [0, 1]) {
        expect(way(routes, to, from, channel).reverse()).toEqual(way(routes, from, to, channel));
        expect(way(turned, to, from, channel).reverse()).toEqual(way(routes, from, to, channel));
      }
    }
  });

  it('do not depend on the channel where only chips pass messages on', () => {
    const routes = new Routes(resolveTopology('torus:4x4'));
    expect(routes.choices(0, 5)).toBe(1);
    expect(routes.between(0, 5, 1)).toEqual(routes.between(0, 5, 0));
  });
});

describe('routes beside a direct link', () => {
  const machine = resolveTopology('full:3');
  /** The same machine with a link of its own from chip 0 to chip 1. */
  const withLink = (changes: Partial<Link>): Routes =>
    new Routes({
      ...machine,
      links: machine.links.map((link) => (link.from === 0 && link.to === 1 ? { ...link, ...changes } : link)),
    });
  const [{ latency }] = machine.links;

  it('go round where that takes less', () => {
    const routes = withLink({ latency: 3 * latency });
    expect(routes.between(0, 1)?.latency).toBeCloseTo(2 * latency, 15);
    expect(way(routes, 0, 1, 0)).toEqual(['chip 0', 'chip 2', 'chip 1']);
  });

  it('take it where that takes as long, however narrow it is', () => {
    const routes = withLink({ latency: 2 * latency, bandwidth: 1 });
    expect(way(routes, 0, 1, 0)).toEqual(['chip 0', 'chip 1']);
    expect(routes.between(0, 1)?.bandwidth).toBe(1);
  });

  it('take the wider of two', () => {
    const [first, ...others] = machine.links;
    const wide = { ...first, bandwidth: 2 * first.bandwidth };
    const { from, to } = first;
    const routes = new Routes({ ...machine, links: [wide, ...others, first] });
    expect(routes.between(from, to)?.bandwidth).toBe(wide.bandwidth);
  });
});

describe('a link between two chips', () => {
  const linked = (over: number): Topology => {
    const { nodes, links, ...rest } = resolveTopology('full:3');
    const latencies = new Map([
      ['0 1', 1.3e-6],
      ['0 2', 0.1e-6],
      ['2 1', over],
    ]);
    const withLatencies = links.map((link) => ({ ...link, latency: latencies.get(`${link.from} ${link.to}`) ?? 9e-6 }));
    return { ...rest, nodes, links: withLatencies };
  };

  it('is taken if the way round is no shorter, even where the sum of its latencies is rounded down', () => {
    expect(0.1e-6 + 1.2e-6).toBeLessThan(1.3e-6);
    expect(way(new Routes(linked(1.2e-6)), 0, 1, 0)).toEqual(['chip 0', 'chip 1']);
  });

  it('is not taken if the way round is shorter', () => {
    expect(way(new Routes(linked(1.1e-6)), 0, 1, 0)).toEqual(['chip 0', 'chip 2', 'chip 1']);
  });
});

describe('routes that everyone asks', () => {
  it('are found once for a topology, and anew for one with a link less', () => {
    const ring = resolveTopology('ring:4');
    expect(Routes.of(ring)).toBe(Routes.of(ring));
    const cut = { ...ring, links: ring.links.filter(({ from, to }) => from !== 0 || to !== 1) };
    expect(Routes.of(ring).between(0, 1)?.links).toHaveLength(1);
    expect(Routes.of(cut).between(0, 1)?.links).toHaveLength(3);
  });
});

describe('routes over chips whose links have one latency', () => {
  const chips = 9;
  const joined = fc
    .uniqueArray(fc.tuple(fc.nat(chips - 1), fc.nat(chips - 1), fc.constantFrom(1e9, 2e9, 3e9)), {
      minLength: 12,
      maxLength: 40,
      selector: ([from, to]) => `${from} ${to}`,
    })
    .map((ends): Topology => {
      const full = resolveTopology(`full:${chips}`);
      const [link] = full.links;
      const links = ends
        .filter(([from, to]) => from !== to)
        .map(([from, to, bandwidth]) => ({ ...link, from, to, bandwidth }));
      return { ...full, links };
    });

  it('are those that the search for least latencies finds', () => {
    fc.assert(
      fc.property(joined, (topology) => {
        // A link that leads nowhere, of another latency: the machine looks less plain than it is.
        const [chip] = topology.nodes;
        const [link] = topology.links;
        const nodes = [...topology.nodes, { ...chip, name: 'dead end' }];
        const other = { ...topology, nodes, links: [...topology.links, { ...link, from: 0, to: chips, latency: 1 }] };
        const [plain, general] = [new Routes(topology), new Routes(other)];
        for (let from = 0; from < chips; from++) {
          for (let to = 0; to < chips; to++) {
            if (from !== to) expect(plain.between(from, to)).toEqual(general.between(from, to));
          }
        }
      }),
      drawn(80),
    );
  });
});

describe('routes on large machines of chips alone', () => {
  const grid = resolveTopology('mesh:50x46');
  let state = 1;
  const random = (below: number): number => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  const machine: Topology = {
    ...grid,
    links: grid.links.map((link) => ({ ...link, bandwidth: link.bandwidth * (1 + random(2)) })),
  };
  const { kind, ...chip } = machine.nodes[0];
  /** A switch that leads nowhere: what holds for chips alone cannot be used. */
  const withSwitch = { ...machine, nodes: [...machine.nodes, { ...chip, kind: 'switch', name: 'alone' } as const] };

  it('are those that Dijkstra finds, near and far, whatever has been asked for before', () => {
    expect(kind).toBe('chip');
    const [plain, general] = [new Routes(machine), new Routes(withSwitch)];
    const sources = Array.from({ length: 8 }, () => random(2300));
    for (let ask = 0; ask < 300; ask++) {
      const from = sources[random(8)];
      const step = random(2) === 0 ? 1 + random(5) : 1 + random(2200);
      const to = (from + step) % 2300;
      expect(plain.hops(from, to)).toBe(general.hops(from, to));
      expect(plain.between(from, to)).toEqual(general.between(from, to));
    }
  });
});

describe('routes on grids', () => {
  const grid = fc
    .record({
      extents: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
      name: fc.constantFrom('mesh', 'torus', 'torus without its shape'),
      twice: fc.boolean(),
      without: fc.option(fc.nat(1000)),
    })
    .filter(({ extents }) => Math.max(...extents) > 1)
    .map(({ extents, name, twice, without }): Topology => {
      const machine = resolveTopology(`${name.split(' ')[0]}:${extents.join('x')}`);
      const links = [...machine.links, ...(twice ? machine.links.slice(0, 5) : [])].filter(
        (_, index) => without === null || index !== without % machine.links.length,
      );
      return { ...machine, shape: name === 'torus' ? machine.shape : undefined, links };
    });

  it('are those that Dijkstra finds, whether or not a link is missing, or there twice', () => {
    fc.assert(
      fc.property(grid, (topology) => {
        const { kind: _, ...chip } = topology.nodes[0];
        const nodes = [...topology.nodes, { ...chip, kind: 'switch', name: 'alone' } as const];
        const [routes, general] = [new Routes(topology), new Routes({ ...topology, nodes })];
        for (let from = 0; from < topology.chips.length; from++) {
          for (let to = 0; to < topology.chips.length; to++) {
            if (from === to) continue;
            expect(routes.between(from, to)).toEqual(general.between(from, to));
            expect(routes.hops(from, to)).toBe(general.hops(from, to));
          }
        }
      }),
      drawn(60),
    );
  });
});
