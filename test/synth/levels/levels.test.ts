/** The levels engine over groups: every schedule it proposes is proved, and long messages go as fast as the slowest level alone. */
import { describe, expect, it } from 'vitest';
import { type Collective, type CollectiveKind, collectiveFacts } from '../../../src/ir/collective.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology, withMap, withoutChip, withoutLink } from '../../../src/read/index.ts';
import type { Candidate, Problem } from '../../../src/synth/engine.ts';
import { levelsEngine } from '../../../src/synth/levels/index.ts';
import { libraryEngine } from '../../../src/synth/library.ts';
import { treesEngine } from '../../../src/synth/trees/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor, reasonsAmong } from '../problems.ts';

const kinds: readonly CollectiveKind[] = [
  ...(['allgather', 'reducescatter', 'allreduce', 'broadcast'] as const),
  ...(['reduce', 'scatter', 'gather', 'alltoall'] as const),
];
const gibibyte = 2 ** 30;

function problem(kind: CollectiveKind, topology: Topology, changes: Partial<Problem & Collective> = {}): Problem {
  const { root = 0, op = 'sum', ordered = false, inPlace = false, chunks, algorithm, size = gibibyte } = changes;
  const collective = collectiveOf(kind, topology.chips.length, { root, op, ordered, inPlace });
  return problemFor(collective, topology, { size, chunks, algorithm });
}

const engine = levelsEngine([libraryEngine]);

function candidates(of: Problem, by = engine): Candidate[] {
  return candidatesAmong(by.propose(of));
}

function reasons(of: Problem): string[] {
  return reasonsAmong(engine.propose(of));
}

/** Proves every candidate, alone and in three bulks, and returns how many there are. */
function proveAll(of: Problem, by = engine): number {
  const { topology } = of.routes;
  const proposed = candidates(of, by);
  for (const { name, build } of proposed) {
    for (const [multiple, bulks] of [
      [1, 3],
      [2, 1],
    ]) {
      const schedule = build(multiple);
      const { verification } = prove(lower(schedule, { bulks, name }), { topology });
      const [finding] = verification.findings;
      expect(verification.verdict, `${of.collective.kind}, ${name}: ${finding?.message}`).toBe('correct');
    }
  }
  return proposed.length;
}

describe('what the engine proposes is correct', () => {
  const machines: readonly [string, Topology][] = [
    ['two boxes on switches', resolveTopology('a100:2')],
    ['three cards of four', resolveTopology('sg2260-cards:3')],
    ['four groups of routers', resolveTopology('dragonfly:4,2,2')],
    ['groups of one size whose ranks are mixed', withMap(resolveTopology('fattree:3,2,1'), [3, 0, 4, 5, 1, 2])],
    ['boxes that are found, not declared', { ...resolveTopology('dgx1-cluster:2'), groups: [] }],
  ];
  for (const [what, topology] of machines) {
    it.each(kinds)(`%s on ${what}`, (kind) => {
      const last = topology.chips.length - 1;
      for (const changes of [{ root: 0 }, { root: last - 1, inPlace: true }]) {
        const count = proveAll(
          problem(kind, topology, collectiveFacts[kind].rooted ? changes : { ...changes, root: 0 }),
        );
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(4);
      }
    });
  }

  const moved = ['broadcast', 'reduce', 'allreduce', 'allgather', 'reducescatter'] as const;
  it.each(moved)('%s on groups of different sizes', (kind) => {
    const uneven = withoutChip(resolveTopology('fattree:3,3,1'), 4);
    for (const root of collectiveFacts[kind].rooted ? [0, 2, 4, 7] : [0]) {
      expect(proveAll(problem(kind, uneven, { root, inPlace: root > 2 }))).toBeGreaterThan(0);
    }
  });

  it.each(moved)('%s where a chip has lost its way out of the group', (kind) => {
    for (const root of collectiveFacts[kind].rooted ? [0, 4] : [0]) {
      expect(
        proveAll(problem(kind, withoutLink(resolveTopology('sg2260-cards:3'), 4, 'switch 1'), { root })),
      ).toBeGreaterThan(0);
    }
  });

  it.each(moved)('%s over groups of which one is a pair', (kind) => {
    const pair = [2, 2, 2, 2, 2, 2].reduce((left, rank) => withoutChip(left, rank), resolveTopology('dgx1-cluster:2'));
    expect(proveAll(problem(kind, pair), levelsEngine([libraryEngine], [treesEngine]))).toBeGreaterThan(0);
  });

  it.each(kinds)('%s with trees inside the boxes', (kind) => {
    expect(
      proveAll(
        problem(kind, resolveTopology('dgx1-cluster:2'), { root: 3 }),
        levelsEngine([libraryEngine], [treesEngine]),
      ),
    ).toBeGreaterThan(0);
  });

  it('for small messages too', () => {
    for (const kind of kinds)
      expect(proveAll(problem(kind, resolveTopology('dragonfly'), { size: 1024 }))).toBeGreaterThan(0);
  });
});

