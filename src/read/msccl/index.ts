/** MSCCL XML in. Apart from the rest of this room, so that its XML parser is loaded only when it is needed. */
export { type MscclDocument, type MscclOptions, readMsccl } from './read-msccl.ts';
