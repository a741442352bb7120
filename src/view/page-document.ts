/** The data of a page: `pagePlan` makes it from a plan, and the page's script (`page/`) reads it. It has plain values and columns only, so that it can be written as JSON. */
import type { Verdict } from '../ir/verification.ts';

/** A column of numbers: little-endian bytes of the narrowest type that holds all of them, deflated (RFC 1951), in base64. */
export interface PageColumn {
  readonly type: 'u8' | 'i8' | 'i16' | 'i32' | 'f64';
  readonly base64: string;
}

export interface PageDocument {
  readonly title: string;
  /** One or more plans, of which the page shows one at a time; for a tuning, those of its plans that were given. */
  readonly plans: readonly PagePlan[];
  readonly tuning: PageTuning | undefined;
  /** On a served page whose files cannot be read at the moment: the reason. */
  readonly error: string | undefined;
  /** Whether `ccc view --serve` serves the page, which then reloads itself whenever its files change. */
  readonly served: boolean;
}

export interface PagePlan {
  readonly name: string;
  readonly collective: {
    readonly kind: string;
    readonly ranks: number;
    readonly chunks: number;
    readonly root: number | undefined;
    readonly op: string | undefined;
    readonly inPlace: boolean;
  };
  readonly bulks: number;
  /** M in bytes; undefined if the plan was not timed for a size. */
  readonly size: number | undefined;
  readonly messages: number;
  /** The unit of time: seconds of the simulated machine, or steps if there was no simulation. */
  readonly clock: 'seconds' | 'steps';
  /** The reason why the clock counts steps; undefined if it counts seconds. */
  readonly clockReason: ClockReason | undefined;
  /** From the start of the plan to the end of its last operation, in units of the clock. */
  readonly duration: number;
  readonly machine: PageMachine;
  readonly verdict: PageVerdict;
  readonly bound: PageBound | undefined;
  readonly operations: PageOperations;
  readonly timeline: PageTimeline;
  /** The instances on the critical path in order; empty if it is not known. */
  readonly critical: PageColumn;
  readonly steps: readonly PageStep[];
  readonly links: readonly PageLinkUse[];
  /** The files in which operations were written. */
  readonly sources: readonly PageSource[];
  readonly measured: PageMeasured | undefined;
  /** Remarks from the topology file and from the reader of the plan. */
  readonly notes: readonly string[];
}

/** `no machine`: no machine was given; `cannot run`: the plan cannot run to its end; `too long`: the plan has too many operations to simulate. */
export type ClockReason = 'no machine' | 'cannot run' | 'too long';

/** The drawing of a machine: nodes with places in units of the distance between neighbours, and links between them. */
export interface PageMachine {
  readonly name: string;
  /** False if no machine was given: then nodes are ranks, and links are pairs of ranks that exchange messages. */
  readonly real: boolean;
  readonly layout: string;
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PageNode[];
  readonly links: readonly PageLink[];
  readonly boxes: readonly PageBox[];
  /** Why nothing is drawn, if the machine has too many nodes or links. */
  readonly tooLarge: boolean;
}

export interface PageNode {
  readonly name: string;
  readonly kind: 'chip' | 'switch' | 'host';
  /** The rank of the node's chip; −1 for nodes without one. */
  readonly rank: number;
  readonly x: number;
  readonly y: number;
}

export interface PageLink {
  readonly from: number;
  readonly to: number;
  /** Distance of the curve's midpoint from the straight line, to the left in the direction of the link; 0 for straight links. */
  readonly bend: number;
  /** Latency and bandwidth as text; empty if no machine was given. */
  readonly speed: string;
}

