import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/ir/verification.ts';
import { verify } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { drawn } from '../../draw.ts';
import { agree, type Tally } from '../agreement.ts';
import { type PlanText, planOf, ringAllgather, ringAllreduce, roundTrip, taken } from '../plans.ts';

const tally: Tally = new Map();

function agreeOn(text: PlanText, inflight: number | undefined): void {
  agree(planOf(text), inflight, tally, () => JSON.stringify({ text, inflight }, null, 1));
}

/** A random plan whose messages match: a list of messages and local operations, dealt out to lanes in order. */
const randomPlan: fc.Arbitrary<PlanText> = fc
  .record({
    ranks: fc.integer({ min: 2, max: 3 }),
    inPlace: fc.boolean(),
    filled: fc.boolean(),
    kind: fc.constantFrom('allreduce' as const, 'alltoall' as const, 'broadcast' as const, 'reducescatter' as const),
    bulks: fc.constantFrom(1, 1, 2, 3),
    scratchPerBulk: fc.integer({ min: 1, max: 2 }),
    items: fc.array(
      fc.record({
        from: fc.nat(),
        to: fc.nat(),
        source: fc.nat(),
        target: fc.nat(),
        what: fc.nat({ max: 5 }),
        channel: fc.constantFrom(0, 0, 0, 1),
        early: fc.nat({ max: 7 }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    waits: fc.array(fc.record({ rank: fc.nat(), op: fc.nat(), on: fc.nat(), bulks: fc.constantFrom(0, 0, 0, 1, 2) }), {
      maxLength: 5,
    }),
  })
  .map(({ ranks, inPlace, filled, kind, bulks, scratchPerBulk, items, waits }) => {
    const whole = collectiveOf(kind, ranks, { inPlace });
    const sharded = kind === 'alltoall' || kind === 'reducescatter';
    const readable = (rank: number, at: number): string => {
      const slots = [
        's0',
        'o0',
        ...(kind === 'broadcast' && rank !== 0 ? [] : ['i0', 'i0']),
        ...(sharded ? ['i1'] : []),
      ];
      return slots[at % slots.length];
    };
    const writable = (at: number): string => ['o0', 's0', 'o0', kind === 'alltoall' ? 'o1' : 'o0'][at % 4];
    // A lane per connection end, as operations name it; lane 0 is for local ones.
    const names = Array.from({ length: ranks }, () => ['local']);
    const programs = Array.from({ length: ranks }, (): string[][] => [[]]);
    const add = (rank: number, name: string, operation: string, early: boolean): void => {
      if (!names[rank].includes(name)) {
        names[rank].push(name);
        programs[rank].push([]);
      }
      const lane = programs[rank][names[rank].indexOf(name)];
      if (early) lane.unshift(operation);
      else lane.push(operation);
    };
    for (const { from, to, source, target, what, channel, early } of items) {
      const a = from % ranks;
      const b = (a + 1 + (to % (ranks - 1))) % ranks;
      if (what < 2) {
        const [src, dst] = [readable(a, source), writable(target)];
        if (src !== dst && !(inPlace && src[0] !== 's' && dst[0] !== 's'))
          add(a, 'local', `${what === 0 ? 'copy' : 'reduce'} ${src} ${dst}`, early === 0);
        continue;
      }
      add(
        a,
        what === 5 ? 'local' : `to ${b} ${channel}`,
        `send ${readable(a, source)} ${b} ch=${what === 5 ? 2 : channel}`,
        false,
      );
      const receive = `${what === 2 ? 'recv' : 'recvReduce'} ${writable(target)} ${a} ch=${what === 5 ? 2 : channel}`;
      add(b, what === 5 ? 'local' : `from ${a} ${channel}`, receive, what === 5 && early === 1);
    }
    // Half of the plans fill scratch before anything else, so that fewer stop at the third rung.
    programs.forEach((lanes, rank) => {
      if (!filled || (kind === 'broadcast' && rank !== 0)) return;
      for (const lane of lanes.slice(1)) lane[0] += ' after=0.0';
      lanes[0].unshift('copy i0 s0');
    });
    for (const { rank, op, on, bulks: back } of waits) {
      const r = rank % ranks;
      const all = programs[r].flatMap((lane, l) => lane.map((_, i) => [l, i] as const));
      if (all.length === 0) continue;
      const [lane, index] = all[op % all.length];
      const [otherLane, other] = all[on % all.length];
      if (lane === otherLane && index === other && back === 0) continue;
      programs[r][lane][index] += ` after=${otherLane}.${other}/${back}`;
    }
    return { collective: whole, programs, scratch: 1, bulks, scratchPerBulk };
  });

const limits = fc.constantFrom(undefined, 0, 1, 2);

describe('the verifier agrees with trying every interleaving', () => {
  it('on random plans', () => {
    fc.assert(
      fc.property(randomPlan, limits, (text, inflight) => {
        agreeOn(text, inflight);
      }),
      drawn(1000),
    );
    for (const verdict of ['uninitialised', 'deadlock', 'race', 'wrong-result', 'strictly free']) {
      expect(tally.get(verdict) ?? 0, `plans judged ${verdict}`).toBeGreaterThan(20);
    }
  });

  it.each(sound)('on every small change of %s', (_name, text, limit) => {
    const verdicts = new Set<Verdict>();
    for (const inflight of [undefined, 0, 1, 2]) {
      for (const changed of [text, ...changesOf(text)]) {
        const { verdict } = verify(planOf(changed), { inflight });
        verdicts.add(verdict);
        agreeOn(changed, inflight);
      }
    }
    expect(verify(planOf(text), { inflight: limit }).verdict).toBe('correct');
    expect([...verdicts]).toEqual(expect.arrayContaining(['malformed', 'mismatched']));
  });
});

/** Rank 0 pushes two chunks through two ranks' scratch in three bulks, with back-pressure. */
const pipeline: PlanText = {
  collective: collectiveOf('broadcast', 3),
  scratch: 1,
  bulks: 3,
  programs: [
    [['copy i0 o0', 'send i0 1']],
    [['recv s0 0 after=1.0/1 after=2.0/1'], ['send s0 2 after=0.0'], ['copy s0 o0 after=0.0']],
    [['recv s0 1', 'copy s0 o0']],
  ],
};

/** A broadcast to rank 1 through scratch, in three bulks: what may go into scratch again is for the other lanes to say. */
function throughScratch(programs: PlanText['programs'], scratchPerBulk = 1): PlanText {
  return { collective: collectiveOf('broadcast', 2), scratch: 2, bulks: 3, scratchPerBulk, programs };
}

/** The receiving lane itself waits for the reader, at its end: the next bulk comes after that. */
const lastOfLane = throughScratch([
  [['send i0 1'], ['copy i0 o0']],
  [['recv s0 0', 'copy s0 s1 after=1.0'], ['copy s0 o0 after=0.0']],
]);

/** The reader acknowledges, and the sender waits for that before it starts the next bulk. */
const acknowledged = throughScratch([
  [['send i0 1', 'recv s0 1'], ['copy i0 o0']],
  [['recv s0 0'], ['copy s0 o0 after=0.0', 'send s0 0']],
]);

/** A second connection with one buffer holds the sender back until the reader is done; with two, for one bulk more. */
const heldBack: PlanText['programs'] = [
  [['send i0 1', 'send i0 1 ch=1'], ['copy i0 o0']],
  [['copy s0 o0 after=1.0', 'recv s1 0'], ['recv s0 0 ch=1']],
];

const sound: readonly (readonly [string, PlanText, number | undefined])[] = [
  ['a ring allreduce on 2 ranks', ringAllreduce(2), undefined],
  ['a ring allreduce on 3 ranks', ringAllreduce(3), undefined],
  ['a ring allgather on 3 ranks', ringAllgather(3), undefined],
  ['a round trip', roundTrip, undefined],
  ['a round trip that is taken', taken, undefined],
  ['a pipeline in bulks', pipeline, undefined],
  ['bulks ordered by the end of a lane', lastOfLane, undefined],
  ['bulks ordered by a message back', acknowledged, undefined],
  ['bulks ordered by a channel of one', throughScratch(heldBack), 1],
  ['bulks ordered by a channel of two', throughScratch(heldBack, 2), 2],
];

/** The plan with one word of one operation changed: a wait dropped, another slot, peer, channel, count or buffer, another kind. */
function changesOf(text: PlanText): readonly PlanText[] {
  const changes: readonly ((operation: string) => string)[] = [
    ...[0, 1, 2].map((which) => (operation: string) => {
      let seen = 0;
      return operation.replace(/ after=\S+/g, (wait) => (seen++ === which ? '' : wait));
    }),
    (operation) => operation.replace(/\b([ios])(\d+)/, (_all, buffer, slot) => `${buffer}${(Number(slot) + 1) % 3}`),
    (operation) =>
      operation.replace(
        / ([ios])(\d+) (\d)/,
        (_all, buffer, slot, peer) => ` ${buffer}${slot} ${(Number(peer) + 1) % 3}`,
      ),
    (operation) => (operation.startsWith('copy') ? operation : `${operation} ch=1`),
    (operation) => operation.replace(/\b([ios]\d+)\b/, '$1*2'),
    (operation) => operation.replace(/\bi(\d)/, 'o$1'),
    (operation) => operation.replace(/\bs(\d)/, 'o$1'),
    (operation) => operation.replace(/^recv /, 'recvReduce '),
    (operation) => operation.replace(/^recvReduce /, 'recv '),
    (operation) => operation.replace(/^copy /, 'reduce '),
  ];
  const changed: PlanText[] = [];
  text.programs.forEach((lanes, rank) => {
    lanes.forEach((operations, lane) => {
      operations.forEach((operation, index) => {
        for (const change of changes) {
          const other = change(operation);
          if (other === operation) continue;
          const programs = text.programs.map((ls, r) =>
            ls.map((ops, l) => ops.map((op, i) => (r === rank && l === lane && i === index ? other : op))),
          );
          changed.push({ ...text, programs });
        }
      });
    });
  });
  return changed;
}
