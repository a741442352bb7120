/** Algorithms on graphs and machines that know nothing of collectives: shortest paths, flows, arborescences, linear programs, rings. */

export { chipsAreAlike } from './alike-chips.ts';
export { cheapestArborescence } from './arborescence.ts';
export { FlowNetwork, unlimited } from './max-flow.ts';
export { type NearestChips, type Nearness, nearestChips } from './nearest-chips.ts';
export { minStretchRing, type RingOrder } from './rings/ring-order.ts';
export { Simplex } from './simplex.ts';
