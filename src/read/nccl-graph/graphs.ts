/** The rings and trees that NCCL and RCCL dump to `NCCL_GRAPH_DUMP_FILE`, and the recognition of such files. */
import type { SourceText } from '../../ir/diagnostic.ts';

/** Which GPUs of a host have the hosts below in a tree, by the numbers that NCCL writes: the second and the first, the second, the first. */
export const treePatterns = [1, 2, 3] as const;
export type TreePattern = (typeof treePatterns)[number];

/** `orders[c]` has the GPUs of the host, as 0 … G − 1 by ascending rank, in the order in which channel c passes them. */
export type ChannelOrders = readonly (readonly number[])[];

export interface NcclGraphs {
  /** The number G of GPUs of the host. */
  readonly gpus: number;
  /** Undefined if the file has no rings. */
  readonly rings: ChannelOrders | undefined;
  readonly trees: { readonly orders: ChannelOrders; readonly pattern: TreePattern } | undefined;
  /** Remarks on parts of the file from which no schedule is made. */
  readonly notes: readonly string[];
}

/** Whether `<graphs>` is the outermost element of a text. */
export function isNcclGraphText({ text }: SourceText): boolean {
  return /^\s*(?:<\?[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<graphs[\s>/]/.test(text.slice(0, 20_000));
}
