/** Findings about statements of a file that no plan can express, in the form of the verifier's findings. */
import type { Finding } from '../../ir/verification.ts';
import type { MscclStep } from './algorithm.ts';

/** A step in words: `step 3 of tb 1 of gpu 0`. */
export function stepName({ rank, block, index }: MscclStep): string {
  return `step ${index} of tb ${block} of gpu ${rank}`;
}

/** A finding about one step. */
export function flaw(code: 'malformed' | 'deadlock', step: MscclStep, message: string): Finding {
  const { rank, block: lane, index } = step;
  const place = { rank, lane, index, bulk: 0, step: index, range: step.element.range };
  return { severity: 'error', code, message, story: [{ text: `${step.type}, ${stepName(step)}`, place }] };
}
