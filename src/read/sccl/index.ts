/** SCCL's algorithm JSON in. */
export { isScclText } from './algorithm.ts';
export { readSccl } from './read-sccl.ts';
