import { describe, expect, it } from 'vitest';
import { listShipped } from '../../src/read/index.ts';
import { proveAt, ranksToProve } from './prove.ts';

describe.each(['broadcast', 'scatter', 'reduce', 'gather'])('the shipped schedules of %s', (kind) => {
  const names = listShipped('schedules').filter((name) => name.endsWith(`-${kind}`));

  it.each(names)('%s is correct for the numbers of ranks it claims', (name) => {
    const claimed = ranksToProve(name);
    // Edge-disjoint trees are there for powers of two from 8 on.
    expect(claimed.length).toBeGreaterThanOrEqual(4);
    for (const ranks of claimed) proveAt(name, ranks);
  });
});
