/** How closely compact plans are looked at. */
export const compactVerifyLimits = {
  /** Values in a chain of reductions that are looked at, each under the one before. */
  chainOfReductions: 2000,
  /** Operations of all ranks up to which the kernel is given the plan written out. */
  operationsForKernel: 100_000,
  /** Axes of a shape: as many as a machine's file may have. */
  axes: 16,
} as const;
