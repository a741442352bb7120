/** Ways that start together, on hosts whose processors are joined by less than PCIe carries. */
import { describe, expect, it } from 'vitest';
import type { Topology } from '../../../src/ir/topology.ts';
import { parseTopology } from '../../../src/read/topology/file.ts';
import { candidatesOn, provedSeconds, reasonsOn } from './support.ts';

/** Two processors with three GPUs each: 24 GB/s to a GPU, 16 GB/s between the processors. */
const host: Topology = parseTopology(
  {
    name: 'host.yaml',
    text: `
format: ccc-topology
version: 1
name: host
about: two processors with three GPUs each
chips: 6
hosts: 2
link: { occupancy: pipelined, latency: 0.5 us }
links:
  - duplex: host 0 <-> host 1
    bandwidth: 16 GB/s
  - for: r in 0 .. 5
    duplex: r <-> host r // 3
    bandwidth: 24 GB/s
`,
  },
  { name: 'host', values: [] },
);
const size = 48 * 2 ** 20;

describe('ways that start together', () => {
  it('keep PCIe busy with messages of two lengths where slots of one length would leave a sixth of it idle', () => {
    const [candidate] = candidatesOn(host, { kind: 'allgather', size }).filter(({ name }) => name.includes('together'));
    // Everyone gets five shards over PCIe. Three of them cross, each of which keeps the processors' link busy for one and a half times as long.
    const least = ((5 / 6) * size) / 24e9;
    const seconds = provedSeconds(candidate.build(1), host, size);
    expect(seconds).toBeGreaterThan(least);
    // In slots of one length, a link that is busy for one and a half of them is busy for two: six for the three that cross, 6/5 of the least.
    expect(seconds).toBeLessThan(least * 1.03);
  });

  it('are looked for where messages are long, and some links of a way are faster than others', () => {
    const reasons = (bytes: number, machine: Topology | string): readonly string[] =>
      reasonsOn(machine, { kind: 'allgather', size: bytes });
    expect(reasons(2 ** 20, host)).toContain('messages of 40 parts of a shard would be too short');
    expect(reasons(size, 'ring:6')).toContain('no message keeps a link busy for longer than another');
  });
});
