/** The part of a machine that some of its ranks use among themselves. */
import { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';

/** By the routes of the whole machine, and by members. */
const known = new WeakMap<Routes, Map<string, Routes>>();

/** The routes of the machine among some ranks, the same object each time: several levels are among the same ranks. */
export function routesAmong(routes: Routes, members: readonly number[]): Routes {
  const ofMachine = known.get(routes) ?? new Map<string, Routes>();
  known.set(routes, ofMachine);
  const key = members.join();
  const among = ofMachine.get(key) ?? new Routes(machineAmong(routes, members));
  ofMachine.set(key, among);
  return among;
}

/**
 * A machine of the members' chips, every node on the routes between them, and all links between these nodes. Messages between
 * members take the routes that they take in the whole machine, and engines that look at all links see no more
 * than they need. Chips of others that lie on the way only pass messages on.
 *
 * @param members `members[r]` is rank r of the new machine
 */
function machineAmong(routes: Routes, members: readonly number[]): Topology {
  const { topology } = routes;
  const used = new Set(members.map((rank) => topology.chips[rank]));
  for (const from of members) {
    for (const to of members) {
      if (from === to) continue;
      for (let way = 0; way < routes.choices(from, to); way++) {
        for (const link of routes.between(from, to, way)?.links ?? []) used.add(topology.links[link].to);
      }
    }
  }
  // Nodes stay in order, so that ties between routes are broken as in the whole machine.
  const kept = [...used].sort((a, b) => a - b);
  const place = new Map(kept.map((node, index) => [node, index]));
  const links = topology.links.flatMap((link) => {
    const [from, to] = [place.get(link.from), place.get(link.to)];
    return from === undefined || to === undefined ? [] : [{ ...link, from, to }];
  });
  return {
    ...topology,
    nodes: kept.map((node) => topology.nodes[node]),
    links,
    chips: members.map((rank) => kept.indexOf(topology.chips[rank])),
    groups: [],
    shape: undefined,
  };
}
