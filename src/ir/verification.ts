/** The report of the verifier on a plan. */
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

/** The place of an operation in a plan, for messages: `rank 2, lane 1, op 5`, and the line of the file that it comes from, if known. */
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

/** A fault or a warning, with a chain of operations that demonstrates it. */
export interface Finding {
  /** `warning` does not change the verdict. */
  readonly severity: 'error' | 'warning';
  readonly code: Exclude<Verdict, 'correct'>;
  /** One or two sentences: what is wrong and what was expected. */
  readonly message: string;
  /** The shortest chain of operations that shows it, in order, each as one line of text and its place. */
  readonly story: readonly { readonly text: string; readonly place: PlanPlace }[];
  /** Present on the last finding of a kind if further ones were left out: how many, and whether the verifier counted them all. */
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
  /** What decided that the plan is correct, in words; undefined if only the verifier has run. */
  readonly checkedBy?: string;
}

/** The finding that determines the verdict: the first error. Warnings may precede it. */
export function firstError(findings: readonly Finding[]): Finding | undefined {
  return findings.find(({ severity }) => severity === 'error');
}

/** The first place in a file that a finding's story leads to. */
export function sourceRangeOf(finding: Finding | undefined): SourceRange | undefined {
  return finding?.story.find(({ place }) => place.range !== undefined)?.place.range;
}

/** The verdict on an incorrect plan and its reason, in one line: `race: rank 0 lane 1 op 0 writes …`. */
export function verdictText({ verdict, findings }: Verification): string {
  const error = firstError(findings);
  return error === undefined ? verdict : `${verdict}: ${error.message}`;
}

/** A plan that the kernel has accepted for a machine, good enough to be simulated and compared. Only a `ProvedPlan` is written or run. */
export interface CheckedPlan {
  readonly plan: Plan;
  readonly topology: Topology | undefined;
}
