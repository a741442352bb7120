/** The kernel's answer as a word: `correct`, or the verdict of what it refuses. */
import { Refusal } from '../../src/kernel/refusal.ts';

export function wordOf(ask: () => unknown): string {
  try {
    ask();
    return 'correct';
  } catch (error) {
    if (error instanceof Refusal) return error.verdict;
    throw error;
  }
}
