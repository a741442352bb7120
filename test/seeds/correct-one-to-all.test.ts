import { describe, expect, it } from 'vitest';
import { listShipped } from '../../src/read/index.ts';
import { claimedRanks, proveAt } from './prove.ts';

describe.each(['broadcast', 'scatter', 'reduce', 'gather'])('every shipped %s', (kind) => {
  const names = listShipped('schedules').filter((name) => name.endsWith(`-${kind}`));

  it.each(names)('%s is correct for every number of ranks it claims up to 64', (name) => {
    const claimed = claimedRanks(name);
    // Edge-disjoint trees are there for powers of two from 8 on.
    expect(claimed.length).toBeGreaterThanOrEqual(4);
    for (const ranks of claimed) proveAt(name, ranks);
  });
});
