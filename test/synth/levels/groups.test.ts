/** Boxes: declared ones, and those that slower links give away. */
import { describe, expect, it } from 'vitest';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology, withoutChip } from '../../../src/read/index.ts';
import { detectGroups, topologyGroups } from '../../../src/synth/levels/groups.ts';

/** A machine from the body of its file. */
function machine(body: string): Topology {
  const text = `format: ccc-topology\nversion: 1\nname: test\n${body}`;
  return resolveTopology('test.yaml', { read: () => ({ name: 'test.yaml', text }) });
}

/** Two boxes of three chips, all linked inside, chips 0 and 3 linked across. */
const twoBoxes = (inside: string, across: string): string => `chips: 6
links:
  - for: [ box in 0 .. 1, a in 0 .. 2, b in a+1 .. 2 ]
    duplex: 3 * box + a <-> 3 * box + b
    ${inside.replaceAll('; ', '\n    ')}
  - duplex: 0 <-> 3
    ${across.replaceAll('; ', '\n    ')}
`;
const boxes = [
  [0, 1, 2],
  [3, 4, 5],
];

describe('declared groups', () => {
  it('are taken as they are, whatever their sizes', () => {
    expect(topologyGroups(resolveTopology('a100:2'))).toEqual({
      groups: [0, 8].map((first) => Array.from({ length: 8 }, (_, p) => first + p)),
    });
    expect(topologyGroups(withoutChip(resolveTopology('fattree:2,3,1'), 0)).groups).toEqual([
      [0, 1],
      [2, 3, 4],
    ]);
  });

  it.each([
    ['one group', resolveTopology('a100:1'), /one group/],
    [
      'single ranks',
      machine(
        `${twoBoxes('latency: 1 us; bandwidth: 1 GB/s', 'latency: 1 us; bandwidth: 1 GB/s')}groups: [[0],[1],[2],[3],[4],[5]]\n`,
      ),
      /single/,
    ],
    [
      'ranks left out',
      machine(
        `${twoBoxes('latency: 1 us; bandwidth: 1 GB/s', 'latency: 1 us; bandwidth: 1 GB/s')}groups: [[0,1],[2,3]]\n`,
      ),
      /2 ranks are in no group/,
    ],
    ['none, and none found', resolveTopology('ring:6'), /no groups are declared/],
  ])('are refused: %s', (_, topology, reason) => {
    const found = topologyGroups(topology);
    expect(found.groups).toBeUndefined();
    expect('reason' in found && found.reason).toMatch(reason);
  });
});

describe('groups that are found', () => {
  it.each([
    ['less bandwidth', twoBoxes('latency: 1 us; bandwidth: 50 GB/s', 'latency: 1 us; bandwidth: 12.5 GB/s')],
    ['more latency', twoBoxes('latency: 1 us; bandwidth: 50 GB/s', 'latency: 5 us; bandwidth: 50 GB/s')],
    ['both', twoBoxes('latency: 1 us; bandwidth: 50 GB/s', 'latency: 5 us; bandwidth: 12.5 GB/s')],
  ])('are joined by links of %s', (_, body) => {
    expect(detectGroups(machine(body))).toEqual(boxes);
  });

  it.each(['a100:2', 'a100:4', 'dgx1-cluster:3', 'dgx2:2', 'mi250:2', 'sg2260-cards:2'])(
    'are the boxes of %s',
    (spec) => {
      const topology = resolveTopology(spec);
      expect(detectGroups({ ...topology, groups: [] })).toEqual(topology.groups);
    },
  );

  it('hold together by at least twice the bandwidth that joins them', () => {
    // Within its box every chip has 2 · 50 GB/s; here it also has a link of its own to the other box.
    const ladder = (gigabytes: number): string =>
      twoBoxes('latency: 1 us; bandwidth: 50 GB/s', `latency: 1 us; bandwidth: ${gigabytes} GB/s`).replace(
        '- duplex: 0 <-> 3',
        '- for: a in 0 .. 2\n    duplex: a <-> a + 3',
      );
    expect([20, 49].map((gigabytes) => detectGroups(machine(ladder(gigabytes))))).toEqual([boxes, boxes]);
    expect(detectGroups(machine(ladder(50)))).toBeUndefined();
  });

  it('are as far apart as twice the latency inside', () => {
    const apart = (latency: string): string =>
      twoBoxes('latency: 1 us; bandwidth: 50 GB/s', `latency: ${latency}; bandwidth: 50 GB/s`);
    expect(detectGroups(machine(apart('1.9 us')))).toBeUndefined();
    expect(detectGroups(machine(apart('2 us')))).toEqual(boxes);
  });

  it('are not single chips, and there are none where all links are alike', () => {
    const star = `chips: 4
link: { latency: 1 us, bandwidth: 10 GB/s }
links:
  - { duplex: 0 <-> 1, bandwidth: 50 GB/s }
  - duplex: 1 <-> 2
  - duplex: 2 <-> 3
`;
    expect(detectGroups(machine(star))).toBeUndefined();
    for (const spec of [
      ...['torus:4x4', 'hypercube:3', 'full:5', 'switch:6', 'dgx1', 'sg2260x4', 'sg2260x8', 'line:4', 'tree:7'],
      ...['mesh:3x3', 'routed-line', 'ring:1'],
    ]) {
      expect(detectGroups(resolveTopology(spec)), spec).toBeUndefined();
    }
  });
});
