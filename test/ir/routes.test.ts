import { describe, expect, it } from 'vitest';
import { Routes } from '../../src/ir/routes.ts';
import { transpose } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';

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
