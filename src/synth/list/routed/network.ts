/** The arcs among which paths are looked for. */
import type { Routes } from '../../../ir/routes.ts';
import { type ArcNetwork, arcNetwork, joinsMorePairs } from '../../arcs.ts';
import { limits } from '../limits.ts';

/** Undefined where there are too many to search paths among them. */
export function routedNetwork(routes: Routes): ArcNetwork | undefined {
  return joinsMorePairs(routes.topology, limits.pairs) ? undefined : arcNetwork(routes, limits.channels);
}
