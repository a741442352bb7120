/** Messages that are handed on in turns: pipelines of all sizes of messages by trying them, and least times where everything was tried. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { optimum } from '../certificates/optima.ts';
import { collectiveOf } from '../collectives.ts';
import { full, line, link, machine } from '../model/machines.ts';

/** A root, a chip next to it, and so many leaves behind that one that nothing can be sent to all of them straight from the root. */
function broom(latency: number, lastLatency: number, bandwidth: number, lastBandwidth: number): Topology {
  const handle = { latency, bandwidth };
  const bristle = { latency: lastLatency, bandwidth: lastBandwidth };
  const leaves = Array.from({ length: 24 }, (_, leaf) => leaf + 2);
  const links = leaves.flatMap((leaf) => [link(1, leaf, bristle), link(leaf, 1, bristle)]);
  return machine(26, [link(0, 1, handle), link(1, 0, handle), ...links]);
}

/** All ways to write a number as a sum of so many that are more than 0. */
function* parts(whole: number, count: number): Generator<readonly number[]> {
  if (count === 1) yield [whole];
  for (let first = 1; count > 1 && first <= whole - count + 1; first++)
    for (const others of parts(whole - first, count - 1)) yield [first, ...others];
}

/** When the last message ends behind two links in a row, each of which is handed on when it has ended. */
function pipeline(sizes: readonly number[], latencies: readonly number[], bandwidths: readonly number[]): number {
  let [over, behind] = [0, 0];
  for (const size of sizes) {
    over += latencies[0] + size / bandwidths[0];
    behind = Math.max(over, behind) + latencies[1] + size / bandwidths[1];
  }
  return behind;
}

function handedOn(kind: CollectiveKind, topology: Topology, size: number): number {
  const target = collectiveOf(kind, ranksOf(topology), { ordered: kind === 'scan' });
  const found = lowerBound(target, topology, size).certificates.find(
    (certificate) => certificate.kind === 'handing-on',
  );
  if (found === undefined) return 0;
  const judged = [1, 1.0001].map((times) =>
    checkCertificate({ ...found, seconds: found.seconds * times }, target, topology, size),
  );
  expect(judged).toEqual([true, false]);
  return found.seconds;
}

describe('over two links in a row', () => {
  it.each([
    [1, 1, 1, 1, 1],
    [2, 1, 1, 1, 0.98],
    [1, 2, 1, 1, 0.98],
    [1, 1, 2, 1, 0.97],
    [1, 1, 1, 2, 0.97],
    [1, 3, 4, 1, 0.96],
  ])('of latencies %d and %d and bandwidths %d and %d it is what the best pipeline takes, or little less', (...of) => {
    const [first, last, rate, lastRate, part] = of;
    const topology = broom(first, last, rate, lastRate);
    const whole = 12;
    const tried = [1, 2, 3, 4, 5, 6].flatMap((count) =>
      [...parts(whole, count)].map((sizes) => pipeline(sizes, [first, last], [rate, lastRate])),
    );
    const least = tried.reduce((a, b) => Math.min(a, b));
    const bound = handedOn('broadcast', topology, whole);
    expect(bound).toBeLessThanOrEqual(least * (1 + 1e-9));
    expect(bound).toBeGreaterThanOrEqual(least * part * (1 - 1e-9));
    expect(handedOn('reduce', topology, whole)).toBeCloseTo(bound, 9);
  });
});

describe('against the least time in whole chunks', () => {
  const ports = { send: 1, receive: 1 };

  it.each([
    ['broadcast', full(3, { ports }), 32, 0.88],
    ['broadcast', full(3, { ports }), 96, 0.85],
    ['broadcast', line(3, {}), 96, 0],
    ['reduce', full(3, { ports }), 32, 0.79],
    ['scan', full(3, { ports }), 32, 0.79],
  ] as const)('%s %#', (kind, topology, size, part) => {
    const target = collectiveOf(kind, 3, { ordered: kind === 'scan' });
    const least = [1, 2].map((chunks) => optimum(target, topology, size, chunks, { most: 20_000 }) ?? Infinity);
    const bound = handedOn(kind, topology, size);
    expect(bound).toBeLessThanOrEqual(Math.min(...least));
    expect(bound).toBeGreaterThan(Math.min(...least) * part);
  });
});

it('says nothing where messages cost no time of their own, and no more than a message takes that goes straight', () => {
  expect(handedOn('broadcast', broom(0, 0, 1, 1), 12)).toBe(0);
  expect(handedOn('broadcast', line(2), 12)).toBeCloseTo(1 + 12 / 8, 9);
});
