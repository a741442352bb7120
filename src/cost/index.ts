/** The cost model: simulated time of plans, lower bounds that no plan can beat, and ring orders with short routes. */
export { simulate } from './simulate.ts';
