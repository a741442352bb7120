/** What the MSCCL++ executor takes (docs/mscclpp.md), and the ways in which plans are written for it. */

/** Sizes and offsets have 32 bits. */
export const addressable = 2 ** 32;

export interface MscclppProfile {
  readonly name: string;
  /** Packets in place of signals. */
  readonly packets: boolean;
}

export const simple: MscclppProfile = { name: 'mscclpp', packets: false };
export const packetProfile: MscclppProfile = { name: 'mscclpp-ll', packets: true };

/** What the executor takes. */
export const executor = {
  /** Blocks of a gpu that can be resident together where the machine does not say how many: the multiprocessors of an A100. */
  blocks: 108,
  /** Messages are multiples of so many bytes for each chunk. */
  alignment: 16,
} as const;
