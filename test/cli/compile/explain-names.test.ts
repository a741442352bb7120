/** `ccc compile --explain` shows every candidate under a text of its own, even where an engine proposes one recipe twice. */
import { describe, expect, it } from 'vitest';
import { withReasons } from '../../../src/cli/compile/explain-report.ts';
import type { CandidateReport } from '../../../src/search/comparing.ts';

function candidate(name: string, chunks: number, seconds: number, bulks = 1): CandidateReport {
  const status = seconds === 1 ? 'chosen' : 'slower';
  const numbers = { seconds, latency: 0, secondsPerByte: 0, optimality: 1 };
  return { name, engine: 'list', chunks, bulks, steps: 4, status, meets: [], ...numbers };
}

function shownNames(...candidates: readonly CandidateReport[]): readonly string[] {
  return withReasons(candidates, 'time', 1000).map(({ name }) => name);
}

describe('the candidates that --explain shows', () => {
  it('have their recipes as names where these differ', () => {
    expect(shownNames(candidate('list-steps', 4, 1), candidate('trees', 4, 2))).toEqual(['list-steps', 'trees']);
  });

  it('are followed by chunks and bulks where recipes are equal, and by a number where these are equal too', () => {
    const names = shownNames(
      candidate('list-steps', 48, 1),
      candidate('list-steps', 1, 2, 3),
      candidate('list-steps', 48, 3),
      candidate('ring', 48, 4),
    );
    expect(names).toEqual([
      'list-steps, 48 chunks, 1 bulk, no. 1',
      'list-steps, 1 chunk, 3 bulks',
      'list-steps, 48 chunks, 1 bulk, no. 2',
      'ring',
    ]);
  });
});
