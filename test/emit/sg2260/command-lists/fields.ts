/** Fields of a document of command lists, each of the kind that it should be. */

/** Why a document cannot be run, with where in it. */
export class CommandError extends Error {}

export function requireThat(holds: boolean, message: string): asserts holds {
  if (!holds) throw new CommandError(message);
}

export function recordField(value: unknown, what: string): Readonly<Record<string, unknown>> {
  requireThat(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is no object`);
  return { ...value };
}

export function listField(value: unknown, what: string): readonly unknown[] {
  requireThat(Array.isArray(value), `${what} is no list`);
  return value;
}

export function textField(value: unknown, what: string): string {
  requireThat(typeof value === 'string', `${what} is no text`);
  return value;
}

export function wholeField(value: unknown, what: string, least: number): number {
  requireThat(Number.isSafeInteger(value) && Number(value) >= least, `${what} is no whole number from ${least} on`);
  return Number(value);
}
