/** The verifier's public face: proves a plan, or says what is wrong with it. */
export { prove, type VerifyOptions, verify } from './verify.ts';
