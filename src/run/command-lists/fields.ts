/** Fields of a document of command lists, each of the kind that it should be. */

/** Why a document cannot be run, with where in it. */
export class CommandError extends Error {}

export function need(holds: boolean, message: string): asserts holds {
  if (!holds) throw new CommandError(message);
}

export function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  need(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is no object`);
  return { ...value };
}

export function list(value: unknown, what: string): readonly unknown[] {
  need(Array.isArray(value), `${what} is no list`);
  return value;
}

export function text(value: unknown, what: string): string {
  need(typeof value === 'string', `${what} is no text`);
  return value;
}

export function whole(value: unknown, what: string, least: number): number {
  need(Number.isSafeInteger(value) && Number(value) >= least, `${what} is no whole number from ${least} on`);
  return Number(value);
}
