/** Staging: messages read and write scratch only, results stay what they were, and pipelines hide the copies. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Routes } from '../../src/ir/routes.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { stage } from '../../src/passes/index.ts';
import { prove } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { drawn } from '../draw.ts';
import { copy, piece, schedule } from '../lower/building.ts';
import { execute, seeded } from '../lower/execution.ts';
import { outputsOf, undefinedValue } from '../lower/meaning.ts';
import { describeSchedule, schedules } from '../lower/random-schedules.ts';
import { line } from '../model/machines.ts';
import { algorithms } from './algorithms.ts';

function buffersOfMessages({ steps }: Schedule): ReadonlySet<string> {
  const named = new Set<string>();
  for (let step = 0; step < steps.stepCount; step++) {
    for (const { source, destination, pieces } of steps.inStep(step)) {
      if (source !== destination) for (const { from, to } of pieces) named.add(from).add(to);
    }
  }
  return named;
}

describe.each(Object.entries(algorithms))('%s, staged', (_, algorithm) => {
  it.each([2, 3, 4, 5, 8])('sends from scratch to scratch and is proved, %i ranks, in bulks and in place', (ranks) => {
    const plain = algorithm(ranks);
    for (const inPlace of [false, true]) {
      const staged = stage({ ...plain, collective: { ...plain.collective, inPlace } });
      expect([...buffersOfMessages(staged)]).toEqual(['scratch']);
      for (const bulks of [1, 6]) expect(prove(lower(staged, { bulks })).verification.verdict).toBe('correct');
    }
  });
});

describe('random schedules, staged', () => {
  it('give what they gave', () => {
    let seed = 1;
    fc.assert(
      fc.property(schedules(), (plain) => {
        const staged = stage(plain);
        const outputs = execute(lower(staged), 1, seeded(seed++));
        outputsOf(plain).forEach((wanted, rank) => {
          wanted.forEach((value, slot) => {
            if (value.includes(undefinedValue)) return;
            const inFirstBulk = value.replaceAll(/\d+\.\d+ /g, (input) => `0:${input}`);
            expect(outputs?.[0][rank][slot], describeSchedule(plain)).toBe(inFirstBulk);
          });
        });
      }),
      drawn(150),
    );
  });
});

describe('local copies of a chip', () => {
  const exscan = (inPlace: boolean) =>
    schedule(
      collectiveOf('exscan', 2, { inPlace }),
      [
        [copy(0, 0, piece('input 0', 'scratch 0'))],
        [copy(0, 1, piece('scratch 0'))],
        [copy(1, 1, piece('scratch 0', 'output 0'))],
      ],
      { scratch: 1 },
    );
  const localCopies = (staged: Schedule) =>
    Array.from({ length: staged.steps.transferCount }, (_, transfer) => staged.steps.transfer(transfer))
      .filter(({ source, destination }) => source === destination)
      .map(({ pieces: [{ from, to }] }) => `${from} to ${to}`);

  it('go between the buffers and scratch, and no other way besides', () => {
    expect(localCopies(stage(exscan(false)))).toEqual(['input to scratch', 'scratch to output']);
  });

  it('are staged themselves in place, where the one may lie where the other does', () => {
    const [all, within] = [localCopies(stage(exscan(true))), 'scratch to scratch'];
    expect(all.filter((one) => one === within)).toHaveLength(2);
    expect(all).toHaveLength(4);
  });

  it('are staged themselves where others use what they write', () => {
    const { steps, ...plain } = exscan(false);
    const again = [copy(1, 1, piece('output 0', 'scratch 0'))];
    const all = localCopies(
      stage(
        schedule(plain.collective, [...Array.from(steps.rounds, (_, s) => steps.inStep(s)), again], { scratch: 1 }),
      ),
    );
    expect(all).toEqual(['input to scratch', 'scratch to scratch', 'scratch to scratch', 'scratch to output']);
  });
});

describe('a broadcast in place from one chip to another', () => {
  const [alpha, beta, gamma, size, bulks] = [1, 8, 4, 96, 6];
  const staged = stage(schedule(collectiveOf('broadcast', 2, { inPlace: true }), [[copy(0, 1, piece('data 0'))]]));
  const machine = line(2, { latency: alpha, bandwidth: beta, copy: gamma });
  const seconds = (k: number) => simulate(lower(staged, { bulks: k }), new Routes(machine), size).seconds;

  it('takes copy, message and copy in turn, in one bulk', () => {
    expect(seconds(1)).toBeCloseTo(size / gamma + alpha + size / beta + size / gamma, 12);
  });

  it('is a pipeline of these three, in several', () => {
    const stages = [size / gamma, alpha * bulks + size / beta, size / gamma].map((time) => time / bulks);
    const expected = stages.reduce((sum, time) => sum + time) + (bulks - 1) * Math.max(...stages);
    expect(seconds(bulks)).toBeCloseTo(expected, 12);
  });

  it('copies both ways at once where the engine is duplex', () => {
    // A chip in the middle of a chain, which fetches its own share while it puts what has come where it belongs.
    const exchange = stage(
      schedule(collectiveOf('alltoall', 2), [
        [copy(0, 1, piece('data 1', 'data 0')), copy(1, 0, piece('data 0', 'data 1'))],
      ]),
    );
    const plan = lower(exchange, { bulks: 20 });
    const timeOn = (duplex: boolean) => {
      const nodes = machine.nodes.map((node) => ({ ...node, copy: { throughput: gamma, duplex } }));
      return simulate(plan, new Routes({ ...machine, nodes }), size).seconds;
    };
    // Each way half the message, and out also what stays on the chip: 1/2 in and 1 out, or 3/2 in turn.
    expect(timeOn(true)).toBeLessThan((size / gamma) * 1.2);
    expect(timeOn(false)).toBeGreaterThanOrEqual((size * 1.5) / gamma);
  });
});
