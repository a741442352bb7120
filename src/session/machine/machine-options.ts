/** How a machine is named and changed, as texts of the command line and of programs. */
import type { LinkChoice } from '../../read/machines/index.ts';

/** Changes to a machine. They are applied in the order of these fields: numbers first, then removals, then the placement of ranks. */
export interface MachineEdits {
  /** Latency and bandwidth of all links: `0.5us,50GiB/s[,blocking|pipelined]`. */
  readonly link?: string | undefined;
  /** Reduce throughput γ of all chips, such as `512GB/s`; `inf` makes reductions take no time. */
  readonly gamma?: string | undefined;
  /** Whether chips can send and receive while they reduce. */
  readonly overlap?: 'on' | 'off' | undefined;
  /** How messages move: a protocol of the machine (`LL`, `Simple`, …), `auto` for the best of them, `none`. */
  readonly protocol?: string | undefined;
  /** Links and nodes to remove: `link:A-B`, `chip:R`, `switch:K` or the name of a node. */
  readonly without?: readonly string[] | undefined;
  /** The chip of each rank, such as `2,0,1,3`. */
  readonly map?: string | undefined;
  /** Process groups: chips such as `0,2,5`, or `boxes` for the groups that the machine declares. */
  readonly group?: readonly string[] | undefined;
  /** Number of ranks, placed on the chips that are nearest to each other. */
  readonly place?: number | undefined;
  /** For `nvidia-smi topo -m`, which does not say it: the model of GPU, such as `h100`. */
  readonly gpu?: string | undefined;
  /** For the dump of a host: this many such boxes, joined by a switch. */
  readonly boxes?: number | undefined;
  /** For the dump of a host: only NVLink, or all links. */
  readonly links?: LinkChoice | undefined;
}

/** A machine by its name, file or dump, and changes to it. */
export interface MachineOptions extends MachineEdits {
  /** A shipped machine with its values (`h100:2`, `torus:4x4`), a topology file, or a dump of another tool; `-` is standard input. */
  readonly topo?: string | undefined;
}
