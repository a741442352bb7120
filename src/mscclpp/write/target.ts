/** The limits of the MSCCL++ executor (docs/mscclpp.md), and the variants in which plans are written for it. */

/** Number of bytes that 32-bit sizes and offsets can address. */
export const addressable = 2 ** 32;

export interface MscclppProfile {
  readonly name: string;
  /** Whether messages are packets; otherwise they are announced by signals. */
  readonly packets: boolean;
}

export const simple: MscclppProfile = { name: 'mscclpp', packets: false };
export const packetProfile: MscclppProfile = { name: 'mscclpp-ll', packets: true };

/** Limits of the executor. */
export const executor = {
  /** Number of blocks that a gpu holds, if the machine does not say: the multiprocessors of an A100. */
  blocks: 108,
  /** Unit of the bytes of each chunk. */
  alignment: 16,
} as const;
