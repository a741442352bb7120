/** Topologies: links counted by closed forms, numbers by hand, changes from the command line, and every mistake with its place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CccError, type SourceText } from '../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Topology } from '../../src/ir/topology.ts';
import {
  describeMachine,
  isFilePath,
  listShipped,
  parseChipMap,
  parseGamma,
  parseLinkSpec,
  resolveTopology,
  withGamma,
  withLink,
  withMap,
  withOverlap,
  withoutChip,
  withoutLink,
} from '../../src/read/index.ts';
import { drawn } from '../draw.ts';
import { type BadInput, expectFailure, failureOf } from './marked.ts';

/** A topology from a text; `values` are written behind its name. */
function read(source: SourceText, values = '', limits = defaultLimits): Topology {
  return resolveTopology(`test.yaml${values}`, { read: () => source, limits });
}

/** A file with this body behind the head. */
function file(body: string): SourceText {
  return { name: 'test.yaml', text: `format: ccc-topology\nversion: 1\nname: test\n${body}` };
}

const numbers = 'link: { latency: 1 us, bandwidth: 1 GB/s }\n';

/** Links as `0>1`, in order. */
function pairs(topology: Topology): string[] {
  return topology.links.map(({ from, to }) => `${from}>${to}`);
}

/** Unordered pairs of linked chips, sorted. */
function edges(topology: Topology): string {
  const linked = topology.links.map(({ from, to }) => `${Math.min(from, to)}-${Math.max(from, to)}`);
  return [...new Set(linked)].sort().join(' ');
}

