import { describe, expect, it } from 'vitest';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { type PlanText, planOf } from './plans.ts';

const messagesOf = (text: PlanText, options: Parameters<typeof verify>[1]): readonly string[] =>
  verify(planOf(text), options).findings.map(({ message }) => message);

describe('races', () => {
  it('are told lane by lane, whichever of them a run meets first', () => {
    // The first operations of all lanes run before the second one of lane 1: lanes 1 and 2 meet before lanes 0 and 1 do.
    const text: PlanText = {
      collective: collectiveOf('allreduce', 1, { chunks: 2, inPlace: true }),
      scratch: 2,
      programs: [[['copy o0 s0'], ['copy o0 s1', 'copy o1 s0'], ['copy o1 s1']]],
    };
    expect(messagesOf(text, {})).toEqual([
      expect.stringMatching(/^rank 0 lane 0 op 0 writes scratch\[0\], which rank 0 lane 1 op 1 writes: /),
      expect.stringMatching(/^rank 0 lane 1 op 0 writes scratch\[1\], which rank 0 lane 2 op 0 writes: /),
    ]);
  });
});

/** What is found in plans that run without buffers too is told as it comes about with the buffers that there are. */
describe('a run with buffers, in which a send does not wait for its receive,', () => {
  it('tells a race in its own order', () => {
    const text: PlanText = {
      collective: collectiveOf('allreduce', 2, { chunks: 2, inPlace: true }),
      scratch: 2,
      // Rank 1 is ready to receive only after its copy; by then lane 1 of rank 0 has had its turn.
      programs: [[['send o0 1'], ['copy o1 o0']], [['copy o0 s0', 'recv s1 0']]],
    };
    const sendFirst = /^rank 0 lane 0 op 0 reads output\[0\], which rank 0 lane 1 op 0 writes: /;
    const writeFirst = /^rank 0 lane 1 op 0 writes output\[0\], which rank 0 lane 0 op 0 reads: /;
    for (const inflight of [undefined, 1, 2]) expect(messagesOf(text, { inflight })[0]).toMatch(sendFirst);
    expect(messagesOf(text, { inflight: 0 })[0]).toMatch(writeFirst);
  });

  it('tells warnings of a right plan in its own order', () => {
    const text: PlanText = {
      collective: collectiveOf('broadcast', 2),
      scratch: 3,
      // The second message takes what lies in scratch; rank 1 is ready for it only after the first.
      programs: [[['send s0 1 ch=1'], ['copy s1 s2'], ['copy i0 o0', 'send i0 1']], [['recv o0 0', 'recv s0 0 ch=1']]],
    };
    const sent = expect.stringMatching(/^rank 0 lane 0 op 0 reads scratch\[0\], which holds nothing yet/);
    const copied = expect.stringMatching(/^rank 0 lane 1 op 0 reads scratch\[1\], which holds nothing yet/);
    expect(verify(planOf(text), { unwritten: 'unknown' })).toMatchObject({ verdict: 'correct', smallestInflight: 0 });
    for (const inflight of [undefined, 1, 2])
      expect(messagesOf(text, { inflight, unwritten: 'unknown' })).toEqual([sent, copied]);
    expect(messagesOf(text, { inflight: 0, unwritten: 'unknown' })).toEqual([copied, sent]);
  });
});
