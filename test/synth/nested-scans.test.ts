/** Scans of nested runs: right for all sizes of runs, as short as their closed forms, and sparing with the links between boxes. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology, withoutChip, withoutLink } from '../../src/read/index.ts';
import { type Candidate, engines } from '../../src/synth/index.ts';
import { nestedScan } from '../../src/synth/scans/nested.ts';
import { consecutiveBoxes, outwards } from '../../src/synth/scans/runs.ts';
import { collectiveOf } from '../collectives.ts';
import { problemOn, provedSeconds, type Wanted } from './list/support.ts';
import { candidatesAmong } from './problems.ts';

const kinds = ['scan', 'exscan'] as const;
const ways = ['direct', 'chain'] as const;

function nestedOn(machine: string | Topology, wanted: Wanted): Candidate[] {
  const engine = engines.find(({ name }) => name === 'scans');
  const proposals = [...(engine?.propose(problemOn(machine, wanted)) ?? [])];
  return candidatesAmong(proposals).filter(({ name }) => name.startsWith('nested'));
}

describe('scans of nested runs', () => {
  it('are right for runs and shares of any size, in place and out of place', () => {
    const random = new Random(11);
    for (let round = 0; round < 40; round++) {
      const ranks = 2 + random.below(14);
      const starts = Array.from({ length: ranks }, (_, rank) => rank).filter(
        (rank) => rank === 0 || random.below(3) === 0,
      );
      const within = round % 2 === 0 ? 'flat' : 'halved';
      const weights = Float64Array.from({ length: ranks }, () => random.below(3));
      for (const start of starts) weights[start] = 1;
      const nesting = {
        name: 'nested',
        starts,
        within,
        across: ways[round % 4 < 2 ? 0 : 1],
        parts: 1,
        weights,
      } as const;
      const target = { inPlace: random.below(2) === 0, chunks: 1 + random.below(20) };
      for (const kind of kinds) {
        const collective = { ...collectiveOf(kind, ranks), ...target };
        expect(provedSeconds(nestedScan(nesting, collective), `full:${ranks}`)).toBeGreaterThan(0);
      }
    }
  });

  it('by halves take 2L − 1 messages in a row, and (2 − 2/N)M of bytes', () => {
    // Without reductions on one port: up and down, levels of M/2, M/4 … 2M/N, and 2M/N across.
    const [size, latency, bandwidth] = [2 ** 16, 1e-6, 10e9];
    for (const levels of [2, 3, 4, 5]) {
      const ranks = 2 ** levels;
      const machine = resolveTopology(`switch:${ranks}`);
      const free = { ...machine, nodes: machine.nodes.map((node) => ({ ...node, reduce: undefined })) };
      const [halves] = nestedOn(free, { kind: 'exscan', size });
      expect(halves.name).toBe('nested halves');
      const expected = (2 * levels - 1) * latency + ((2 - 2 / ranks) * size) / bandwidth;
      expect(provedSeconds(halves.build(1), free, size)).toBeCloseTo(expected, 12);
    }
  });

  it('by halves keep in step where chips cannot send while they reduce', () => {
    const [halves] = nestedOn('hypercube:6', { kind: 'scan', size: 2 ** 16 });
    const { inStep, ...hasty } = halves.build(1);
    expect(inStep).toBe(true);
    const seconds = provedSeconds({ ...hasty, inStep: true }, 'hypercube:6', 2 ** 16);
    expect(provedSeconds(hasty, 'hypercube:6', 2 ** 16) / seconds).toBeGreaterThan(1.2);
  });

  it('by halves of other sizes take less than twice what the power of two below takes', () => {
    const size = 2 ** 16;
    const secondsOn = (ranks: number) => {
      const [halves] = nestedOn(`switch:${ranks}`, { kind: 'scan', size });
      return provedSeconds(halves.build(1), `switch:${ranks}`, size);
    };
    const least = secondsOn(32);
    for (const ranks of [33, 36, 40, 44, 52, 63]) expect(secondsOn(ranks) / least).toBeLessThan(1.75);
  });

  /** Chunks that ranks send to ranks of other boxes, by sender. */
  function sentAcross({ steps, collective }: Schedule, boxOf: (rank: number) => number): Float64Array {
    const sent = new Float64Array(collective.ranks);
    for (let t = 0; t < steps.transferCount; t++) {
      const { source, destination, pieces } = steps.transfer(t);
      if (boxOf(source) === boxOf(destination)) continue;
      sent[source] += pieces.reduce((sum, { count }) => sum + count, 0) / collective.chunks;
    }
    return sent;
  }

  it('by a chain across boxes send every share over its own link to other boxes, once', () => {
    const chain = nestedOn('a100:4', { kind: 'scan', size: 2 ** 30, byName: true }).find(
      ({ name }) => name === 'nested (at once within, chain across)',
    );
    const sent = sentAcross(chain?.build(1) ?? expect.fail('no chain'), (rank) => rank >> 3);
    expect([...sent]).toEqual(Array.from({ length: 32 }, (_, rank) => (rank < 24 ? 1 / 8 : 0)));
  });

  it('share what goes across among the chips that still have links of their own', () => {
    const broken = withoutLink(resolveTopology('a100:4'), 10, 'switch 4');
    const routes = new Routes(broken);
    const boxes = consecutiveBoxes(routes) ?? expect.fail('no boxes');
    expect(
      [...outwards(routes, boxes)].map((weight, rank) => (weight === 0 ? rank : -1)).filter((r) => r >= 0),
    ).toEqual([10]);
    const [chain] = nestedOn(broken, { kind: 'exscan', size: 2 ** 30, byName: true }).filter(({ name }) =>
      name.includes('at once within, chain'),
    );
    const sent = sentAcross(chain.build(1), (rank) => rank >> 3);
    expect([...sent.subarray(8, 16)]).toEqual(
      [1 / 7, 1 / 7, 0, 1 / 7, 1 / 7, 1 / 7, 1 / 7, 1 / 7].map((part) => expect.closeTo(part, 9)),
    );
    expect(provedSeconds(chain.build(1), broken)).toBeGreaterThan(0);
  });

  it('are made for boxes that lost a chip, and not for groups that are no runs of ranks', () => {
    const boxes = consecutiveBoxes(new Routes(withoutChip(resolveTopology('a100:3'), 12)));
    expect(boxes?.map((box) => [box[0], box.length])).toEqual([
      [0, 8],
      [8, 7],
      [15, 8],
    ]);
    const mixed = {
      ...resolveTopology('full:4'),
      groups: [
        [0, 2],
        [1, 3],
      ],
    };
    expect(consecutiveBoxes(new Routes(mixed))).toBeUndefined();
  });

  it('leave halves of short vectors to others', () => {
    expect(nestedOn('hypercube:3', { kind: 'scan', size: 1024 })).toEqual([]);
    expect(nestedOn('hypercube:3', { kind: 'scan', size: 1024, byName: true })).not.toEqual([]);
  });
});
