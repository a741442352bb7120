/** The verifier's public face: proves a plan, or says what is wrong with it. */

export { Disagreement } from './kernel.ts';
export { type Ownership, ownerships } from './ownership.ts';
export {
  type Check,
  checkByKernel,
  judgePlan,
  machineOf,
  type OpenedProof,
  type ProofParts,
  ProvedPlan,
  prove,
  proveAgain,
  proveChecked,
} from './prove.ts';
export { reductionTrees } from './reduction-trees.ts';
export { type VerifyOptions, verify } from './verify.ts';