describe('levels overlap', () => {
  /** The best of the engine's candidates in many bulks. */
  function bestRate(kind: CollectiveKind, topology: Topology, bulks: number): number {
    const of = problem(kind, topology, { inPlace: true });
    const times = candidates(of).map(
      ({ name, build }) => simulate(lower(build(1), { bulks, name }), of.routes, gibibyte).seconds,
    );
    return gibibyte / Math.min(...times) / 1e9;
  }

  // Two boxes: 14/16 of the message enter a GPU over 300 GB/s. Four: 24/32 enter a box over 8 · 25 GB/s. In sequence it would
  // be 28/16/300 + 2/16/25 and more of it.
  it.each<[CollectiveKind, string, number]>([
    ['allgather', 'a100:2', (16 / 14) * 300],
    ['reducescatter', 'a100:2', (16 / 14) * 300],
    ['allreduce', 'a100:2', (8 / 14) * 300],
    ['allgather', 'a100:4', (32 / 24) * 200],
    ['reducescatter', 'a100:4', (32 / 24) * 200],
    ['allreduce', 'a100:4', (16 / 24) * 200],
    ['broadcast', 'a100:2', 200],
    ['reduce', 'a100:2', 200],
    ['scatter', 'a100:4', (32 / 24) * 200],
    ['gather', 'a100:4', (32 / 24) * 200],
    ['allgather', 'sg2260-cards', 2 * 32],
  ])('%s on %s reaches %f GB/s but for the ends of the pipeline', (kind, spec, rate) => {
    const reached = bestRate(kind, resolveTopology(spec), 256);
    expect(reached).toBeLessThanOrEqual(rate * (1 + 1e-9));
    expect(reached).toBeGreaterThan(0.98 * rate);
  });

  // Seven chips of one box reach the others: through these leaves what the 7 or 8 of the box have, and enters what the other 24 have.
  it.each<[CollectiveKind, string, Topology, number]>([
    ['allgather', 'chip', withoutChip(resolveTopology('a100:4'), 9), (31 / 24) * 175],
    ['reducescatter', 'chip', withoutChip(resolveTopology('a100:4'), 9), (31 / 24) * 175],
    ['allreduce', 'chip', withoutChip(resolveTopology('a100:4'), 9), (16 / 24) * 175],
    ['broadcast', 'chip', withoutChip(resolveTopology('a100:2'), 9), 175],
    ['allgather', 'link', withoutLink(resolveTopology('a100:4'), 9, 'switch 4'), (32 / 24) * 175],
    ['allreduce', 'link', withoutLink(resolveTopology('a100:4'), 9, 'switch 4'), (16 / 24) * 175],
    ['reduce', 'link', withoutLink(resolveTopology('a100:2'), 9, 'switch 2'), 175],
  ])('%s on boxes of which one has lost a %s uses all that is left', (kind, _, topology, rate) => {
    const reached = bestRate(kind, topology, 128);
    expect(reached).toBeLessThanOrEqual(rate * (1 + 1e-9));
    expect(reached).toBeGreaterThan(0.85 * rate);
  });

  it('a small allgather takes its messages one after the other: one across, one within', () => {
    const of = problem('allgather', resolveTopology('a100:2'), { size: 16 });
    const times = candidates(of).map(
      ({ name, build }) => simulate(lower(build(1), { bulks: 1, name }), of.routes, 16).seconds,
    );
    // 5 µs over the fabric, 1 µs over the NVSwitch; 7 messages of 2 bytes leave a GPU there.
    expect(Math.min(...times)).toBeCloseTo(6e-6 + 1 / 25e9 + 14 / 300e9, 15);
  });
});

describe('the engine', () => {
  const boxes = resolveTopology('a100:2');

  it.each<[string, Problem, RegExp]>([
    ['operators that keep rank order', problem('allreduce', boxes, { ordered: true }), /rank order/],
    ['scans', problem('scan', boxes), /rank order/],
    ['machines without groups', problem('allgather', resolveTopology('ring:8')), /no groups/],
    ['shards for all from all over groups of different sizes', problem('alltoall', withoutChip(boxes, 0)), /sizes/],
    ['barriers', problem('barrier', boxes), /barrier/],
  ])('dismisses %s', (_, of, reason) => {
    expect(candidates(of)).toEqual([]);
    expect(reasons(of)).toEqual([expect.stringMatching(reason)]);
  });

  it('leaves algorithms with a name to the library', () => {
    expect([...engine.propose(problem('allgather', boxes, { algorithm: 'ring' }))]).toEqual([]);
  });

  it('uses the chunks that are asked for, or says which it needs', () => {
    const asked = candidates(problem('allreduce', boxes, { chunks: 32 }));
    expect(asked.map(({ build }) => build(1).collective.chunks)).toEqual(asked.map(() => 32));
    const odd = problem('allreduce', boxes, { chunks: 7 });
    expect(reasons(odd).some((reason) => /multiple of 8 chunks per shard, not 7/.test(reason))).toBe(true);
    for (const { build } of candidates(odd)) expect(build(1).collective.chunks).toBe(7);
  });

  it('proposes the same again', () => {
    const once = (kind: CollectiveKind) =>
      candidates(problem(kind, boxes)).map(({ name, build }) => [name, build(1).steps]);
    for (const kind of kinds) expect(once(kind)).toEqual(once(kind));
  });

  it('keeps levels in channels of their own', () => {
    for (const { name, build } of candidates(problem('allreduce', boxes))) {
      const { steps } = build(1);
      const levelOf = new Map<number, boolean>();
      for (let t = 0; t < steps.transferCount; t++) {
        if (steps.source[t] === steps.destination[t]) continue;
        const within = Math.floor(steps.source[t] / 8) === Math.floor(steps.destination[t] / 8);
        const channel = steps.channel[t];
        expect(levelOf.get(channel) ?? within, `${name}, channel ${channel}`).toBe(within);
        levelOf.set(channel, within);
      }
      expect(levelOf.size).toBeGreaterThan(1);
    }
  });
});
