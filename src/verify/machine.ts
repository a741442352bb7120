/** Checks what the kernel cannot know of a plan: whether the machine can run it. */
import type { Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import { checkCapacity } from './checks/capacity.ts';
import { checkRoutes } from './checks/well-formed.ts';

/** Whether the machine has a chip for every rank, a route for every message, and enough link capacity for the rounds that the plan claims. */
export function fitsMachine(plan: Plan, topology: Topology): boolean {
  if (topology.chips.length !== plan.collective.ranks) return false;
  const [index, routes] = [new PlanIndex(plan), Routes.of(topology)];
  return checkRoutes(index, routes).none && (plan.rounds.length === 0 || checkCapacity(index, routes).none);
}
