/** From a request and its options to what the search is asked: how much is done for a plan. */
import { describe, expect, it } from 'vitest';
import { broadcast } from '../../src/session/collectives.ts';
import { planRequest } from '../../src/session/compile/plan-request.ts';
import { Machine } from '../../src/session/machine/machine.ts';

describe('the effort where none is given', () => {
  it.each([
    ['torus:32x32', {}, 'full'],
    ['torus:25x41', {}, 'quick'],
    ['torus:25x41', { effort: 'full' }, 'full'],
    ['torus:25x41', { engine: 'library' }, 'full'],
    ['torus:25x41', { objective: 'latency' }, 'full'],
    ['torus:25x41', { timeLimit: 10_000 }, 'full'],
  ] as const)('on %s with %o is %s', async (name, options, effort) => {
    const request = await planRequest(broadcast(await Machine.load(name)), options);
    expect(request.effort).toBe(effort);
  });

  it('is quick on a machine that has lost a link', async () => {
    const machine = await Machine.load('torus:4x4', { without: ['link:0-1'] });
    expect((await planRequest(broadcast(machine), {})).effort).toBe('quick');
  });
});
