/** The cost model: simulated time of plans, lower bounds that no plan can beat, and ring orders with short routes. */
export { lowerBound } from './bounds/lower-bound.ts';
export { checkCertificate } from './certificate-check.ts';
export { FlowNetwork, unlimited } from './flow/max-flow.ts';
export { leastStretchRing, type RingOrder } from './ring-order.ts';
export { simulate } from './simulate.ts';
