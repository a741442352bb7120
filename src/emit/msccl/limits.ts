/** What MSCCL takes. */
export const mscclLimits = {
  /** Thread blocks that send, or receive, on one channel of a gpu. */
  peersPerChannel: 32,
  /** Channels are numbered below this. */
  channels: 32,
  /** Chunks that one step moves. */
  chunksPerStep: 71,
} as const;
