/** The list of long tests names files that are there. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { longTests } from './long-tests.ts';

it('names each file once, and none that is gone', () => {
  const gone = longTests.filter((file) => !existsSync(new URL(`../${file}`, import.meta.url)));
  expect(gone).toEqual([]);
  expect(new Set(longTests).size).toBe(longTests.length);
});