describe('shipped topologies', () => {
  it.each(listShipped('topologies'))('%s says what it is, whose it is, and what its parameters are', (name) => {
    const { about, source, parameters } = describeMachine(name);
    for (const text of [about, source, ...parameters.map((parameter) => parameter.about)])
      expect(text).toMatch(/\w{2}/);
  });

  // Chips, other nodes, directed links: closed forms of the textbooks.
  const sizes: readonly [spec: string, chips: number, others: number, links: number][] = [
    ...[1, 2, 3, 4, 9, 64].flatMap((n): [string, number, number, number][] => [
      [`ring:${n}`, n, 0, n === 1 ? 0 : n === 2 ? 2 : 2 * n],
      [`line:${n}`, n, 0, 2 * (n - 1)],
      [`full:${n}`, n, 0, n * (n - 1)],
      [`switch:${n}`, n, 1, 2 * n],
      [`tree:${n}`, n, 0, 2 * (n - 1)],
    ]),
    ...[0, 1, 2, 3, 6].map((d): [string, number, number, number] => [`hypercube:${d}`, 2 ** d, 0, d * 2 ** d]),
    ['torus:1', 1, 0, 0],
    ['torus:2', 2, 0, 2],
    ['torus:2x2', 4, 0, 8],
    ['torus:3x4', 12, 0, 4 * 12],
    ['torus:2x3', 6, 0, 3 * 6],
    ['torus:1x5', 5, 0, 10],
    ['torus:4x4x4', 64, 0, 6 * 64],
    ['mesh:1', 1, 0, 0],
    ['mesh:3x4', 12, 0, 2 * (2 * 4 + 3 * 3)],
    ['mesh:2x2x2', 8, 0, 24],
    ['fattree:4,4,2', 16, 6, 2 * (16 + 4 * 2)],
    ['fattree:1,1,1', 1, 2, 2 * 2],
    ['routed-line', 4, 2, 10],
    ['routed-ring:3', 3, 3, 12],
    ['routed-ring:8', 8, 8, 32],
    ['sg2260x4', 4, 0, 8],
    ['sg2260x4-ddr', 4, 0, 8],
    ['sg2260x8', 8, 0, 20],
    ['dgx1', 8, 0, 32],
    ['dgx1-cluster:1', 8, 5, 32 + 2 * (8 + 4)],
    ['dgx1-cluster:3', 24, 13, 3 * (32 + 2 * (8 + 4))],
    ['dgx2:1', 16, 1, 2 * 16],
    ['dgx2:2', 32, 19, 2 * (32 + 32 + 16)],
    ...[1, 2, 4].flatMap((boxes): [string, number, number, number][] => [
      [`a100:${boxes}`, 8 * boxes, boxes === 1 ? 1 : boxes + 1, (boxes === 1 ? 2 : 4) * 8 * boxes],
      [`h100:${boxes}`, 8 * boxes, boxes === 1 ? 1 : boxes + 1, (boxes === 1 ? 2 : 4) * 8 * boxes],
    ]),
    ['mi250:1', 16, 0, 2 * 28],
    ['mi250:2', 32, 1, 2 * (2 * 28 + 32)],
    ['dragonfly:4,2,2', 16, 8, 2 * (16 + 4 + 6)],
    ['dragonfly:9,4,2', 72, 36, 2 * (72 + 9 * 6 + 36)],
    ['dragonfly:1,1,1', 1, 1, 2],
    ...[1, 2, 3].map((h): [string, number, number, number] => [`fattree3:${h}`, 2 * h ** 3, 5 * h ** 2, 12 * h ** 3]),
    ['sg2260-cards:2', 8, 3, 2 * (8 + 8 + 2)],
    ['h200', 8, 1, 16],
    ['b200:2', 16, 3, 2 * 32],
    ['gb200', 72, 1, 2 * 72],
    ['gb200:2', 144, 3, 4 * 144],
    ['mi355x:2', 16, 1, 2 * (2 * 28 + 16)],
    ['h100-rails:4,2', 32, 4 + 8 + 1, 2 * (2 * 32 + 8)],
    ['gaudi3:2', 16, 1, 2 * (2 * 28 + 16)],
    ['tpu-v4', 64, 0, 6 * 64],
    ['tpu-v5e:4x4', 16, 0, 2 * 2 * 4 * 3],
    ['tpu-v5e:16x16', 256, 0, 4 * 256],
    ['trn2', 16, 0, 4 * 16],
    ['trn2:2', 32, 0, 5 * 32],
    ['trn2:4', 64, 0, 6 * 64],
    ['sg2260x8-ddr', 8, 0, 20],
    ['sg2260e-chain:3', 12, 1, 2 * (3 * 3 + 3)],
    ['sg2260e-star:1', 4, 0, 2 * 3],
    ['sg2260e-ring:8', 8, 0, 16],
    ['sg2262-cube', 8, 0, 8 * 3],
    ['sg2262-clos:1024', 1024, 1, 2 * 1024],
    ['sg2262-clusters:4,5', 20, 1, 2 * (4 * 10 + 20)],
    ['sg2262-rings:4,8', 32, 1, 2 * (32 + 32)],
    ['sg2262-torus:4x4', 16, 0, 4 * 16],
    ['host:5', 5, 2, 11],
  ];
  it.each(sizes)('%s has %i chips, %i other nodes and %i links', (spec, chips, others, links) => {
    const topology = resolveTopology(spec);
    expect([topology.chips.length, topology.nodes.length - chips, topology.links.length]).toEqual([
      chips,
      others,
      links,
    ]);
    expect(topology.name).toBe(spec);
    expect(topology.nodes.slice(0, chips).every(({ kind }) => kind === 'chip')).toBe(true);
  });

  // Bytes per second that a chip sends inside its box and between boxes, from the data sheets that the files name.
  it.each([
    ['h200:2', [450e9, 50e9]],
    ['b200:2', [900e9, 50e9]],
    ['gb200:2', [900e9, 50e9]],
    ['mi355x:2', [7 * 76.8e9, 50e9]],
    ['gaudi3:2', [7 * 75e9, 75e9]],
    ['tpu-v4', [6 * 50e9, 0]],
    ['sg2262-clusters:4,5', [4 * 56e9, 4 * 56e9]],
    ['sg2262-clusters:4,5,56', [4 * 28e9, 4 * 28e9]],
    ['sg2262-rings:4,8', [4 * 56e9, 4 * 56e9]],
    ['sg2262-clos:16', [448e9, 0]],
  ])('%s sends %j bytes per second from chip 0, inside and outside its group', (spec, [inside, outside]) => {
    const { links, groups, chips, nodes } = resolveTopology(spec);
    const own = new Set(groups?.[0] ?? chips);
    const reached = (node: number): readonly number[] =>
      nodes[node].kind === 'chip' ? [node] : links.filter(({ from }) => from === node).map(({ to }) => to);
    const sent = (isInside: boolean): number =>
      links
        .filter(({ from, to }) => from === 0 && reached(to).every((chip) => own.has(chip)) === isInside)
        .reduce((sum, { bandwidth }) => sum + bandwidth, 0);
    expect([sent(true), sent(false)]).toEqual([inside, outside]);
  });

  it('all load with their defaults, and are called as their files are', () => {
    const names = listShipped('topologies');
    expect(names.map((name) => resolveTopology(name).name)).toEqual(names);
    expect(names).toContain('sg2260x4');
  });

  it.each([
    'ring:5',
    'line:5',
    'full:5',
    'torus:2x3',
    'mesh:2x3',
    'hypercube:3',
    'tree:5',
    'routed-line',
    'routed-ring:5',
  ])('%s has the numbers that the formulas are checked with', (spec) => {
    const { links, nodes, inflight } = resolveTopology(spec);
    for (const { latency, bandwidth, occupancy, units } of links) {
      expect([latency, bandwidth, occupancy, units]).toEqual([1e-6, 1e10, 'blocking', 1]);
    }
    const [{ reduce, copy, ports }] = nodes;
    expect([reduce, copy, ports, inflight]).toEqual([
      ...[{ throughput: 5e10, overlap: false }, undefined, { send: Infinity, receive: Infinity }, undefined],
    ]);
  });

  it.each([
    'a100:3',
    'h100:2',
    'dgx1-cluster:3',
    'dgx2:2',
    'mi250:2',
    'dragonfly:5,4,2',
    'fattree3:3',
    'sg2260-cards:3',
  ])('every rank of %s is in one group, and the groups are equal in size', (spec) => {
    const { groups, chips } = resolveTopology(spec);
    expect(groups.flat()).toEqual(chips.map((_, rank) => rank));
    expect(new Set(groups.map(({ length }) => length)).size).toBe(1);
  });

  it('a box of dgx1-cluster is a dgx1', () => {
    const [box, alone] = [resolveTopology('dgx1-cluster:2'), resolveTopology('dgx1')];
    const linksFrom = ({ links }: Topology, first: number) =>
      links
        .filter(({ from, to }) => [from, to].every((node) => node >= first && node < first + 8))
        .map((link) => [link.from - first, link.to - first, link.bandwidth, link.latency, link.occupancy].join())
        .sort();
    expect(linksFrom(box, 0)).toEqual(linksFrom(alone, 0));
    expect(linksFrom(box, 8)).toEqual(linksFrom(alone, 0));
  });

  it('every die of mi250 has seven links of 50 GB/s', () => {
    const { links, chips } = resolveTopology('mi250:1');
    for (const die of chips) {
      const out = links.filter(({ from }) => from === die);
      expect(out.reduce((sum, { units }) => sum + units, 0)).toBe(7);
      expect(out.every(({ bandwidth, units }) => bandwidth === units * 50e9)).toBe(true);
    }
  });

  it('routers of a dragonfly share the global links of their group evenly, one for each other group', () => {
    const [groups, routers] = [9, 4];
    const { links, nodes } = resolveTopology(`dragonfly:${groups},${routers},2`);
    const router = (node: number) => node - groups * routers * 2;
    const global = links.filter(
      ({ from, to }) =>
        nodes[from].kind === 'switch' &&
        nodes[to].kind === 'switch' &&
        Math.floor(router(from) / routers) !== Math.floor(router(to) / routers),
    );
    const between = global.map((link) => [link.from, link.to].map((node) => Math.floor(router(node) / routers)).join());
    expect([global.length, new Set(between).size]).toEqual([groups * (groups - 1), groups * (groups - 1)]);
    for (let r = 0; r < groups * routers; r++) {
      expect(global.filter(({ from }) => router(from) === r)).toHaveLength((groups - 1) / routers);
    }
  });

  // ForestColl's throughput optima of two and four boxes (346.67 and 266.67 GB/s), by the cuts that give them: all GPUs but one, and a box.
  it.each([
    [2, 1, 346.67],
    [4, 8, 266.67],
  ])('%i boxes of A100 gather at most as fast as a cut of all but %i GPUs lets them', (boxes, outside, rate) => {
    const { links, chips } = resolveTopology(`a100:${boxes}`);
    const fabric = chips.length + boxes;
    // The switches of the other side are on the other side, the InfiniBand switch is on this one.
    const there = (node: number) => node < outside || (outside === 8 && node === chips.length);
    const crossing = links.filter(({ from, to }) => !there(from) && there(to));
    const bandwidth = crossing.reduce((sum, link) => sum + link.bandwidth, 0);
    expect(crossing.some(({ from }) => from === fabric)).toBe(true);
    expect((chips.length / (chips.length - outside)) * bandwidth * 1e-9).toBeCloseTo(rate, 2);
  });

  it('a switch has one port for each chip, and all latency on the way up', () => {
    const { links, nodes } = resolveTopology('switch:3');
    expect(nodes[0]).toMatchObject({ ports: { send: 1, receive: 1 }, reduce: { throughput: 5e10, overlap: false } });
    expect(nodes[3]).toMatchObject({ kind: 'switch', multicast: false, ports: { send: Infinity, receive: Infinity } });
    const facts = links.map(({ from, to, latency, bandwidth, occupancy }) => [from, to, latency, bandwidth, occupancy]);
    expect(facts).toEqual(
      [0, 1, 2].flatMap((r) => [
        [r, 3, 1e-6, 1e10, 'blocking'],
        [3, r, 0, 1e10, 'blocking'],
      ]),
    );
  });

  it('SG2260 has the numbers of its sources and says what they are', () => {
    const four = resolveTopology('sg2260x4');
    expect(edges(four)).toBe('0-1 0-3 1-2 2-3');
    expect(edges(resolveTopology('sg2260x8'))).toBe('0-1 0-2 0-4 1-3 1-5 2-3 2-6 3-7 4-5 6-7');
    for (const name of ['sg2260x4', 'sg2260x4-ddr', 'sg2260x8']) {
      const { links, nodes, inflight, messages, notes } = resolveTopology(name);
      expect(
        links.every(
          ({ latency, bandwidth, occupancy }) => latency === 5.5e-7 && bandwidth === 64e9 && occupancy === 'blocking',
        ),
      ).toBe(true);
      // Addition, maximum and minimum know one type more than multiplication.
      const [types, multiplied] = [
        ['f32', 'f16', 'bf16', 'i32'],
        ['f32', 'f16', 'bf16'],
      ];
      const operators = { sum: types, prod: multiplied, max: types, min: types };
      expect(nodes[0].reduce).toEqual({ throughput: 512e9, overlap: true, operators });
      expect(messages).toEqual({
        ...{ alignment: 128, ids: 512, counts: 127, stride: 4294967295 },
        dimensions: [65535, 65535, 4294967295, 4294967295],
      });
      expect(nodes[0].copy).toEqual(name === 'sg2260x4-ddr' ? { throughput: 128e9, duplex: true } : undefined);
      expect([inflight, notes]).toEqual([2, ['model, not measured']]);
    }
  });

  it('DGX-1 has six NVLinks of 25 GB/s at every chip', () => {
    const { links } = resolveTopology('dgx1');
    for (let chip = 0; chip < 8; chip++) {
      const own = links.filter(({ from }) => from === chip);
      expect(own.reduce((sum, { units }) => sum + units, 0)).toBe(6);
      expect(own.every(({ units, bandwidth }) => bandwidth === units * 25e9)).toBe(true);
    }
  });

  it('routed-line has a stretch of 3.5 as numbered and 2.5 at best', () => {
    const routes = new Routes(resolveTopology('routed-line'));
    const stretch = (order: readonly number[]) =>
      order.reduce((sum, rank, at) => sum + routes.hops(rank, order[(at + 1) % 4]), 0) / 4;
    expect(stretch([0, 1, 2, 3])).toBe(3.5);
    expect(
      [
        [0, 1, 3, 2],
        [0, 2, 1, 3],
      ].map(stretch),
    ).toEqual([2.5, 2.5]);
  });

  it('a torus and a hypercube link whom they should', () => {
    expect(edges(resolveTopology('torus:2x3'))).toBe('0-1 0-2 0-3 1-2 1-4 2-5 3-4 3-5 4-5');
    expect(edges(resolveTopology('hypercube:2'))).toBe('0-1 0-2 1-3 2-3');
    expect(edges(resolveTopology('tree:6'))).toBe('0-1 0-2 1-3 1-4 2-5');
    expect(resolveTopology('torus:2x3').shape).toEqual([2, 3]);
    expect(resolveTopology('mesh:2x3').shape).toBeUndefined();
    expect(resolveTopology('fattree:2,3,1').groups).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });
});

