/** Reads MSCCL++ execution plans. */
export { isMscclppText, readMscclpp } from './read-mscclpp.ts';
