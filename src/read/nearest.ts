/** "Did you mean": the right names nearest to a wrong one. */
import { distance } from 'fastest-levenshtein';
import { readable } from './limits.ts';

/**
 * The names most like `wanted`, best first, and of equally like ones the shortest; empty when none is. A name may also be meant by how it starts: `rign`
 * for `ring-allgather`.
 */
export function nearest(wanted: string, known: readonly string[]): readonly string[] {
  const text = wanted.toLowerCase().slice(0, 100);
  const tolerance = Math.min(3, Math.floor(text.length / 2));
  const scored = [...new Set(known)].map((name) => ({ name, score: unlikeness(text, name.toLowerCase()) }));
  return scored
    .filter(({ score }) => Math.floor(score) <= tolerance)
    .sort((a, b) => a.score - b.score || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, readable.spelt)
    .map(({ name }) => name);
}

/** Edits between the two. A start of a longer name counts too, half an edit behind whole names. */
function unlikeness(text: string, name: string): number {
  const whole = distance(text, name);
  return name.length > text.length ? Math.min(whole, distance(text, name.slice(0, text.length)) + 0.5) : whole;
}

/** The end of an error message about a wrong name: `did you mean …?`, or what names there are. */
export function nearestNames(wanted: string, known: readonly string[]): string {
  const near = nearest(wanted, known);
  if (near.length > 0 && wanted !== '') return `did you mean ${near.join(' or ')}?`;
  if (known.length === 0) return 'there are none';
  const rest = known.length > readable.listed ? ` … (${known.length} in all)` : '';
  return `there are: ${known.slice(0, readable.listed).join(', ')}${rest}`;
}