describe('a topology file', () => {
  it('takes its values in the order of its parameters', () => {
    const source = file(
      `parameters:\n  a: { default: 2, minimum: 1 }\n  b: { default: a + 1, maximum: 9 }\nlet: { n: a * b }\nchips: n\n${numbers}links:\n  - for: r in 1 .. n - 1\n    duplex: 0 <-> r\n`,
    );
    expect(['', ':3', ':3,1'].map((values) => [read(source, values).chips.length, read(source, values).name])).toEqual([
      ...[
        [6, 'test'],
        [12, 'test:3'],
        [3, 'test:3,1'],
      ],
    ]);
  });

  it('numbers chips, then switches, then hosts, and names them', () => {
    const body = `chips: 2\nswitches: 2\nhosts: 1\nswitch: { multicast: true }\nchip: { name: TPU {r} }\n`.replace(
      'TPU {r}',
      '"TPU {r}"',
    );
    const links = `links:\n  - duplex: 0 <-> switch 0\n  - duplex: switch 0 <-> host 0\n  - { link: host 0 -> switch 1, units: 3 }\n  - link: switch 1 -> 1\n  - link: 1 -> 0\n`;
    const topology = read(file(body + numbers + links));
    expect(
      topology.nodes.map(({ name, kind, multicast }) => `${name} ${kind}${multicast ? ' multicast' : ''}`),
    ).toEqual([
      ...['TPU 0 chip', 'TPU 1 chip', 'switch 0 switch multicast', 'switch 1 switch multicast', 'host 0 host'],
    ]);
    expect(pairs(topology)).toEqual(['0>2', '2>0', '2>4', '4>2', '4>3', '3>1', '1>0']);
    expect(topology.links.map(({ units }) => units)).toEqual([1, 1, 1, 1, 3, 1, 1]);
  });

  it('has defaults that links and groups of links override', () => {
    const links = `links:\n  - duplex: 0 <-> 1\n  - latency: 3 ns\n    occupancy: pipelined\n    do:\n      - { duplex: 1 <-> 2, bandwidth: 400 Gbit/s }\n`;
    const { links: made } = read(file(`chips: 3\nlink: { latency: 0.25 ms, bandwidth: 2 GiB/s }\n${links}`));
    const facts = made.map(({ latency, bandwidth, occupancy }) => [latency, bandwidth, occupancy]);
    expect([facts[0], facts[2]]).toEqual([
      [2.5e-4, 2 ** 31, 'blocking'],
      [3e-9, 5e10, 'pipelined'],
    ]);
  });

  it('may give its numbers as LogGP', () => {
    const loggp = (numbers: string) => {
      const [{ latency, bandwidth }] = read(
        file(`chips: 2\nlink: { loggp: { ${numbers} } }\nlinks: [ duplex: 0 <-> 1 ]\n`),
      ).links;
      return [latency, bandwidth];
    };
    // α = L + 2o − b, β = 1/b
    const [alpha, beta] = loggp('L: 1 us, o: 0.2 us, g: 1 us, G: 0.1 ns');
    expect(alpha).toBeCloseTo(1.3999e-6, 15);
    expect(beta).toBeCloseTo(1e10, 0);
    const [single, rate] = loggp('L: 1 us, o: 0.2 us, g: 0.1 us');
    expect(single).toBeCloseTo(1.3e-6, 15);
    expect(rate).toBeCloseTo(1e7, 3);
  });

  it('may have groups and other things', () => {
    const body = `chips: 5\n${numbers}inflight: 0\nnotes: [careful]\ngroups:\n  - [0, N - 1]\n  - { for: i in 1 .. 1, ranks: i .. i + 2 }\nlinks:\n  - for: r in ranks\n    duplex: r <-> (r + 1) % N\n`;
    expect(read(file(body))).toMatchObject({
      groups: [
        [0, 4],
        [1, 2, 3],
      ],
      inflight: 0,
      notes: ['careful'],
    });
  });

  it('of one chip needs no links', () => {
    expect(read(file('chips: 1\n')).links).toEqual([]);
  });
});

