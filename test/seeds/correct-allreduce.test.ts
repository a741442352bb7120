import { describe, expect, it } from 'vitest';
import { listShipped } from '../../src/read/index.ts';
import { proveAt, ranksToProve } from './prove.ts';

describe.each(['allreduce'])('the shipped schedules of %s', (kind) => {
  const names = listShipped('schedules').filter((name) => name.endsWith(`-${kind}`));

  it.each(names)('%s is correct for the numbers of ranks it claims', (name) => {
    const claimed = ranksToProve(name);
    expect(claimed.length).toBeGreaterThanOrEqual(6);
    for (const ranks of claimed) proveAt(name, ranks);
  });
});
