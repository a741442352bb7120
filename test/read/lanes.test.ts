/** What topology files say about time beside links: read as it is written, changed by protocols, and every mistake with its place. */
import { describe, expect, it } from 'vitest';
import { resolveSymmetricTopology } from '../../src/compact/machine/resolve.ts';
import { topologyDigest } from '../../src/emit/topology-digest.ts';
import type { SourceText } from '../../src/ir/diagnostic.ts';
import { type Topology, withProtocol, withTiming } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { type BadInput, expectFailure, failureOf } from './marked.ts';

const read = (source: SourceText): Topology => resolveTopology('test.yaml', { read: () => source });
const head = 'format: ccc-topology\nversion: 1\nname: test\n';
const numbers = 'link: { latency: 1 us, bandwidth: 1 GB/s }\n';
const file = (body: string, links = '  - duplex: 0 <-> 1\n'): SourceText => {
  return { name: 'test.yaml', text: `${head}chips: 2\n${numbers}links:\n${links}${body}` };
};

const protocols = `
protocols:
  LL: { launch: 3.5 us, inflight: 8, lane: { overhead: 0.5 us, bandwidth: 3 GB/s, slice: 16 KiB }, gap: 7 us }
  Simple: { lane: { overhead: 2 us, bandwidth: 20 GB/s, visible: 0.5, local: { bandwidth: 30 GB/s } } }
`;
const proxied = '  - { duplex: 0 <-> 1, lane: { buffered: true, gap: 53 us, latency: 10 us } }\n';

describe('lanes', () => {
  it('have local work as fast as five times their bandwidth, and no slices, unless it is said', () => {
    const { lane, launch } = read(file('chip: { lane: { overhead: 2 us, bandwidth: 4 GB/s } }\nlaunch: 9.5 us\n'));
    expect(launch).toBe(9.5e-6);
    const local = { overhead: 2e-6, bandwidth: 20e9 };
    expect(lane).toEqual({
      overhead: 2e-6,
      bandwidth: 4e9,
      visible: 1,
      slice: Number.POSITIVE_INFINITY,
      count: Number.POSITIVE_INFINITY,
      local,
    });
  });

  it('take the latencies of links that are for them, which say nothing otherwise', () => {
    const withLanes = 'chip: { lane: { overhead: 2 us, bandwidth: 4 GB/s } }\n';
    expect(read(file(withLanes, proxied)).links.map(({ latency }) => latency)).toEqual([10e-6, 10e-6]);
    const plain = read(file('', proxied));
    expect(plain.links.map(({ latency }) => latency)).toEqual([1e-6, 1e-6]);
    expect(topologyDigest(plain)).toBe(topologyDigest(read(file(''))));
  });
});

describe('a protocol', () => {
  const machine = read(file(protocols, proxied));

  it('has no effect until it is chosen', () => {
    expect([machine.lane, machine.launch, machine.inflight]).toEqual([undefined, undefined, undefined]);
    expect(topologyDigest(machine)).toBe(topologyDigest(read(file(''))));
  });

  it('may have long messages, which need all of their numbers', () => {
    const long = (numbers: string) =>
      file(`chip: { lane: { overhead: 1 us, bandwidth: 2 GB/s, long: { ${numbers} } } }\n`);
    const { lane } = read(long('above: 4 KiB, overhead: 3 us, bandwidth: 16 GB/s'));
    expect(lane?.long).toEqual({ above: 4096, overhead: 3e-6, bandwidth: 16e9 });
    expect(failureOf(() => read(long('above: 4 KiB, overhead: 3 us'))).message).toContain("needs 'bandwidth'");
    expect(failureOf(() => read(long('over: 4 KiB'))).message).toContain("no 'over'");
  });

  it('takes the place of launch, inflight, lane and gaps', () => {
    const chosen = withProtocol(machine, 'll');
    expect([chosen.protocol, chosen.name, chosen.launch, chosen.inflight]).toEqual([
      'LL',
      'test --protocol LL',
      3.5e-6,
      8,
    ]);
    expect(chosen.lane).toMatchObject({ overhead: 0.5e-6, bandwidth: 3e9, visible: 1, slice: 16384 });
    expect(chosen.links[0]).toMatchObject({ latency: 10e-6, lane: { buffered: true, gap: 7e-6 } });
    const other = withProtocol(machine, 'Simple');
    expect(other.lane?.local).toEqual({ overhead: 2e-6, bandwidth: 30e9 });
    expect(other.links[0].lane?.gap).toBe(53e-6);
    expect(new Set([machine, chosen, other].map(topologyDigest)).size).toBe(3);
  });

  it('is said to be within a factor of 2 unless it is calibrated', () => {
    const said = (status: string): string => withProtocol(read(file(`${protocols}${status}`)), 'LL').notes.join();
    expect(said('status: { protocols.LL: published }\n')).toBe(
      'LL: published constants rank plans well; times are within about a factor of 2',
    );
    expect(said('')).toContain('assumed constants');
    expect(said('status: { protocols.LL: calibrated }\n')).toBe('');
  });

  it('is one of those that there are', () => {
    expect(failureOf(() => withProtocol(machine, 'LL128')).message).toContain('LL, Simple');
    expect(failureOf(() => withProtocol(read(file('')), 'LL')).message).toContain('no protocols');
  });
});

