/**
 * Tests at random draw other cases each day, and the same ones in every run of a day: the seed is the date (setup.ts). `CCC_TEST_SEED=7 npm test` draws from
 * another one, and `CCC_TEST_FACTOR=20` draws twenty times as many. A property that fails says how to draw the same cases again.
 */
import fc, { type RunDetails } from 'fast-check';

export const testSeed = Number(process.env.CCC_TEST_SEED ?? 1);
/** How many times as many cases are drawn as in `npm test`. */
export const testFactor = Number(process.env.CCC_TEST_FACTOR ?? 1);

/** Parameters of fast-check for so many cases, or as many times more as were asked for. */
export function drawn(cases: number): { readonly numRuns: number } {
  return { numRuns: cases * testFactor };
}

function failWith<Values>(details: RunDetails<Values>): void {
  if (!details.failed) return;
  const again = `CCC_TEST_SEED=${testSeed} npx vitest run FILE draws the same cases again.`;
  throw new Error(`${fc.defaultReportMessage(details)}\n\n${again}`, { cause: details.errorInstance });
}

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: testSeed,
  reporter: failWith,
});