const links = (text: string, head = `chips: 3\n${numbers}`): string => file(`${head}links:\n${text}`).text;
const line = '  - duplex: 0 <-> 1\n  - duplex: 1 <-> 2\n';

const mistakes: readonly BadInput[] = [
  ['another format', 'format: ⟦ccc-schedule⟧\n', 'schema', ['ccc-topology']],
  ['no chips', '⟦format⟧: ccc-topology\nversion: 1\nname: a\n', 'schema', ["'chips'"]],
  ['zero chips', file('chips: ⟦1 - 1⟧\n').text, 'range', ['at least 1']],
  ['too many chips', file('chips: ⟦65537⟧\n').text, 'limit', ['ranks = 65536']],
  ['too many switches', file('chips: 1\nswitches: ⟦65537⟧\n').text, 'limit', ['ranks = 65536']],
  ['a misspelt key', file('chips: 1\n⟦switchs⟧: 1\n').text, 'schema', ['switches']],
  ['a chip that does not exist', links(`${line}  - duplex: 0 <-> ⟦3⟧\n`), 'topology', ['chip 3', '0 … 2']],
  ['a switch that does not exist', links(`  - duplex: 0 <-> switch ⟦0⟧\n`), 'topology', ['switch 0', 'none']],
  ['a link to itself', links(`${line}  - for: r in [2]\n    ⟦duplex: r <-> 2⟧\n`), 'topology', ['itself', 'r = 2']],
  ['a link twice', links(`${line}  - ⟦link: 2 -> 1⟧\n`), 'topology', ['chip 2 to chip 1', 'units: 2']],
  [
    'a chip cut off',
    links('  - duplex: 0 <-> 1\n').replace('links:', '⟦links⟧:'),
    'disconnected',
    ['chip 0 cannot reach chip 2'],
  ],
  [
    'a one-way street',
    links('  - duplex: 0 <-> 1\n  - link: 0 -> 2\n').replace('links:', '⟦links⟧:'),
    'disconnected',
    ['chip 2 cannot reach chip 0'],
  ],
  ['several chips and no links', file('⟦chips⟧: 2\n').text, 'disconnected', ['chip 0 cannot reach chip 1']],
  ['no latency', links('  - ⟦duplex: 0 <-> 1⟧\n', 'chips: 2\nlink: { bandwidth: 1 GB/s }\n'), 'schema', ['latency']],
  ['a number without a unit', links(line, 'chips: 3\nlink: { latency: ⟦1⟧, bandwidth: 1 GB/s }\n'), 'unit', ['us']],
  ['a size for a rate', links(line, 'chips: 3\nlink: { latency: 1 us, bandwidth: ⟦1 GB⟧ }\n'), 'unit', ['GB/s']],
  [
    'a negative latency',
    links(line, 'chips: 3\nlink: { latency: ⟦-1 us⟧, bandwidth: 1 GB/s }\n'),
    'range',
    ['negative'],
  ],
  [
    'a bandwidth next to none',
    links(line, 'chips: 3\nlink: { latency: 1 us, bandwidth: ⟦1e-320 GB/s⟧ }\n'),
    'range',
    ['1e-250 B/s at least'],
  ],
  [
    'a latency next to endless',
    links(line, 'chips: 3\nlink: { latency: ⟦1e300 s⟧, bandwidth: 1 GB/s }\n'),
    'range',
    ['1e+250 s at most'],
  ],
  ['no bandwidth', links(line, 'chips: 3\nlink: { latency: 1 us, bandwidth: ⟦0 GB/s⟧ }\n'), 'range', ['more than 0']],
  ['an unknown occupancy', links(line, 'chips: 3\nlink: { occupancy: ⟦block⟧ }\n'), 'schema', ['blocking']],
  ['no units', links('  - { duplex: 0 <-> 1, units: ⟦0⟧ }\n'), 'range', ['at least 1']],
  ['both ways where one is said', links('  - link: 0 ⟦<->⟧ 1\n'), 'expression', ["'->'"]],
  [
    'latency and LogGP',
    links(line, 'chips: 3\nlink: { ⟦latency⟧: 1 us, loggp: { L: 1 us, o: 1 us, G: 1 ns } }\n'),
    'schema',
    ['loggp'],
  ],
  ['LogGP without a gap', links(line, 'chips: 3\nlink: { loggp: { ⟦L⟧: 1 us, o: 1 us } }\n'), 'schema', ["'G'"]],
  [
    'LogGP with too large a gap',
    links(line, 'chips: 3\nlink: { loggp: ⟦{ L: 1 us, o: 1 us, G: 1 s }⟧ }\n'),
    'range',
    ['L + 2o'],
  ],
  ['a shape that is none', file('chips: 1\nshape: ⟦true⟧\n').text, 'schema', ['shape: true']],
  [
    'a shape of another size',
    file('parameters: { s: { shape: true, default: 2x2 } }\nchips: 1\nshape: ⟦true⟧\n').text,
    'topology',
    ['2x2', '4 places', '1 chips'],
  ],
  ['a function without a shape', file('chips: ⟦size()⟧\n').text, 'expression', ['size']],
  [
    'an axis that is not there',
    file('parameters: { s: { shape: true, default: 2 } }\nchips: ⟦extent(1)⟧\n').text,
    'expression',
    ['axis'],
  ],
  ['a rank in two groups', links(`${line}groups: [ [0, 1], [⟦1⟧] ]\n`), 'topology', ['rank 1', 'two groups']],
  ['a rank in a group that is not there', links(`${line}groups: [ [⟦3⟧] ]\n`), 'range', ['0 … 2']],
  ['no ports', file('chips: 1\nchip: { ports: { send: ⟦0⟧ } }\n').text, 'range', ['ports.send']],
  [
    'an engine without overlap',
    file('chips: 1\nchip: { reduce: { ⟦throughput⟧: 1 GB/s } }\n').text,
    'schema',
    ["'overlap'"],
  ],
];

