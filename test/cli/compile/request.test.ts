/** From options to a request: how much is done for a plan. */
import { describe, expect, it } from 'vitest';
import { type CompileOptions, readRequest } from '../../../src/cli/compile/request.ts';

const plain: CompileOptions = {
  root: 0,
  op: 'sum',
  dtype: 'f32',
  solver: 'auto',
  bulks: 'auto',
  engine: 'auto',
  objective: 'time',
  emit: 'json',
  seed: 0,
};

describe('the effort where none is given', () => {
  it.each([
    ['torus:32x32', {}, 'full'],
    ['torus:25x41', {}, 'quick'],
    ['torus:25x41', { effort: 'full' }, 'full'],
    ['torus:25x41', { engine: 'library' }, 'full'],
    ['torus:25x41', { objective: 'latency' }, 'full'],
    ['torus:25x41', { timeLimit: 10_000 }, 'full'],
    ['torus:4x4', { without: ['link:0-1'] }, 'quick'],
  ] as const)('on %s with %o is %s', async (topo, options, effort) => {
    const { request } = await readRequest('broadcast', { ...plain, topo, ...options });
    expect(request.effort).toBe(effort);
  });
});
