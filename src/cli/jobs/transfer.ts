/**
 * How what a job is asked and what it answers goes from one thread to another. Messages are copies without classes, so a proof would be lost; the thread
 * that receives a plan has its own kernel check it again before it is proved there.
 */
import { type ProofParts, ProvedPlan, proveAgain } from '../../verify/index.ts';

/** What stands for a proof in a message. */
interface SentProof {
  readonly sentProof: ProofParts;
}

/** A value as it is sent: its proofs are taken apart. They must stand in plain objects, not in arrays. */
export function sendable<Value>(value: Value): Value;
export function sendable(value: unknown): unknown {
  return replaced(value, (part) => (part instanceof ProvedPlan ? sentProof(part) : undefined));
}

/**
 * A value that has come from another thread, with its plans proved again.
 * @throws CccError 'unproved' as `proveAgain`
 */
export function received<Value>(value: Value): Value;
export function received(value: unknown): unknown {
  return replaced(value, (part) => (isSentProof(part) ? proveAgain(part.sentProof) : undefined));
}

function sentProof({ plan, options }: ProvedPlan): SentProof {
  return { sentProof: { plan, options } };
}

function isSentProof(part: object): part is SentProof {
  return 'sentProof' in part;
}

/** The value with some of its parts replaced; objects without such parts stay as they are. */
function replaced(value: unknown, replacement: (part: object) => object | undefined): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const other = replacement(value);
  if (other !== undefined) return other;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const fields = Object.entries(value);
  const changed = fields.flatMap(([key, field]) => {
    const now = replaced(field, replacement);
    return now === field ? [] : [[key, now] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

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
