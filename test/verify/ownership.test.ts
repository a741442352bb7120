import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/ir/limits.ts';
import { lower } from '../../src/lower/index.ts';
import { fitness, instantiate, listShipped, loadScheduleFile } from '../../src/read/index.ts';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { type PlanText, planOf, ringAllgather, ringAllreduce, roundTrip, taken } from './plans.ts';

/** The ring allreduce with each send completed before its slot is written again, P − 1 receives later. */
function completed(ranks: number): PlanText {
  const text = ringAllreduce(ranks);
  const programs = text.programs.map(([sends, receives]) => [
    sends,
    receives.map((receive, s) => (s < ranks - 1 ? receive : `${receive} after=0.${s - ranks + 1}`)),
  ]);
  return { ...text, programs };
}

/** Rank 0 sends its chunk away, gets it back doubled and stores it where it was: the data have gone round. */
const round: PlanText = {
  collective: collectiveOf('allreduce', 2, { inPlace: true }),
  programs: [[['send o0 1'], ['recv o0 1']], [['recvReduce o0 0', 'send o0 0']]],
};

/** The receive of the answer is posted by the lane that has sent; the scratch it goes to is read by another lane before. */
const answered: PlanText = {
  collective: collectiveOf('broadcast', 2),
  scratch: 1,
  programs: [
    [['copy i0 s0'], ['copy s0 o0 after=0.0'], ['send i0 1 after=1.0', 'recv s0 1']],
    [['recv o0 0', 'send o0 0']],
  ],
};

describe('strict ownership', () => {
  it.each([2, 3, 4])('needs each of the P(P − 1) completions in an in-place ring of %i ranks', (ranks) => {
    expect(verify(planOf(ringAllreduce(ranks))).verdict).toBe('correct');
    expect(verify(planOf(ringAllreduce(ranks)), { ownership: 'strict' }).verdict).toBe('race');
    const whole = completed(ranks);
    let waits = 0;
    for (let rank = 0; rank < ranks; rank++) {
      for (let receive = ranks - 1; receive < 2 * ranks - 2; receive++) {
        const programs = whole.programs.map(([sends, receives], r) => [
          sends,
          receives.map((text, at) => (r === rank && at === receive ? text.replace(/ after=\S+/, '') : text)),
        ]);
        waits++;
        const { verdict, findings } = verify(planOf({ ...whole, programs }), { ownership: 'strict' });
        expect(verdict).toBe('race');
        expect(findings.map(({ message }) => message)).toEqual([
          expect.stringMatching(
            new RegExp(
              `^rank ${rank} lane 0 op ${receive - ranks + 1} reads (.*), which rank ${rank} lane 1 op ${receive} writes: ` +
                `the second may be posted .* "after": \\[\\[0, ${receive - ranks + 1}\\]\\]`,
            ),
          ),
        ]);
      }
    }
    expect(waits).toBe(ranks * (ranks - 1));
  });

  it.each([2, 3, 5, 8])('is content when the sends of a ring of %i ranks are completed first', (ranks) => {
    const { verdict, proved } = verify(planOf(completed(ranks)), { ownership: 'strict' });
    expect(verdict).toBe('correct');
    expect(proved).toContain('no data race in any interleaving: race-free under strict ownership');
  });

  it('says which reading was proved', () => {
    const { proved } = verify(planOf(ringAllgather(3)));
    expect(proved).toContain('no data race in any interleaving: race-free under event ownership');
  });

  it('does not take the return of the data for the end of the send', () => {
    expect(verify(planOf(round)).verdict).toBe('correct');
    for (const inflight of [undefined, 0, 1]) {
      const { verdict, findings } = verify(planOf(round), { inflight, ownership: 'strict' });
      expect(verdict).toBe('race');
      expect(findings[0].message).toContain('"after": [[0, 0]]');
    }
  });

  it('does not take it so either where a later operation writes', () => {
    for (const inflight of [undefined, 0, 1]) {
      expect(verify(planOf(roundTrip), { inflight }).verdict).toBe('correct');
      expect(verify(planOf(roundTrip), { inflight, ownership: 'strict' }).verdict).toBe('race');
    }
  });

  it('takes a rendezvous for what it is: both sides have got there', () => {
    expect(verify(planOf(taken), { inflight: 0, ownership: 'strict' }).verdict).toBe('correct');
    expect(verify(planOf(taken), { inflight: 1, ownership: 'strict' }).verdict).toBe('race');
    expect(verify(planOf(taken), { ownership: 'strict' }).verdict).toBe('race');
  });

  it('counts a receive as writing from the moment it is posted', () => {
    expect(verify(planOf(answered), { ownership: 'strict' }).verdict).toBe('correct');
    const [, , last] = answered.programs[0];
    // The receive may be posted at once, though its message only comes after the reader is done.
    const programs = [[...answered.programs[0].slice(0, 2), [last[0]], [`${last[1]} after=0.0`]], answered.programs[1]];
    expect(verify(planOf({ ...answered, programs })).verdict).toBe('correct');
    expect(verify(planOf({ ...answered, programs }), { ownership: 'strict' }).verdict).toBe('race');
  });

  it.each(listShipped('schedules'))('holds for %s as lowered', (name) => {
    const file = loadScheduleFile(name);
    for (const ranks of [1, 2, 3, 4, 5, 8]) {
      for (const inPlace of [false, true]) {
        const request = {
          ranks,
          root: 0,
          op: 'sum',
          ordered: false,
          inPlace,
          parameters: {},
          limits: defaultLimits,
        } as const;
        if (!fitness(file, request).fits) continue;
        for (const bulks of [1, 4]) {
          const plan = lower(instantiate(file, request), { bulks });
          expect(verify(plan, { ownership: 'strict' }).verdict, `${ranks} ranks, ${bulks} bulks`).toBe('correct');
        }
      }
    }
  });
});