describe('a mistake in a topology file', () => {
  it.each(mistakes)('is refused with its place: %s', (...input) => expectFailure((source) => read(source), input));

  it('too many links end with the limit', () => {
    const full = file(
      `chips: 20\n${numbers}links:\n  - for: [ a in ranks, b in a + 1 .. N - 1 ]\n    duplex: a <-> b\n`,
    );
    expect(read(full).links).toHaveLength(380);
    expect(failureOf(() => read(full, '', { ...defaultLimits, operations: 8 * 379 }))).toMatchObject({ code: 'limit' });
  });
});

describe('values behind a name', () => {
  it.each([
    ['ring:0', 'range', 'at least 1'],
    ['ring:x', 'range', "'x'"],
    ['ring:', 'range', "''"],
    ['ring:1.5', 'range', "'1.5'"],
    ['ring:4,5', 'usage', 'takes chipCount'],
    ['sg2260x4:4', 'usage', 'takes none'],
    ['hypercube:21', 'range', 'at most 20'],
    ['torus:4y4', 'range', "'4y4'"],
    ['torus:0x4', 'range', 'at least 1'],
    ['torus:300x300', 'limit', 'ranks = 65536'],
    [`torus:${'1x'.repeat(16)}1`, 'limit', '16 axes'],
    ['full:100000', 'limit', 'ranks = 65536'],
    ['full:65536', 'limit', 'links'],
    ['sg2260', 'unknown-name', 'sg2260x4'],
    ['rign:4', 'unknown-name', 'did you mean ring'],
    ['no/such/file.yaml:4', 'file', 'no/such/file.yaml'],
  ])('are refused where they are out of range: %s', (spec, code, words) => {
    expect(failureOf(() => resolveTopology(spec))).toMatchObject({ code, message: expect.stringContaining(words) });
  });
});

