/** Solvers with somebody who watches them. */
import type { SolveProgress, Solver } from './solver.ts';

/** The same solver, which says how far it is whenever it can. */
export function watched(solver: Solver, onProgress: (progress: SolveProgress) => void): Solver {
  return { ...solver, solve: (model, options) => solver.solve(model, { onProgress, ...options }) };
}

/** `120 nodes, 34000 iterations, best 12, at least 11 (gap 8.3 %)`. */
export function progressText({ nodes, iterations, best, bound, gap }: SolveProgress): string {
  const texts = [`${nodes} nodes`, `${iterations} iterations`];
  if (best !== undefined) texts.push(`best ${rounded(best)}`);
  if (bound !== undefined) texts.push(`at least ${rounded(bound)}`);
  const left = gap === undefined ? '' : ` (gap ${(100 * gap).toFixed(1)} %)`;
  return `${texts.join(', ')}${left}`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(6)));
}