export interface PageBox {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PageVerdict {
  readonly verdict: Verdict;
  readonly checkedBy: string | undefined;
  readonly proved: readonly string[];
  readonly findings: readonly PageFinding[];
}

export interface PageFinding {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  /** The shortest counterexample, step by step; `operation` is −1 for steps that are no operation of the plan. */
  readonly story: readonly { readonly text: string; readonly operation: number; readonly bulk: number }[];
}

export interface PageBound {
  readonly seconds: number;
  readonly certificates: readonly PageCertificate[];
}

export interface PageCertificate {
  readonly kind: string;
  readonly seconds: number;
  /** Why the bound holds, as an English sentence. */
  readonly reason: string;
  /** The nodes inside its cut, further nodes and the links that the certificate is about (`certificate-marks.ts`). */
  readonly inside: readonly number[];
  readonly nodes: readonly number[];
  readonly links: readonly number[];
}

/** The operations of a plan as columns: row o is operation o; −1 stands for operands that an operation does not have. */
export interface PageOperations {
  /** Rank r has the lanes `firstLane[r] … firstLane[r + 1] − 1`, and lane l the operations `firstOp[l] … firstOp[l + 1] − 1`. */
  readonly firstLane: PageColumn;
  readonly laneId: PageColumn;
  readonly firstOp: PageColumn;
  readonly kind: PageColumn;
  readonly peer: PageColumn;
  readonly channel: PageColumn;
  readonly srcBuffer: PageColumn;
  readonly srcOffset: PageColumn;
  readonly srcCount: PageColumn;
  readonly dstBuffer: PageColumn;
  readonly dstOffset: PageColumn;
  readonly dstCount: PageColumn;
  readonly step: PageColumn;
  /** The matching receive of a send and the matching send of a receive; −1 if there is none. */
  readonly partner: PageColumn;
  readonly firstAfter: PageColumn;
  readonly afterOp: PageColumn;
  readonly afterBulks: PageColumn;
  /** Where the operation was written: an index into `PagePlan.sources` (−1 if unknown) and a line, counted from 1. */
  readonly source: PageColumn;
  readonly line: PageColumn;
}

/** The timeline: rows of spans. Columns hold differences, which deflate well, so that pages can have millions of spans. */
export interface PageTimeline {
  readonly rows: readonly PageRow[];
  /** The unit of `start` and `length`, in units of the clock. */
  readonly tick: number;
  /** Spans row by row and track by track, in order of time: the start of each, in ticks after the start of the previous span of its track, or after 0. */
  readonly start: PageColumn;
  /** Durations, in ticks. */
  readonly length: PageColumn;
  /** The instance (bulk · operations + operation) of each span, minus that of the previous span of its track, or minus 0. */
  readonly instance: PageColumn;
}

export interface PageRow {
  readonly kind: 'lane' | 'link';
  /** Index of the lane in the plan, or of the link. */
  readonly index: number;
  /** Track p of the row has the spans `first[p] … first[p + 1] − 1`, which do not overlap. */
  readonly first: readonly number[];
}

export interface PageStep {
  readonly step: number;
  readonly operations: number;
  readonly messages: number;
  /** Bytes sent if the clock counts seconds, else chunks. */
  readonly amount: number;
  readonly start: number;
  readonly end: number;
  /** The links that carry the step's messages; `busy` has for each the seconds (or steps) for which they occupy it. */
  readonly links: PageColumn;
  readonly busy: PageColumn;
}

export interface PageLinkUse {
  readonly link: number;
  readonly messages: number;
  /** Bytes if the clock counts seconds, else chunks. */
  readonly amount: number;
  readonly busy: number;
}

export interface PageSource {
  readonly name: string;
  /** The text of the file; undefined if it is too long for the page. */
  readonly text: string | undefined;
}

/** A measured run on real memory (`ccc run`): start and end of each instance, in seconds. */
export interface PageMeasured {
  readonly name: string;
  readonly duration: number;
  readonly start: PageColumn;
  readonly end: PageColumn;
}

/** The result of `ccc tune`: the time of each algorithm over sizes, and the plan for each range of sizes. */
export interface PageTuning {
  readonly collective: string;
  readonly topology: string;
  readonly sizes: readonly number[];
  readonly bound: readonly number[];
  readonly ranges: readonly { readonly from: number; readonly to: number; readonly plan: string }[];
  readonly curves: readonly {
    readonly algorithm: string;
    readonly inUse: boolean;
    readonly seconds: readonly number[];
  }[];
}