describe('names that mean files', () => {
  it.each(['-', 'a.yaml', 'a.yml', 'plan.json', 'algo.xml', './a', 'x/ring'])('%s does', (name) =>
    expect(isFilePath(name)).toBe(true),
  );
  it.each(['ring', 'ring:4', 'torus:4x4', 'a.yaml:4', './a.yaml:4,2'])('%s does not', (name) =>
    expect(isFilePath(name)).toBe(false),
  );

  it('have their values taken off before they are opened', () => {
    const opened: string[] = [];
    const open = (path: string) => {
      opened.push(path);
      return file(
        'parameters: { n: { default: 1 } }\nchips: n\nswitches: 1\nlink: { latency: 1 us, bandwidth: 1 GB/s }\nlinks: [ { for: r in ranks, duplex: r <-> switch 0 } ]\n',
      );
    };
    const names = ['./a:b.yaml:3', 'mine.yml', 'x/y'].map((spec) => resolveTopology(spec, { read: open }).name);
    expect([opened, names]).toEqual([
      ['./a:b.yaml', 'mine.yml', 'x/y'],
      ['test:3', 'test', 'test'],
    ]);
  });
});

describe('names of nodes', () => {
  const nodes = (body: string, values = '') => read(file(body), values).nodes.map(({ name }) => name);
  const star =
    'chips: 4\nlink: { latency: 1 us, bandwidth: 1 GB/s }\nlinks: [ { for: r in ranks, duplex: r <-> switch 0 } ]\n';

  it('are expressions of the rank, the parameters and N', () => {
    const body = `parameters: { wide: { default: 2 } }\nlet: { many: wide * 2 }\nchips: many\nchip: { name: "gpu {r // wide}.{r % wide} of {N}" }\nswitches: N // 2\n`;
    const linked = `${body}link: { latency: 1 us, bandwidth: 1 GB/s }\nlinks: [ { for: r in ranks, duplex: r <-> switch 0 } ]\n`;
    expect(nodes(linked)).toEqual([
      'gpu 0.0 of 4',
      'gpu 0.1 of 4',
      'gpu 1.0 of 4',
      'gpu 1.1 of 4',
      'switch 0',
      'switch 1',
    ]);
    expect(nodes(linked, ':1').slice(0, 2)).toEqual(['gpu 0.0 of 2', 'gpu 1.0 of 2']);
  });

  it('count switches and hosts by kind, and number those without a name on', () => {
    const kinds =
      'switches: [ { name: NVSwitch, multicast: true }, { count: 2 }, { count: N // 2, name: "NIC {i}" } ]\n';
    const body = `${star}${kinds}hosts: 2\nhost: { name: "CPU {i}" }\n`;
    expect(nodes(body).slice(4)).toEqual(['NVSwitch', 'switch 1', 'switch 2', 'NIC 0', 'NIC 1', 'CPU 0', 'CPU 1']);
    expect(
      read(file(body))
        .nodes.map(({ multicast }) => multicast)
        .indexOf(true),
    ).toBe(4);
  });

  it.each<BadInput>([
    ['an unknown name', file('chips: 2\nchip: { name: "gpu {⟦s⟧}" }\n').text, 'expression', ["'s'", 'there are: N, r']],
    ['a brace alone', file('chips: 2\nchip: { name: "gpu ⟦{⟧r" }\n').text, 'expression', ["'{'", 'chip {r}']],
    ['no expression', file("chips: 2\nchip: { name: 'gpu {r}⟦}⟧' }\n").text, 'expression', ["'}'"]],
    ['empty braces', file('chips: 2\nchip: { name: "gpu {⟦⟧}" }\n').text, 'expression', ['the end']],
    ['a name that is no number', file('chips: 2\nchip: { name: "gpu {⟦r % 0⟧}" }\n').text, 'expression', ['r = 0']],
    ['the rank of a switch', file('chips: 1\nswitches: [ { name: "NIC {⟦r⟧}" } ]\n').text, 'expression', ["'r'"]],
    ['an empty name', file("chips: 1\nchip: { name: ⟦' '⟧ }\n").text, 'range', ['1 to 200']],
  ])('are refused with their place: %s', (...input) => expectFailure((source) => read(source), input));

  it('are the machine’s own: values that were not given are no part of it', () => {
    expect(
      ['ring', 'ring:8', 'fattree:04', 'fattree:4,4,2', 'torus:2x3'].map((spec) => resolveTopology(spec).name),
    ).toEqual(['ring', 'ring:8', 'fattree:4', 'fattree:4,4,2', 'torus:2x3']);
  });
});

