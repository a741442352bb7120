/** What the verifier says of a plan. */
import type { SourceRange } from './diagnostic.ts';
import type { Plan } from './plan.ts';
import type { Topology } from './topology.ts';

/** One verdict per plan: the first check (docs/verification.md) that fails decides. They are listed in the order of the checks. */
export const verdicts = [
  'correct',
  'malformed',
  'mismatched',
  'uninitialised',
  'deadlock',
  'race',
  'wrong-result',
  'not-bitwise',
  'over-capacity',
] as const;
export type Verdict = (typeof verdicts)[number];

/** Where in a plan something is: `rank 2, lane 1, op 5`, and the line it was written on if known. */
export interface PlanPlace {
  readonly rank: number;
  readonly lane: number;
  readonly index: number;
  readonly bulk: number;
  /** The k-synchronous step that the plan gives the operation. */
  readonly step: number;
  readonly range: SourceRange | undefined;
  /** Values of loops in a schedule file for this operation's transfer: `s = 1, r = 2`. */
  readonly loops?: string;
}

/** One thing found, with the story that shows it. */
export interface Finding {
  /** `warning` does not change the verdict. */
  readonly severity: 'error' | 'warning';
  readonly code: Exclude<Verdict, 'correct'>;
  /** One or two sentences: what is wrong and what was expected. */
  readonly message: string;
  /** The shortest chain of operations that shows it, in order, each as one line of text and its place. */
  readonly story: readonly { readonly text: string; readonly place: PlanPlace }[];
  /** On the last finding of a kind: how many more of the kind were found and not written out, and whether these are all. */
  readonly untold?: { readonly count: number; readonly isComplete: boolean };
}

/** Whether every rank combines each chunk with the same tree, up to commutativity. */
export interface Determinism {
  readonly identical: boolean;
  /** Chunks (post-condition chunk numbers) that are combined differently, with the ranks that differ from the first. */
  readonly differing: readonly { readonly chunk: number; readonly ranks: readonly number[] }[];
}

export interface Verification {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** The limit that was assumed: transfers a connection buffers; undefined = unbounded. */
  readonly inflight: number | undefined;
  /** The smallest limit at which the plan does not deadlock (0 = rendezvous); undefined if it deadlocks at any. */
  readonly smallestInflight: number | undefined;
  /** Undefined if an earlier check has failed, or if nothing is reduced. */
  readonly determinism: Determinism | undefined;
  /** One line for each check that passed, for people. */
  readonly proved: readonly string[];
  /** Who has decided that the plan is correct, for people; undefined if only the verifier has run. */
  readonly checkedBy?: string;
}

/** The finding that decides, since it comes first among errors; warnings may stand before it. */
export function firstError(findings: readonly Finding[]): Finding | undefined {
  return findings.find(({ severity }) => severity === 'error');
}

/** The first place in a file that a finding's story leads to. */
export function sourceRangeOf(finding: Finding | undefined): SourceRange | undefined {
  return finding?.story.find(({ place }) => place.range !== undefined)?.place.range;
}

/** What is wrong with a plan that is not correct, in one line: `race: rank 0 lane 1 op 0 writes …`. */
export function verdictText({ verdict, findings }: Verification): string {
  const error = firstError(findings);
  return error === undefined ? verdict : `${verdict}: ${error.message}`;
}

/** A plan that the kernel has accepted for a machine, good enough to be simulated and compared. Only a `ProvedPlan` is written or run. */
export interface CheckedPlan {
  readonly plan: Plan;
  readonly topology: Topology | undefined;
}
