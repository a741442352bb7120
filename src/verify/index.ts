/** The verifier's public face: proves a plan, or says what is wrong with it. */

export { type CompactVerifyOptions, proveCompact, verifyCompact } from './compact/verify.ts';
export { Disagreement } from './kernel.ts';
export { type Ownership, ownerships } from './ownership.ts';
export { type Check, type CheckOptions, check, judge, prove, proveChecked } from './prove.ts';
export { type VerifyOptions, verify } from './verify.ts';