describe('changes', () => {
  const ring = resolveTopology('ring:4');

  it('take a link away, both ways', () => {
    const cut = withoutLink(ring, 3, 0);
    expect([edges(cut), cut.name, cut.links.length]).toEqual(['0-1 1-2 2-3', 'ring:4 --without link:3-0', 6]);
    expect(failureOf(() => withoutLink(ring, 0, 2)).message).toContain('links to chip 1, chip 3');
    expect(failureOf(() => withoutLink(ring, 0, 4)).message).toContain('no chip 4');
    expect(failureOf(() => withoutLink(cut, 1, 2))).toMatchObject({
      code: 'disconnected',
      message: expect.stringContaining('reach'),
    });
  });

  it('take a chip away, and the ranks above move down', () => {
    const cut = withoutChip(resolveTopology('fattree:2,2,1'), 1);
    expect(cut.nodes.map(({ name }) => name)).toEqual([
      'chip 0',
      'chip 2',
      'chip 3',
      'switch 0',
      'switch 1',
      'switch 2',
    ]);
    expect([cut.chips, cut.groups]).toEqual([
      [0, 1, 2],
      [[0], [1, 2]],
    ]);
    expect(edges(cut)).toBe('0-3 1-4 2-4 3-5 4-5');
    expect(failureOf(() => withoutChip(ring, 4)).message).toContain('0 … 3');
    expect(failureOf(() => withoutChip(resolveTopology('line:3'), 1)).message).toContain('reach');
    expect(failureOf(() => withoutChip(resolveTopology('ring:1'), 0)).message).toContain('no chip left');
    expect(withoutChip(resolveTopology('torus:2x2'), 0).shape).toBeUndefined();
  });

  it('put ranks on other chips', () => {
    const boxes = resolveTopology('fattree:2,2,1');
    const mapped = withMap(boxes, [2, 0, 1, 3]);
    // Rank 0 is on chip 2, so the box of chips 2 and 3 has ranks 0 and 3.
    expect([mapped.chips, mapped.groups, mapped.links]).toEqual([
      [2, 0, 1, 3],
      [
        [1, 2],
        [0, 3],
      ],
      boxes.links,
    ]);
    // A second map is relative to the first.
    expect(withMap(mapped, [3, 2, 1, 0]).chips).toEqual([3, 1, 0, 2]);
    expect(withMap(ring, [0, 1, 2, 3])).toBe(ring);
    expect(failureOf(() => withMap(ring, [0, 1, 2])).message).toContain('3 chips');
    expect(failureOf(() => withMap(ring, [0, 1, 1, 2])).message).toContain('chip 1 is twice');
    expect(failureOf(() => withMap(ring, [0, 1, 2, 4])).message).toContain('no chip 4');
  });

  it('set numbers everywhere, and say so', () => {
    const set = withLink(ring, parseLinkSpec('0.5us, 50GiB/s,pipelined'));
    expect(
      set.links.every(
        ({ latency, bandwidth, occupancy }) =>
          latency === 5e-7 && bandwidth === 50 * 2 ** 30 && occupancy === 'pipelined',
      ),
    ).toBe(true);
    expect(set.notes).toEqual([expect.stringContaining('500 ns')]);
    expect(withLink(ring, parseLinkSpec('1us,1GB/s')).links[0].occupancy).toBe('blocking');
    expect(withGamma(ring, parseGamma('2 TB/s')).nodes[0].reduce).toEqual({ throughput: 2e12, overlap: false });
    expect(withGamma(ring, parseGamma('inf')).nodes[0].reduce).toBeUndefined();
    expect(withOverlap(ring, true).nodes[0].reduce).toEqual({ throughput: 5e10, overlap: true });
    const plain = read(file('chips: 1\n'));
    expect(failureOf(() => withOverlap(plain, true)).message).toContain('--gamma');
    expect(withGamma(plain, 1e9).nodes[0].reduce).toEqual({ throughput: 1e9, overlap: false });
    expect(withGamma(resolveTopology('switch:2'), 1e9).nodes[2].reduce).toBeUndefined();
    expect(ring.links[0].latency).toBe(1e-6);
  });

  it('are read from texts', () => {
    expect(parseChipMap('2, 0,1')).toEqual([2, 0, 1]);
    for (const text of ['', '1,', 'a', '1;2', '-1']) expect(failureOf(() => parseChipMap(text)).code).toBe('usage');
    const codes = ['1us', '1us,1GB/s,blocking,x', '1us,1GB/s,block', '1,1GB/s', '1us,1GB', '-1us,1GB/s', '1us,0GB/s'];
    expect(codes.map((text) => failureOf(() => parseLinkSpec(text)).code)).toEqual([
      ...['usage', 'usage', 'usage', 'unit', 'unit', 'range', 'range'],
    ]);
  });
});

describe('any text', () => {
  const limits = { ...defaultLimits, ranks: 50, operations: 5000, evaluations: 20_000 };
  const shipped = listShipped('topologies').map((name) => resolveTopology(name).nodes[0].origin?.source.text ?? '');

  it('is a topology or a CccError', () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(6),
      put: fc.string({ maxLength: 4 }),
    });
    const damaged = fc.tuple(fc.constantFrom(...shipped), fc.array(edit, { maxLength: 4 })).map(([original, edits]) =>
      edits.reduce((text, { at, cut, put }) => {
        const start = Math.floor(at * text.length);
        return text.slice(0, start) + put + text.slice(start + cut);
      }, original),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), damaged), fc.constantFrom('', ':2', ':3x2', ':2,2'), (text, values) => {
        try {
          const { links, nodes } = read({ name: 'fuzz.yaml', text }, values, limits);
          expect(
            links.every(
              ({ from, to, bandwidth }) => from !== to && from < nodes.length && to < nodes.length && bandwidth > 0,
            ),
          ).toBe(true);
        } catch (error) {
          if (!(error instanceof CccError)) throw error;
        }
      }),
      drawn(300),
    );
  });
});
