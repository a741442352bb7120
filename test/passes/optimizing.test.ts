/** The passes that optimising is made of: what they make of correct schedules is correct, and does what they promise. */
import { describe, expect, it } from 'vitest';
import { resolveTopology, searchDefaults, searchPlan } from '../../src/index.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { OperationCode, planBuffers } from '../../src/ir/plan.ts';
import type { Schedule, Transfer } from '../../src/ir/schedule.ts';
import { lower, sideBySide } from '../../src/lower/index.ts';
import { alongside, compactSteps, forwardHops, refine, relabel, scheduleOfPlan } from '../../src/passes/index.ts';
import { instantiate, loadScheduleFile } from '../../src/read/index.ts';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';

function schedule(name: string, ranks: number): Schedule {
  const parameters = {
    root: 0,
    op: 'sum',
    ordered: false,
    inPlace: false,
    parameters: {},
    limits: defaultLimits,
  } as const;
  return instantiate(loadScheduleFile(name), { ...parameters, ranks });
}

function verdictOf(made: Schedule): string {
  return verify(lower(made), {}).verdict;
}

function transfersOf({ steps }: Schedule): Transfer[] {
  return Array.from({ length: steps.transferCount }, (_, index) => steps.transfer(index));
}

const names = ['ring-allgather', 'ring-allreduce', 'binomial-broadcast', 'rabenseifner-reduce', 'pairwise-alltoall'];

describe.each(names)('the passes on %s', (name) => {
  const given = schedule(name, 6);

  it('is correct in finer chunks, with as many messages', () => {
    const finer = refine(given, 3);
    expect(verdictOf(finer)).toBe('correct');
    expect(finer.steps.transferCount).toBe(given.steps.transferCount);
    expect(finer.collective.chunks).toBe(3 * given.collective.chunks);
  });

  it('is correct beside its mirror image, in any ratio', () => {
    const mirrored = relabel(given, [0, 5, 4, 3, 2, 1]);
    for (const [own, other] of [
      [1, 1],
      [2, 1],
      [1, 3],
    ] as const) {
      const both = alongside(refine(given, own), refine(mirrored, other));
      expect(verdictOf(both)).toBe('correct');
      expect(both.steps.transferCount).toBe(2 * given.steps.transferCount);
    }
  });

  it('is correct with its steps brought forward, never in more of them', () => {
    const compacted = compactSteps(given);
    expect(verdictOf(compacted)).toBe('correct');
    expect(compacted.steps.stepCount).toBeLessThanOrEqual(given.steps.stepCount);
  });

  it('is correct hop by hop along a ring, with neighbours as the only pairs', () => {
    const via = (source: number, destination: number): number[] => {
      const between: number[] = [];
      for (let rank = (source + 1) % 6; rank !== destination; rank = (rank + 1) % 6) between.push(rank);
      return between;
    };
    const hopwise = forwardHops(given, via);
    expect(verdictOf(hopwise)).toBe('correct');
    const distances = transfersOf(hopwise).map(({ source, destination }) => (destination - source + 6) % 6);
    expect(distances.every((distance) => distance <= 1)).toBe(true);
  });

  it('is the same collective, and correct, as the schedule of its plan', () => {
    const again = scheduleOfPlan(lower(given));
    expect(again?.collective).toEqual(given.collective);
    expect(again === undefined ? 'none' : verdictOf(again)).toBe('correct');
  });
});

describe('a schedule of several groups', () => {
  it('is correct in finer chunks, its condition as well', () => {
    const given = scheduleOfPlan(plansInGroups());
    const finer = given && refine(given, 3);
    expect(finer?.collective.custom?.output).toEqual([6, 6, 6, 0]);
    expect(finer && verdictOf(finer)).toBe('correct');
  });
});

/** Ranks 2 and 0 gather their shards, and rank 1 its own. */
function plansInGroups() {
  const groups = [[2, 0], [1]];
  const parts = groups.map((group) => ({ plan: lower(schedule('ring-allgather', group.length)), group }));
  return sideBySide(parts, 4, 'groups');
}

describe('steps brought forward', () => {
  it('do not wait for what they do not need', () => {
    // Two chains of the linear broadcast's messages, one behind the other, though all of them leave the root.
    const spread = schedule('linear-broadcast', 5);
    expect(compactSteps(spread).steps.stepCount).toBe(1);
  });

  it('keep a relay behind what it relays', () => {
    expect(compactSteps(schedule('chain-broadcast', 5)).steps.stepCount).toBe(4);
  });
});

describe('schedules side by side', () => {
  it('have to be for one collective', () => {
    expect(() => alongside(schedule('ring-allgather', 4), schedule('ring-allreduce', 4))).toThrow(/one message/);
  });
});

describe('a plan whose messages are packed from scratch', () => {
  it('is a correct schedule: what a message is made of is packed before it', () => {
    // Partial sums of several shards that are no neighbours lie in scratch and go in one message.
    const topology = resolveTopology('mi250');
    const collective = collectiveOf('reducescatter', topology.chips.length, { chunks: 2 });
    const request = { ...searchDefaults, collective, chunks: 2, size: 2 ** 20, engine: 'list', topology };
    const { plan } = searchPlan(request).bundle.proved;
    const packs = plan.ops.kind.some((kind, o) => {
      return kind === OperationCode.copy && planBuffers[plan.ops.srcBuffer[o]] === 'scratch';
    });
    expect(packs).toBe(true);
    const again = scheduleOfPlan({ ...plan, bulks: 1, scratchPerBulk: 1 });
    expect(again === undefined ? 'none' : verdictOf(again)).toBe('correct');
  });
});
