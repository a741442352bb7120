/** The verifier's public face: proves a plan, or says what is wrong with it. */
export { type Ownership, ownerships } from './ownership.ts';
export { prove, type VerifyOptions, verify } from './verify.ts';
