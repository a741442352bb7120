/** Lower bounds on the time of any plan, each with a certificate that `src/certificates` checks again (docs/bounds.md). */

export { type MachineArc, type MachineNetwork, machineNetwork } from './flow/machine-network.ts';
export { type CutSearch, type TightestCut, tightestCut } from './flow/tightest-cut.ts';
export { lowerBound } from './lower-bound.ts';
