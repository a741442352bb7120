/** "Did you mean": finds the known names most similar to a wrong one. */
import { distance } from 'fastest-levenshtein';
import { readable } from './limits.ts';

/**
 * The names most similar to `wanted`, best first, shorter ones first among equally similar ones; empty if none is similar. The start of a name
 * counts, too: `rign` is similar to `ring-allgather`.
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

/** The edit distance between the two, or from `wanted` to a prefix of the name, with half an edit added. */
function unlikeness(text: string, name: string): number {
  const whole = distance(text, name);
  return name.length > text.length ? Math.min(whole, distance(text, name.slice(0, text.length)) + 0.5) : whole;
}

/** The end of an error message about a wrong name: `did you mean …?`, or a list of known names. */
export function nearestNames(wanted: string, known: readonly string[]): string {
  const near = nearest(wanted, known);
  if (near.length > 0 && wanted !== '') return `did you mean ${near.join(' or ')}?`;
  if (known.length === 0) return 'there are none';
  const rest = known.length > readable.listed ? ` … (${known.length} in all)` : '';
  return `there are: ${known.slice(0, readable.listed).join(', ')}${rest}`;
}
