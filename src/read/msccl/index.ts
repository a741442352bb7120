/** Reader of MSCCL XML. `read/index.ts` does not export it, so that the XML parser is loaded only when needed. */
export { type MscclDocument, type MscclOptions, readMsccl } from './read-msccl.ts';
