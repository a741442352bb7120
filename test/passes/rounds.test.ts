/** The rounds that steps claim stay with them. */
import { describe, expect, it } from 'vitest';
import { type Schedule, StepsBuilder } from '../../src/ir/schedule.ts';
import { compose, prune, relabel, reverse } from '../../src/passes/index.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, schedule } from '../lower/building.ts';

/** A chain broadcast over three ranks whose steps claim 2 and 3 rounds, with a needless step between that claims 5. */
function claiming(): Schedule {
  const builder = new StepsBuilder();
  builder.add(copy(0, 1, piece('data 0')));
  builder.endStep(2);
  builder.add(copy(0, 2, piece('data 0', 'scratch 0')));
  builder.endStep(5);
  builder.add(copy(1, 2, piece('data 0')));
  builder.endStep(3);
  return { ...schedule(collectiveOf('broadcast', 3), [], { scratch: 1 }), steps: builder.build() };
}

function roundsOf({ steps }: Schedule): number[] {
  return [...steps.rounds];
}

describe('claimed rounds', () => {
  it('are reversed with the steps; what is not sent backwards takes its claim along', () => {
    expect(roundsOf(reverse(claiming(), collectiveOf('reduce', 3)))).toEqual([3, 2]);
  });

  it('follow each other in a composition', () => {
    const target = { name: 'whole', collective: collectiveOf('allreduce', 3) };
    const back = reverse(claiming(), collectiveOf('reduce', 3));
    expect(roundsOf(compose([back, claiming()], target))).toEqual([3, 2, 2, 5, 3]);
  });

  it('do not depend on who plays which position', () => {
    expect(roundsOf(relabel(claiming(), [2, 0, 1]))).toEqual([2, 5, 3]);
  });

  it('go with the steps that are left out', () => {
    expect(roundsOf(prune(claiming()))).toEqual([2, 3]);
  });

  it('are not claimed by the local steps behind a reversed one', () => {
    const builder = new StepsBuilder();
    builder.add(copy(0, 0, piece('data 1', 'scratch 0')));
    builder.endStep(1);
    builder.add(copy(0, 1, piece('data 0'), piece('scratch 0', 'data 1')));
    builder.endStep(4);
    const forward = schedule(collectiveOf('broadcast', 2, { chunks: 2 }), [], { scratch: 1 });
    const backward = reverse({ ...forward, steps: builder.build() }, collectiveOf('reduce', 2, { chunks: 2 }));
    expect(roundsOf(backward)).toEqual([4, 0, 0, 1]);
  });
});
