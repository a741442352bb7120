/** Limits of the MSCCL format and its runtimes. */
export const mscclLimits = {
  /** Thread blocks that send, or that receive, on one channel of a gpu. */
  peersPerChannel: 32,
  /** Number of channels. */
  channels: 32,
  /** Number of chunks that one step moves. */
  chunksPerStep: 71,
} as const;
