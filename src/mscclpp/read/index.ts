/** MSCCL++ execution plans in. */
export { isMscclppText, readMscclpp } from './read-mscclpp.ts';
