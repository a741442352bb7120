/** Process groups: one group of a machine, several at once, what they lose to one another, what is refused. */
import { describe, expect, it } from 'vitest';
import {
  type CollectiveKind,
  type CompileRequest,
  planJson,
  readPlan,
  resolveTopology,
  searchDefaults,
  searchPlan,
  type Topology,
  verifyPlan,
} from '../../src/index.ts';
import { Routes } from '../../src/ir/routes.ts';
import { compileGroups } from '../../src/process-groups/groups.ts';
import { parseGroups, withGroup, withGroupAmong, withOverlap } from '../../src/read/index.ts';
import { dataKinds } from '../collectives.ts';
import { testFactor, testSeed } from '../draw.ts';
import { listsOf } from '../ir/custom-lists.ts';

const MiB = 2 ** 20;
/** Of the parametric topologies: 1 µs and 10 GB/s a link. */
const latency = 1e-6;
const bandwidth = 10e9;

function requestFor(kind: CollectiveKind, topology: Topology, changes: Partial<CompileRequest> = {}): CompileRequest {
  const collective = {
    ...{ kind, ranks: topology.chips.length, chunks: 1, root: 0 },
    ...({ op: 'sum', ordered: false, inPlace: false } as const),
  };
  return { ...searchDefaults, collective, topology, size: 8 * MiB, engine: 'library', ...changes };
}

function inGroups(
  kind: CollectiveKind,
  topo: string,
  groups: readonly (readonly number[])[],
  changes: Partial<CompileRequest> = {},
) {
  return compileGroups(requestFor(kind, resolveTopology(topo), changes), groups);
}

describe('engines that are tried beside others', () => {
  it.each([
    ['reduce', [[3], [1, 6], [5, 7, 2, 0, 4]], {}],
    [
      'allreduce',
      [
        [0, 3, 5],
        [1, 2, 4, 6, 7],
      ],
      { ordered: true },
    ],
  ] as const)('need not have a plan for each group of a %s', (kind, groups, more) => {
    const request = requestFor(kind, resolveTopology('sg2260x8'), { engine: 'auto', size: 64 * MiB });
    const { bundle } = compileGroups({ ...request, collective: { ...request.collective, ...more } }, groups);
    expect(bundle.proved.verification.verdict).toBe('correct');
  });
});

describe('groups whose messages would be cut into numbers of chunks with no small common multiple', () => {
  it('are cut alike: five and seven chips of a torus had a plan of millions of chunks', () => {
    const groups = [
      [0, 1, 2, 3, 4],
      [5, 6, 7, 8, 9, 10, 11],
    ];
    const { bundle } = inGroups('exscan', 'torus:3x4', groups, { engine: 'auto', size: 3 * 2 ** 30 });
    const { collective } = bundle.proved.plan;
    expect(bundle.proved.verification.verdict).toBe('correct');
    expect(collective.chunks).toBeLessThanOrEqual(1024);
  });
});