describe('shipped machines', () => {
  it.each(['a100', 'h100', 'mi300x'])(
    '%s has published protocols, each with its source, and says what is assumed',
    (name) => {
      const machine = resolveTopology(name);
      expect(machine.lane).toBeUndefined();
      // RCCL's model of MI300X has zeros for LL128, which it does not take there.
      const protocols = name === 'mi300x' ? ['LL', 'Simple'] : ['LL', 'LL128', 'Simple'];
      expect(Object.keys(machine.protocols ?? {})).toEqual(protocols);
      for (const [protocol, { source }] of Object.entries(machine.protocols ?? {})) {
        expect(source).toMatch(/^R?NCCL|^RCCL/);
        expect(machine.status?.[`protocols.${protocol}`]).toBe('published');
      }
      expect(Object.values(machine.status ?? {})).toContain('assumed');
    },
  );

  it('split a hop of NCCL into two overheads and a latency', () => {
    const { lane, launch, links } = withProtocol(resolveTopology('h100:2'), 'Simple');
    const latency = (bandwidth: number): number =>
      2 * (links.find((link) => link.bandwidth === bandwidth)?.latency ?? 0);
    // Base 8.4 us, NVLink hop 3.4 us and 0.3 us of link, network 14 us.
    expect(launch).toBeCloseTo(8.4e-6, 12);
    expect(2 * (lane?.overhead ?? 0)).toBeCloseTo(3.4e-6, 12);
    expect(latency(450e9)).toBeCloseTo(0.3e-6, 12);
    expect(2 * (lane?.overhead ?? 0) + latency(50e9)).toBeCloseTo(14e-6, 12);
  });
});

describe('numbers', () => {
  it('are replaced one by one', () => {
    const machine = read(file('chip: { lane: { overhead: 2 us, bandwidth: 4 GB/s, slice: 8 KiB } }\n'));
    const changed = withTiming(machine, { launch: 1e-6, lane: { visible: 0.25, local: { overhead: 0 } } });
    expect(changed.launch).toBe(1e-6);
    expect(changed.lane).toEqual({
      ...{ overhead: 2e-6, bandwidth: 4e9, visible: 0.25, slice: 8192, count: Number.POSITIVE_INFINITY },
      local: { overhead: 0, bandwidth: 20e9 },
    });
    expect(failureOf(() => withTiming(read(file('')), { lane: { overhead: 1e-6 } })).message).toContain('bandwidth');
  });
});

describe('machines that cannot be', () => {
  it('buffer where nothing can be buffered', () => {
    const lane = 'chip: { lane: { overhead: 2 us, bandwidth: 4 GB/s } }\ninflight: 0\n';
    expect(failureOf(() => read(file(lane, proxied))).code).toBe('topology');
    expect(read(file('inflight: 0\n', proxied)).inflight).toBe(0);
  });

  it('have compact plans and lanes', () => {
    const source = file('launch: 1 us\n');
    const error = failureOf(() => resolveSymmetricTopology('test.yaml', { read: () => source }));
    expect([error.code, error.message]).toEqual(['unsupported', expect.stringContaining('launch and lanes')]);
  });
});

const text = (body: string, links?: string): string => file(body, links).text;
const mistakes: readonly BadInput[] = [
  ['lanes without a bandwidth', text('chip: { lane: ⟦{ overhead: 1 us }⟧ }\n'), 'schema', ["'bandwidth'"]],
  ['a launch without a unit', text('launch: ⟦3⟧\n'), 'unit', ['us']],
  [
    'more than all of a message',
    text('chip: { lane: { overhead: 1 us, bandwidth: 1 GB/s, visible: ⟦1.5⟧ } }\n'),
    'range',
    ['0 to 1', '1.5'],
  ],
  [
    'a negative slice',
    text('chip: { lane: { overhead: 1 us, bandwidth: 1 GB/s, slice: ⟦0 B⟧ } }\n'),
    'range',
    ['more than 0'],
  ],
  ['a gap without a proxy', text('', '  - { duplex: 0 <-> 1, lane: { ⟦gap⟧: 1 us } }\n'), 'schema', ['buffered']],
  [
    'half a rendezvous',
    text('', '  - { duplex: 0 <-> 1, lane: { buffered: true, rendezvous: { ⟦above⟧: 8 KiB } } }\n'),
    'schema',
    ["'gap'"],
  ],
  ['a protocol without a lane', text('protocols: { LL: ⟦{ launch: 1 us }⟧ }\n'), 'schema', ["'overhead'"]],
  ['a protocol called auto', text('protocols: { ⟦auto⟧: { launch: 1 us } }\n'), 'schema', ["'auto'"]],
  [
    'a protocol with another key',
    text('protocols: { LL: { ⟦slots⟧: 8, lane: { overhead: 1 us, bandwidth: 1 GB/s } } }\n'),
    'schema',
    ['slots'],
  ],
  ['a status of nothing', text('status: { ⟦lunch⟧: published }\n'), 'schema', ["'lunch'"]],
  ['a status that is none', text('status: { launch: ⟦guessed⟧ }\n'), 'schema', ['calibrated']],
];

describe('a mistake', () => {
  it.each(mistakes)('is refused with its place: %s', (...input) => expectFailure(read, input));
});
