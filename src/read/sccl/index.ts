/** Reader of SCCL's algorithm JSON. */
export { isScclText } from './algorithm.ts';
export { readSccl } from './read-sccl.ts';