describe('one group of a machine', () => {
  it('sends over the chips between', () => {
    const topology = withGroupAmong(resolveTopology('ring:8'), [0, 4]);
    const { bundle } = searchPlan(requestFor('allgather', topology));
    // Half of M each way, four links, cut through: 4α + (M/2)/β.
    expect(bundle.cost.seconds).toBeCloseTo(4 * latency + (4 * MiB) / bandwidth, 12);
    expect(bundle.cost.stretch).toBe(4);
    expect(bundle.proved.plan.collective.ranks).toBe(2);
  });

  it('has its ranks in the order in which its chips are named', () => {
    const topology = withGroupAmong(resolveTopology('line:4'), [3, 0, 1]);
    const { bundle } = searchPlan(requestFor('broadcast', topology, { size: 0 }));
    expect(topology.chips).toEqual([3, 0, 1]);
    // From chip 3 to chip 0.
    expect(bundle.bound.seconds).toBeCloseTo(3 * latency, 12);
  });

  it('is held against what the routes between its chips can carry', () => {
    // Four of a torus's row of eight are a line: the chip at its end takes three shards in over one link, where the torus has four.
    const row = withGroup(resolveTopology('torus:8x8'), [0, 1, 2, 3]);
    expect(row.links).toHaveLength(6);
    const size = 1024 * MiB;
    const { bundle } = searchPlan(requestFor('allgather', row, { size, engine: 'auto' }));
    expect(bundle.bound.seconds).toBeGreaterThanOrEqual((3 / 4) * (size / bandwidth));
    expect(bundle.bound.seconds / bundle.cost.seconds).toBeGreaterThan(0.99);
  });

  it('takes the routes that it would take if all links were there', () => {
    for (const [topo, group] of [
      ['fattree', [12, 1, 6, 11]],
      ['dgx1-cluster', [8, 3, 10, 12]],
      ['dragonfly', [9, 2, 14]],
      ['mi250', [0, 5, 9]],
    ] as const) {
      const [alone, among] = [withGroup, withGroupAmong].map((of) => new Routes(of(resolveTopology(topo), group)));
      const ends = (routes: Routes, from: number, to: number) =>
        Array.from({ length: routes.choices(from, to) }, (_, channel) =>
          routes
            .between(from, to, channel)
            ?.links.map((link) => [routes.topology.links[link].from, routes.topology.links[link].to]),
        );
      for (const from of group.keys()) {
        for (const to of group.keys()) if (to !== from) expect(ends(alone, from, to)).toEqual(ends(among, from, to));
      }
    }
  });

  it('may be a single chip', () => {
    const topology = withGroupAmong(resolveTopology('ring:8'), [5]);
    expect(searchPlan(requestFor('allreduce', topology)).bundle.cost.seconds).toBe(0);
  });

  it('keeps the declared groups that it has chips of', () => {
    const declared = {
      ...resolveTopology('ring:6'),
      groups: [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
    };
    expect(withGroupAmong(declared, [3, 0, 2]).groups).toEqual([[1], [2, 0]]);
  });
});

describe('several groups at once', () => {
  it.each(dataKinds)('%s: proved, in place and out of place, and again when read', (kind) => {
    for (const inPlace of [false, true]) {
      const topology = resolveTopology('ring:8');
      const request = requestFor(kind, topology, { size: MiB });
      const groups = [[0, 4, 2], [1, 5], [7]];
      const root = 0;
      const { bundle } = compileGroups({ ...request, collective: { ...request.collective, root, inPlace } }, groups);
      const { plan } = readPlan({ name: 'plan.json', text: planJson(bundle) });
      expect(verifyPlan(plan, { topology }).verdict).toBe('correct');
      expect(plan.buffers[3]).toEqual({ input: 0, output: 0, scratch: 0 });
      expect(bundle.bound.seconds).toBeLessThanOrEqual(bundle.cost.seconds * (1 + 1e-9));
    }
  });

  it('are staged where links are shared out and chips cannot send while they reduce', () => {
    const topology = withOverlap(resolveTopology('sg2260x4-ddr'), false);
    const crossed = [
      [0, 2],
      [1, 3],
    ];
    const { bundle } = compileGroups(requestFor('broadcast', topology, { size: MiB, engine: 'auto' }), crossed);
    expect(verifyPlan(bundle.proved.plan, { topology }).verdict).toBe('correct');
    // Half of each message over two links on either side, and each link carries half of both.
    expect(bundle.cost.seconds).toBeGreaterThan(MiB / 64e9);
  });

  it('costs nothing where no link is shared', () => {
    const { bundle, groups } = inGroups('allreduce', 'ring:8', [
      [0, 1],
      [4, 5],
    ]);
    const alone = searchPlan(requestFor('allreduce', withGroupAmong(resolveTopology('ring:8'), [0, 1])));
    expect(bundle.cost.seconds).toBeCloseTo(alone.bundle.cost.seconds, 15);
    expect(groups.map(({ aloneSeconds }) => aloneSeconds)).toEqual([bundle.cost.seconds, bundle.cost.seconds]);
  });

  it.each([
    ['fattree', [12, 1, 6, 11]],
    ['dgx1-cluster', [8, 9, 10, 11, 12, 13, 14, 15]],
    ['dragonfly', [9, 2, 14]],
  ] as const)('takes the routes on %s for which it was compiled alone', (topo, group) => {
    // A group of one sends nothing, so that nothing is in the way.
    const { bundle, groups } = inGroups('alltoall', topo, [group, [3]]);
    expect(bundle.cost.seconds).toBeCloseTo(groups[0].aloneSeconds, 12);
    const used = bundle.cost.links.filter(({ bytes }) => bytes > 0).map(({ link }) => link);
    const alone = searchPlan(requestFor('alltoall', withGroupAmong(resolveTopology(topo), group))).bundle;
    expect(used).toEqual(alone.cost.links.filter(({ bytes }) => bytes > 0).map(({ link }) => link));
  });

  it('shows what sharing a link costs: two pairs over one line take turns', () => {
    // Chips 0 and 2, 1 and 3 on a line: the link from 1 to 2 carries both groups' halves, one after the other.
    const topology = resolveTopology('line:4');
    const { bundle, groups } = inGroups(
      'allgather',
      'line:4',
      [
        [0, 2],
        [1, 3],
      ],
      { bulks: 1 },
    );
    const one = 2 * latency + (4 * MiB) / bandwidth;
    expect(topology.links.every(({ occupancy }) => occupancy === 'blocking')).toBe(true);
    expect(groups[0].aloneSeconds).toBeCloseTo(one, 12);
    expect(bundle.cost.seconds).toBeCloseTo(2 * one, 12);
  });

  it('gives groups of different sizes messages of the same bytes', () => {
    const { bundle } = inGroups(
      'allgather',
      'full:5',
      [
        [0, 1],
        [2, 3, 4],
      ],
      { bulks: 1, algorithm: 'full-mesh' },
    );
    // Every chip of the pair sends M/2, every chip of the three sends M/3 twice.
    expect(bundle.cost.bytesMoved).toBeCloseTo(2 * 4 * MiB + (6 * 8 * MiB) / 3, 3);
    expect(bundle.cost.seconds).toBeCloseTo(latency + (4 * MiB) / bandwidth, 12);
  });

  it('wants from each rank what the collective says of its group', () => {
    const { bundle } = inGroups(
      'alltoall',
      'full:4',
      [
        [3, 1],
        [0, 2],
      ],
      { algorithm: 'full-mesh', bulks: 1 },
    );
    const { custom } = bundle.proved.plan.collective;
    // Chip 1 is rank 1 of the first group: it gets what chip 3 (rank 0) and itself have for rank 1.
    const wanted = custom && listsOf(custom.results);
    expect(wanted?.[1]).toEqual([[{ rank: 3, chunk: 1 }], [{ rank: 1, chunk: 1 }]]);
    expect(wanted?.[2]).toEqual([[{ rank: 0, chunk: 1 }], [{ rank: 2, chunk: 1 }]]);
  });

  it('runs all groups in as many bulks as the one that needs most', () => {
    const { bundle } = inGroups(
      'broadcast',
      'ring:8',
      [
        [0, 1, 2, 3, 4, 5],
        [6, 7],
      ],
      { size: 64 * MiB },
    );
    expect(bundle.proved.plan.bulks).toBeGreaterThan(1);
  });

  it('leaves the chips of others alone where passing them costs both groups more', () => {
    // The halves of an MI250 box: the shortest ways of either half lead over the links between both, which all share. In one bulk no
    // links are shared out.
    const halves = [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [8, 9, 10, 11, 12, 13, 14, 15],
    ];
    const { bundle, groups } = inGroups('allgather', 'mi250', halves, { engine: 'list', size: 64 * MiB, bulks: 1 });
    const between = (from: number, to: number): boolean => halves[0].includes(from) !== halves[0].includes(to);
    const links = bundle.topology?.links ?? [];
    expect(
      bundle.cost.links.filter(({ link, bytes }) => bytes > 0 && between(links[link].from, links[link].to)),
    ).toEqual([]);
    for (const { aloneSeconds } of groups) expect(bundle.cost.seconds).toBeCloseTo(aloneSeconds, 12);
  });

  const fourHalves = [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ];

  it('shares links out where each group alone would take the same ones', () => {
    // Each half of a DGX-1 has two rings of its own; at two chips of either the links to the other half are as wide as those within, and trees take all.
    const { bundle, groups } = inGroups('allgather', 'dgx1', fourHalves, { engine: 'trees', size: 64 * MiB });
    const apart = inGroups('allgather', 'dgx1', fourHalves, { engine: 'trees', size: 64 * MiB, bulks: 1 });
    expect(apart.bundle.cost.seconds / bundle.bound.seconds).toBeGreaterThan(1.2);
    expect(bundle.cost.seconds / bundle.bound.seconds).toBeLessThan(1.05);
    expect(groups.map(({ ranks }) => ranks)).toEqual(fourHalves);
  });

  // One of them each day, all of them in the exhaustive tests.
  const storing = ['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce'] as const;
  it.each(storing.filter((_, index) => testFactor > 1 || index === testSeed % storing.length))(
    '%s: chips of other groups store and send on, and the plan is right when read again',
    (kind) => {
      const topology = resolveTopology('mi250');
      const quarters = [0, 4, 8, 12].map((first) => [first, first + 1, first + 2, first + 3]);
      const { bundle } = compileGroups(requestFor(kind, topology, { engine: 'list', size: 64 * MiB }), quarters);
      const { plan } = readPlan({ name: 'plan.json', text: planJson(bundle) });
      expect(verifyPlan(plan, { topology }).verdict).toBe('correct');
      expect(bundle.bound.seconds).toBeLessThanOrEqual(bundle.cost.seconds * (1 + 1e-9));
      expect(bundle.cost.seconds).toBeLessThan(
        inGroups(kind, 'mi250', quarters, { engine: 'list', size: 64 * MiB, bulks: 1 }).bundle.cost.seconds,
      );
    },
  );

  it('reports each better plan while it searches, the last of them the one that it gives', () => {
    const found: number[] = [];
    const onBest: CompileRequest['onBest'] = ({ bundle, stoppedEarly }) => {
      expect(stoppedEarly).toBe(true);
      expect(bundle.proved.plan.collective.ranks).toBe(8);
      found.push(bundle.cost.seconds);
    };
    const request = requestFor('allgather', resolveTopology('dgx1'), { engine: 'trees', size: 64 * MiB, onBest });
    const { bundle } = compileGroups(request, fourHalves);
    expect(found.length).toBeGreaterThan(1);
    expect([...found].sort((a, b) => b - a)).toEqual(found);
    expect(found[found.length - 1]).toBe(bundle.cost.seconds);
  });

  it('searches once for groups that are linked alike', () => {
    const boxes = [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [8, 9, 10, 11, 12, 13, 14, 15],
    ];
    const { groups, explain, bundle } = inGroups('allreduce', 'dgx1-cluster', boxes);
    const [first, second] = groups;
    expect([second.name, second.aloneSeconds]).toEqual([first.name, first.aloneSeconds]);
    const ofSecond = explain().filter(({ name }) => name.includes(`group ${boxes[1].join(',')}`));
    expect(ofSecond.map(({ status }) => status)).toEqual(['chosen']);
    // Boxes are joined by other links than those inside them.
    expect(bundle.cost.seconds).toBeCloseTo(first.aloneSeconds, 12);
  });

  it('searches again for groups that are linked otherwise', () => {
    const { groups, explain } = inGroups('allgather', 'line:7', [
      [0, 1, 2],
      [3, 4, 6],
    ]);
    expect(groups[1].aloneSeconds).toBeGreaterThan(groups[0].aloneSeconds);
    expect(explain().filter(({ name }) => name.includes('group 3,4,6')).length).toBeGreaterThan(1);
  });

  it('takes all declared groups as boxes', () => {
    const declared = {
      ...resolveTopology('ring:4'),
      groups: [
        [0, 1],
        [2, 3],
      ],
    };
    expect(parseGroups(['boxes'], declared)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(parseGroups(['0, 2', '1'], declared)).toEqual([[0, 2], [1]]);
  });
});

describe('groups that are refused', () => {
  it.each([
    [
      [
        [0, 1],
        [1, 2],
      ],
      'groups must not overlap: chip 1 is in 0,1 and 1,2',
    ],
    [
      [
        [0, 0],
        [2, 3],
      ],
      'chip 0 is twice in the group 0,0',
    ],
    [
      [
        [0, 4],
        [2, 3],
      ],
      'ring:4 has no chip 4: there are 0 … 3',
    ],
    [[[0], []], 'a group has at least one chip'],
  ])('include %j', (groups, message) => {
    expect(() => inGroups('allgather', 'ring:4', groups)).toThrow(message);
  });

  it('says which texts are no groups', () => {
    const topology = resolveTopology('ring:4');
    expect(() => parseGroups(['0;1'], topology)).toThrow(
      "expected a group of chips, such as 0,2,5, or boxes; found '0;1'",
    );
    expect(() => parseGroups(['boxes'], topology)).toThrow('ring:4 declares no groups');
  });

  it('says that a root is no rank of a group', () => {
    const topology = resolveTopology('ring:4');
    const request = requestFor('broadcast', topology);
    const third = { ...request, collective: { ...request.collective, root: 2 } };
    expect(() => compileGroups(third, [[0, 1, 2], [3]])).toThrow('rank 2 is no rank of ring:4 --group 3, which has 1');
  });

  it('says which collectives cannot be done in several groups', () => {
    expect(() =>
      inGroups('barrier', 'ring:4', [
        [0, 1],
        [2, 3],
      ]),
    ).toThrow('a barrier cannot be done in several groups');
  });

  it('says that chips of a group cannot reach each other', () => {
    const ring = resolveTopology('ring:4');
    const links = ring.links.filter(({ from, to }) => from < 2 === to < 2);
    expect(() => withGroupAmong({ ...ring, links }, [0, 2])).toThrow('chip 0 cannot reach chip 2');
    expect(withGroupAmong({ ...ring, links }, [0, 1]).chips).toEqual([0, 1]);
  });
});
