import { describe, expect, it } from 'vitest';
import { planName } from '../../src/ir/plan-name.ts';

describe('the name of a plan', () => {
  it.each([
    ['ring-allgather', 'ring:8', 'ring-allgather-ring-8'],
    ['packed trees, reduce and broadcast', 'fattree:4,4,2', 'packed-trees-reduce-and-broadcast-fattree-4,4,2'],
    ['levels (2x2, 1 scattered)', 'sg2260x4', 'levels-2x2-1-scattered-sg2260x4'],
    ['symmetric (few steps in 2 parts)', 'dgx1 --group 0,1,2', 'symmetric-few-steps-in-2-parts-dgx1-group-0,1,2'],
    ['allreduce', 'dgx1', 'allreduce-dgx1'],
    ['direct', 'my machines/square', 'direct-my-machines-square'],
    ['direct', 'square.v2:4,5 --without link:0-1', 'direct-square.v2-4,5-without-link-0-1'],
  ])('%s on %s is %s', (algorithm, machine, name) => {
    expect(planName(algorithm, machine)).toBe(name);
    expect(name).toMatch(/^[\w.+,-]+$/);
  });
});
