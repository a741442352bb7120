/** Notes on operations for which the runtime's kernels do not do what the name says. The checker follows the kernels, except for `flush`. */
import type { ExecutionPlan } from '../execution-plan.ts';
import { allOperations } from './sizes.ts';

export function executionPlanNotes(plan: ExecutionPlan): readonly string[] {
  const operations = allOperations(plan);
  const notes: string[] = [];
  if (operations.some(({ name }) => name === 'flush')) {
    notes.push(
      'flush is judged as documented; releases of 2026 take its channels from dst_buff, which it has not, and wait for nothing',
    );
  }
  const swapped = operations.some(
    ({ name, sources, targets }) => name === 'get' && sources.some(({ index }, at) => index !== targets[at]?.index),
  );
  if (swapped) notes.push('get swaps the indices of its source and its target in the runtime, and is judged so');
  return notes;
}
