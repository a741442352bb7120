/** What a page shows, as data: made from a plan by `pageOf`, read by the page's own script (`page/`). Plain values and columns only. */
import type { Verdict } from '../ir/verification.ts';

/** A column of numbers: base64 of their bytes, little endian, in the narrowest type that holds all of them, and deflated (RFC 1951). */
export interface PageColumn {
  readonly type: 'u8' | 'i8' | 'i16' | 'i32' | 'f64';
  readonly base64: string;
}

export interface PageDocument {
  readonly title: string;
  /** One or more; a page of a tuning has one for each plan in use that was given. */
  readonly plans: readonly PagePlan[];
  readonly tuning: PageTuning | undefined;
  /** Why there is nothing to draw, on a served page whose files are wrong as they are now. */
  readonly error: string | undefined;
  /** The page is asked to load itself anew whenever its source changes. */
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
  /** M in bytes, where the plan was timed for one. */
  readonly size: number | undefined;
  readonly messages: number;
  /** What one unit of time is: seconds of the simulated machine, or steps where there is none. */
  readonly clock: 'seconds' | 'steps';
  /** Why the clock counts steps, as a code that the page has words for. */
  readonly clockReason: ClockReason | undefined;
  /** From the start to the last end, in units of the clock. */
  readonly duration: number;
  readonly machine: PageMachine;
  readonly verdict: PageVerdict;
  readonly bound: PageBound | undefined;
  readonly operations: PageOperations;
  readonly timeline: PageTimeline;
  /** Instances on the critical path, first to last; empty where it is not known. */
  readonly critical: PageColumn;
  readonly steps: readonly PageStep[];
  readonly links: readonly PageLinkUse[];
  /** Files that operations come from. */
  readonly sources: readonly PageSource[];
  readonly measured: PageMeasured | undefined;
  /** Remarks of the machine and the reader. */
  readonly notes: readonly string[];
}

/** `no machine`: none was given; `cannot run`: the plan is wrong in a way that no simulation survives; `too long`: too many instants. */
export type ClockReason = 'no machine' | 'cannot run' | 'too long';

/** A drawing: places of nodes in units of the distance between neighbours, links between them. */
export interface PageMachine {
  readonly name: string;
  /** False where no machine was given: then nodes are ranks and links are pairs that talk. */
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
  /** −1 for nodes without one. */
  readonly rank: number;
  readonly x: number;
  readonly y: number;
}

export interface PageLink {
  readonly from: number;
  readonly to: number;
  /** How far the middle of its curve stands off the straight line, to the left of the way; 0 for straight ones. */
  readonly bend: number;
  /** Σα and β in words; empty where no machine was given. */
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
  /** The shortest chain that shows it, in order; −1 for an operation that the plan does not have. */
  readonly story: readonly { readonly text: string; readonly operation: number; readonly bulk: number }[];
}

export interface PageBound {
  readonly seconds: number;
  readonly certificates: readonly PageCertificate[];
}

export interface PageCertificate {
  readonly kind: string;
  readonly seconds: number;
  /** One sentence, in English. */
  readonly reason: string;
  /** What of the machine it speaks of. */
  readonly inside: readonly number[];
  readonly nodes: readonly number[];
  readonly links: readonly number[];
}

/** Row o of each column is operation o; −1 for operands that an operation does not have. */
export interface PageOperations {
  /** By rank, one more than ranks; by lane, one more than lanes. */
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
  /** The receive of a send and the send of a receive; −1 where nobody answers. */
  readonly partner: PageColumn;
  readonly firstAfter: PageColumn;
  readonly afterOp: PageColumn;
  readonly afterBulks: PageColumn;
  /** Index into `PagePlan.sources`, −1 for none, and the line there, from 1. */
  readonly source: PageColumn;
  readonly line: PageColumn;
}

/** Rows of spans. Millions of them find room, since what follows regularly is deflated to next to nothing. */
export interface PageTimeline {
  readonly rows: readonly PageRow[];
  /** In units of the clock. */
  readonly tick: number;
  /** Spans row by row, each part of a row in order of time: when each starts, in ticks after the one before in its part, or after 0. */
  readonly start: PageColumn;
  /** How long it lasts, in ticks. */
  readonly length: PageColumn;
  /** bulk · operations + operation, less that of the span before in its part, or of 0. */
  readonly instance: PageColumn;
}

export interface PageRow {
  readonly kind: 'lane' | 'link';
  /** The lane's row in the plan, or the link. */
  readonly index: number;
  /** Spans `first[p] … first[p + 1] − 1` do not overlap: rows with spans side by side have several parts. */
  readonly first: readonly number[];
}

export interface PageStep {
  readonly step: number;
  readonly operations: number;
  readonly messages: number;
  /** Bytes sent where the clock counts seconds, else chunks. */
  readonly amount: number;
  readonly start: number;
  readonly end: number;
  /** Links that carry its messages: link, seconds (or steps) that they keep it, in pairs. */
  readonly links: PageColumn;
  readonly busy: PageColumn;
}

export interface PageLinkUse {
  readonly link: number;
  readonly messages: number;
  /** As of steps. */
  readonly amount: number;
  readonly busy: number;
}

export interface PageSource {
  readonly name: string;
  /** Its text; undefined where it is too long to be shown. */
  readonly text: string | undefined;
}

/** A run on real memory: when each instance was at work, in seconds. */
export interface PageMeasured {
  readonly name: string;
  readonly duration: number;
  readonly start: PageColumn;
  readonly end: PageColumn;
}

/** Times over sizes. */
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
