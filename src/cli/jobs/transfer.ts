/** What the last word of a worker hands over instead of copying it: a plan of a million operations is a hundred megabytes of tables. */

/** The memory of all tables in a value as messages between threads take it; whoever sends them so has them no longer. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  collect(value, found, new Set());
  return [...found];
}

function collect(value: unknown, found: Set<ArrayBuffer>, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (!ArrayBuffer.isView(value)) for (const part of Object.values(value)) collect(part, found, seen);
  else if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
}
