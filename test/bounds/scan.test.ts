/** Scans: what must cross a cut whose sides are interleaved, by trying everything; closed forms; plans that try to beat them. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { bytesBetween } from '../../src/bounds/needs.ts';
import { valuesBetween } from '../../src/certificates/demands.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { questionOf } from '../../src/certificates/question.ts';
import { Routes } from '../../src/ir/routes.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { simulate } from '../../src/model/index.ts';
import { full, line, link, machine, ring, star } from '../model/machines.ts';
import { chainScan, collective } from '../model/plans.ts';

/** All values (sets of ranks, as bits) that come of these by reducing values that have no contribution in common. */
function reducible(values: ReadonlySet<number>): Set<number> {
  const all = new Set(values);
  for (const value of all) for (const other of values) if ((value & other) === 0) all.add(value | other);
  return all;
}

/** Whether ranks outside can have their results if so many values are sent to them, whatever is sent to and fro otherwise. */
function suffices(ranks: number, inside: number, messages: number): boolean {
  const everyone = Array.from({ length: ranks }, (_, rank) => rank);
  const targets = everyone.filter((rank) => (inside >> rank) % 2 === 0);
  const reaches = (outside: ReadonlySet<number>, left: number): boolean => {
    if (targets.every((rank) => outside.has(2 ** (rank + 1) - 1))) return true;
    if (left === 0) return false;
    const both = reducible(new Set([...outside, ...everyone.map((rank) => 1 << rank)]));
    return [...both].some((value) => !outside.has(value) && reaches(reducible(new Set([...outside, value])), left - 1));
  };
  return reaches(reducible(new Set(targets.map((rank) => 1 << rank))), messages);
}

describe('values of a scan over a cut', () => {
  it.each([2, 3, 4, 5])('of %i ranks: as many as are needed, and no fewer would do', (ranks) => {
    const scan = collective('scan', ranks);
    for (let inside = 1; inside < 2 ** ranks - 1; inside++) {
      const everyone = Array.from({ length: ranks }, (_, rank) => rank);
      const sources = everyone.filter((rank) => (inside >> rank) % 2 === 1);
      const targets = everyone.filter((rank) => (inside >> rank) % 2 === 0);
      const values = bytesBetween(scan, 1, sources, targets);
      expect(valuesBetween(questionOf(scan, full(ranks), 1), new Set(sources), targets)).toBe(values);
      expect(suffices(ranks, inside, values)).toBe(true);
      if (values > 0) expect(suffices(ranks, inside, values - 1)).toBe(false);
    }
  });

  it('of six ranks in turn are three', () => {
    expect(bytesBetween(collective('scan', 6), 1, [0, 2, 4], [1, 3, 5])).toBe(3);
    expect(bytesBetween(collective('exscan', 6), 1, [0, 2, 4], [1, 3, 5])).toBe(3);
    expect(bytesBetween(collective('scan', 6), 1, [1, 3, 5], [0, 2, 4])).toBe(2);
    expect(suffices(6, 0b010101, 2)).toBe(false);
  });
});

/** A grid of rows × columns, ranks row by row. */
function mesh(rows: number, columns: number): Topology {
  const at = (row: number, column: number) => row * columns + column;
  const pairs = Array.from({ length: rows * columns }, (_, rank) => {
    const [row, column] = [Math.floor(rank / columns), rank % columns];
    return [
      ...(column + 1 < columns ? [[rank, at(row, column + 1)]] : []),
      ...(row + 1 < rows ? [[rank, at(row + 1, column)]] : []),
    ];
  }).flat();
  return machine(
    rows * columns,
    pairs.flatMap(([a, b]) => [link(a, b), link(b, a)]),
  );
}

function hypercube(dimensions: number): Topology {
  const links = Array.from({ length: 2 ** dimensions }, (_, rank) =>
    Array.from({ length: dimensions }, (_, bit) => link(rank, rank ^ (1 << bit))),
  );
  return machine(2 ** dimensions, links.flat());
}

describe('cuts of scans that nothing is tighter than', () => {
  const size = 2 ** 30;
  /** Links of 8 bytes a second: seconds in units of M/β. */
  const inUnits = (topology: Topology) => {
    const scan = collective('scan', ranksOf(topology));
    const { certificates } = lowerBound(scan, topology, size);
    for (const certificate of certificates) expect(checkCertificate(certificate, scan, topology, size)).toBe(true);
    const tightest = certificates.find(({ kind }) => kind === 'cut' || kind === 'stretches');
    return (tightest?.seconds ?? 0) / (size / 8);
  };

  it.each([
    // Half of each row needs a value for each row of the other half, over one link of the row.
    ['mesh:4x4', mesh(4, 4), 1],
    ['mesh:3x6', mesh(3, 6), 1],
    // Even ranks against odd ones: N/2 values over N/2 links.
    ['hypercube:4', hypercube(4), 1],
    ['hypercube:6', hypercube(6), 1],
    ['line:8', line(8), 1],
    // N/2 values over the ports of N/2 ranks.
    ['switch:8', star(8), 1],
    // N/2 values over (N/2)² links, or one over the N − 1 links of a chip.
    ['full:8', full(8), 1 / 4],
  ])('are found on %s', (_, topology, units) => {
    expect(inUnits(topology)).toBeCloseTo(units, 6);
  });

  it('are not beaten by a chain', () => {
    for (const topology of [line(6), ring(6), full(6), star(6), mesh(2, 3)]) {
      for (const bytes of [0, 100, 10_000, 1_000_000]) {
        for (const bulks of [1, 4, 32]) {
          const plan = { ...chainScan(6), bulks };
          const { seconds } = simulate(plan, new Routes(topology), bytes);
          expect(lowerBound(plan.collective, topology, bytes).seconds).toBeLessThanOrEqual(seconds * (1 + 1e-9));
        }
      }
    }
  });
});
