/** How the kernel says no: the first rule that does not hold ends the check with a `Refusal`. */

/** The verdicts of docs/verification.md that the kernel gives, and `limit` for a plan that is too large to be decided. */
export type RefusalVerdict =
  | 'malformed'
  | 'mismatched'
  | 'uninitialised'
  | 'deadlock'
  | 'race'
  | 'wrong-result'
  | 'over-capacity'
  | 'limit';

/** Stands for no operation and no cell where operations and cells are given by number. */
export const none = -1;

/** Why a plan is not proved. The message begins with the verdict. */
export class Refusal extends Error {
  readonly verdict: RefusalVerdict;
  /** The operation that breaks the rule, by its number in the tables, or `none` if no single operation does. */
  readonly operation: number;

  constructor(verdict: RefusalVerdict, reason: string, operation = none) {
    super(`${verdict}: ${reason}`);
    this.verdict = verdict;
    this.operation = operation;
  }
}

/** States a rule of form: a plan that breaks it is malformed. @throws Refusal */
export function requireForm(holds: boolean, reason: string, operation = none): asserts holds {
  if (!holds) throw new Refusal('malformed', reason, operation);
}

/** Whether a value is an integer from `min` to `max`, both included. */
export function isWhole(value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
