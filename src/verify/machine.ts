/** What a machine adds to what the kernel proves of a plan. */
import type { Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import { checkCapacity } from './checks/capacity.ts';
import { checkRoutes } from './checks/well-formed.ts';

/** Whether there are a chip for every rank, a route for every message, and room for the rounds that the plan claims. */
export function fitsMachine(plan: Plan, topology: Topology): boolean {
  if (topology.chips.length !== plan.collective.ranks) return false;
  const [index, routes] = [new PlanIndex(plan), Routes.of(topology)];
  return checkRoutes(index, routes).none && (plan.rounds.length === 0 || checkCapacity(index, routes).none);
}
