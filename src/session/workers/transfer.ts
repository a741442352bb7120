/** Memory that a worker's last message hands over instead of copying it: the tables of a plan of a million operations take a hundred megabytes. */

/** The buffers of all typed arrays in a value, as the transfer list of `postMessage` takes them. After the transfer the sender has them no longer. */
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
