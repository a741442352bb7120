/** How far the checks of compact plans follow values. */
export const compactVerifyLimits = {
  /** Longest chain of reductions, each an operand of the next, that is examined. */
  chainOfReductions: 2000,
  /** Largest number of operations of all ranks at which the plan is expanded and given to the kernel. */
  operationsForKernel: 100_000,
  /** Largest number of axes of a shape, the same as in topology files. */
  axes: 16,
} as const;
