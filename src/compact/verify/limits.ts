/** How far the checks of compact plans follow values. */
export const compactVerifyLimits = {
  /** Values of a chain of reductions that are examined, each an operand of the one before. */
  chainOfReductions: 2000,
  /** Operations of all ranks up to which the kernel is given the plan written out. */
  operationsForKernel: 100_000,
  /** Axes of a shape: as many as a machine's file may have. */
  axes: 16,
} as const;
