/** What the MSCCL++ executor takes (docs/mscclpp.md), and the ways in which plans are written for it. */

/** Blocks of a gpu that can be resident together: the multiprocessors of an A100. */
export const mostBlocks = 108;
/** Sizes and offsets have 32 bits. */
export const addressable = 2 ** 32;
/** Messages are multiples of so many bytes for each chunk. */
export const alignment = 16;

export interface Profile {
  readonly name: string;
  /** Packets in place of signals. */
  readonly packets: boolean;
}

export const simple: Profile = { name: 'mscclpp', packets: false };
export const packets: Profile = { name: 'mscclpp-ll', packets: true };
