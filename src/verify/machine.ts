/** What a machine adds to what the kernel proves of a plan. */
import type { Plan } from '../ir/plan.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import { checkCapacity } from './checks/capacity.ts';
import { checkRoutes } from './checks/well-formed.ts';
import { indexPlan } from './plan-index.ts';

/** Whether there are a chip for every rank, a route for every message, and room for the rounds that the plan claims. */
export function suits(plan: Plan, topology: Topology): boolean {
  if (topology.chips.length !== plan.collective.ranks) return false;
  const [index, routes] = [indexPlan(plan), Routes.of(topology)];
  return checkRoutes(index, routes).none && (plan.rounds.length === 0 || checkCapacity(index, routes).none);
}
