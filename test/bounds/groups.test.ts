/** Bounds of several groups of ranks at once: closed forms, all cuts of small machines, named collectives spelled out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { improvedSides } from '../../src/bounds/cuts/improved-sides.ts';
import { lowerBound } from '../../src/bounds/index.ts';
import { bytesBetween, bytesReduced, messageBytesInAll } from '../../src/bounds/needs.ts';
import { messagesInAll, reductionsInAll } from '../../src/certificates/demands.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { questionOf } from '../../src/certificates/question.ts';
import type { Collective, CollectiveKind } from '../../src/ir/collective.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { jointCollective } from '../../src/lower/index.ts';
import { drawn } from '../draw.ts';
import { line, link, machine, ring } from '../model/machines.ts';
import { collective } from '../model/plans.ts';

const bandwidth = 8;
const kinds = [
  ...(['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce'] as const),
  ...(['scatter', 'gather', 'alltoall', 'scan', 'exscan'] as const),
];

function inGroups(kind: CollectiveKind, groups: readonly (readonly number[])[], ranks: number): Collective {
  return jointCollective(
    groups.map((group) => ({ collective: collective(kind, group.length), group })),
    ranks,
  );
}

/** A torus of two dimensions without latency. */
function torus(side: number): Topology {
  const at = (row: number, column: number): number => (row % side) * side + (column % side);
  const links = Array.from({ length: side * side }, (_, chip) => {
    const [row, column] = [Math.floor(chip / side), chip % side];
    return [at(row, column + 1), at(row + 1, column)].flatMap((to) => [
      link(chip, to, { latency: 0 }),
      link(to, chip, { latency: 0 }),
    ]);
  });
  return machine(side * side, links.flat());
}

const quadrants = [
  [0, 1, 4, 5],
  [2, 3, 6, 7],
  [8, 9, 12, 13],
  [10, 11, 14, 15],
];

describe('groups that share a machine', () => {
  it.each([
    // Chips 1, 2, 13 and 14 are neighbours, one of each quadrant: 12 shards must come to them over 8 links from their own quadrants.
    ['allgather', 12 / 4 / 8],
    ['reducescatter', 12 / 4 / 8],
    // Four such parts, which each group must join with 3 messages up and 3 down, over 32 links.
    ['allreduce', (4 * 2 * 3) / 32],
  ] as const)('%s in the quadrants of a torus: links between quadrants are of no use', (kind, seconds) => {
    const topology = torus(4);
    const joint = inGroups(kind, quadrants, 16);
    const bound = lowerBound(joint, topology, bandwidth);
    expect(bound.seconds).toBeCloseTo(seconds, 9);
    for (const certificate of bound.certificates) {
      expect(checkCertificate(certificate, joint, topology, bandwidth), certificate.reason).toBe(true);
      if (certificate.seconds > 0) {
        const more = { ...certificate, seconds: certificate.seconds * 1.001 };
        expect(checkCertificate(more, joint, topology, bandwidth), certificate.reason).toBe(false);
      }
    }
  });

  it('reducing counts as well: three pairs on a ring each exchange both ways and reduce', () => {
    // Of 6M to send over 12 links, at 8 B/s each, 2 links of a chip are idle while it reduces one of the 3M at 4 B/s.
    const topology = ring(6, { latency: 0, bandwidth, reduce: { throughput: 4, overlap: false } });
    const pairs = [
      [0, 1],
      [2, 3],
      [4, 5],
    ];
    const { certificates } = lowerBound(inGroups('allreduce', pairs, 6), topology, 48);
    const both = certificates.filter(({ kind }) => kind === 'stopped-links');
    expect(both.map(({ seconds }) => seconds)).toEqual(
      both.map(() => expect.closeTo((6 * 48) / 96 + (3 * 48) / 24, 9)),
    );
    expect(both).toHaveLength(2);
  });

  it('cuts: as tight as the tightest of all', () => {
    const setting = fc.record({
      kind: fc.constantFrom(...(['allgather', 'reducescatter', 'allreduce', 'broadcast', 'alltoall'] as const)),
      chips: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }),
      first: fc.integer({ min: 2, max: 4 }),
      bandwidths: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 14, maxLength: 14 }),
      chords: fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 6 })), { maxLength: 4 }),
    });
    // No side that is improved node by node or by exchanges from the starts that are tried comes to the tightest.
    const hardest = {
      kind: 'allgather' as const,
      chips: [3, 1, 0, 5, 6, 4, 2],
      first: 2,
      bandwidths: [3, 2, 1, 1, 1, 1, 2, 1, 2, 2, 1, 1, 1, 2],
      chords: [[6, 5] satisfies [number, number]],
    };
    fc.assert(
      fc.property(setting, ({ kind, chips, first, bandwidths, chords }) => {
        const ends = [...chips.keys()].map((chip) => [chip, (chip + 1) % 7]);
        const chorded = chords.map(([from, step]) => [from, (from + step) % 7]);
        const links = [...ends, ...ends.map(([a, b]) => [b, a])].map(([a, b], i) =>
          link(a, b, { bandwidth: bandwidths[i] }),
        );
        const topology = machine(7, [...links, ...chorded.map(([a, b]) => link(a, b))]);
        const joint = inGroups(kind, [chips.slice(0, first), chips.slice(first, 7)], 7);
        const rate = (inside: (rank: number) => boolean): number => {
          const crossing = topology.links.filter(({ from, to }) => inside(from) && !inside(to));
          const ranks = [...chips.keys()];
          const bytes = bytesBetween(
            joint,
            1,
            ranks.filter(inside),
            ranks.filter((rank) => !inside(rank)),
          );
          return bytes / crossing.reduce((sum, each) => sum + each.bandwidth, 0);
        };
        let tightest = 0;
        for (let set = 1; set < 2 ** 7 - 1; set++)
          tightest = Math.max(
            tightest,
            rate((rank) => (set >> rank) % 2 === 1),
          );
        const [{ inside }] = improvedSides(joint, topology);
        expect(rate((rank) => inside[rank] === 1)).toBeCloseTo(tightest, 9);
      }),
      { ...drawn(60), examples: [[hardest]] },
    );
  });
});

describe('a named collective spelled out', () => {
  it.each(kinds)('%s: takes as many messages and reductions', (kind) => {
    const named = collective(kind, 5, 2);
    const custom = jointCollective([{ collective: named, group: [0, 1, 2, 3, 4] }], 5);
    const asked = (of: Collective) => questionOf(of, line(5), 1);
    expect(messageBytesInAll(custom, 60)).toBeCloseTo(messageBytesInAll(named, 60), 9);
    expect(messagesInAll(asked(custom))).toBeCloseTo(messagesInAll(asked(named)), 9);
    expect(bytesReduced(custom, 60)).toBeCloseTo(bytesReduced(named, 60), 9);
    expect(reductionsInAll(asked(custom))).toBeCloseTo(reductionsInAll(asked(named)), 9);
  });

  it('an allreduce has the same bounds from lengths', () => {
    const topology = line(5, { latency: 2, bandwidth, reduce: { throughput: 4, overlap: false } });
    const named = collective('allreduce', 5);
    const custom = jointCollective([{ collective: named, group: [0, 1, 2, 3, 4] }], 5);
    const byLengths = (of: Collective) =>
      lowerBound(of, topology, 480).certificates.filter(({ kind }) => kind === 'spans');
    const best = (of: Collective) => byLengths(of).map(({ seconds }) => expect.closeTo(seconds, 9));
    expect(byLengths(custom).map(({ seconds }) => seconds)).toEqual(best(named));
    expect(byLengths(custom).length).toBeGreaterThan(0);
  });
});
