/** Outcomes of work: the requested result, or the reason why there is none. Only mistakes in a request are thrown. */
import { CccError, type ErrorCode, type ErrorFinding } from '../ir/diagnostic.ts';

/**
 * Why there is no result:
 * - `no-plan`: nothing that was tried gives a plan for this request;
 * - `limit`: the plan, or the input, is larger than a limit (`limits` raises it);
 * - `stopped`: time limit, signal or memory ended the search before anything was found;
 * - `unsupported`: the machine or the target format cannot do it;
 * - `disconnected`: some chips cannot reach others that need their data;
 * - `unproved`: the plan or schedule that was given is not correct.
 */
export const failureReasons = ['no-plan', 'limit', 'stopped', 'unsupported', 'disconnected', 'unproved'] as const;
export type FailureReason = (typeof failureReasons)[number];

export interface Failure {
  readonly ok: false;
  readonly reason: FailureReason;
  /** One sentence for people. */
  readonly message: string;
  /** The details behind the message: candidates that could not be used, or findings of the verifier. */
  readonly findings: readonly ErrorFinding[];
  /** The same as an error, with the place in a file if there is one. */
  readonly error: CccError;
}

export type Outcome<Success extends object> = ({ readonly ok: true } & Success) | Failure;

/** Returns the failure that an error stands for. @throws the error itself if it is a mistake in the request or a bug */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof CccError)) throw error;
  const { code, message, findings } = error;
  if (!isReason(code)) throw error;
  return { ok: false, reason: code, message, findings, error };
}

function isReason(code: ErrorCode): code is FailureReason {
  return failureReasons.some((reason) => reason === code);
}
