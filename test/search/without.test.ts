/** A broken link or chip on every shipped topology: a plan, or an error that says what cannot be reached. */
import { describe, expect, it } from 'vitest';
import { resolveTopology, searchDefaults, searchPlan, type Topology } from '../../src/index.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { listShipped, withoutParts } from '../../src/read/index.ts';
import { collectiveOf } from '../collectives.ts';
import { testSeed } from '../draw.ts';

const topologies = listShipped('topologies').map((name) => resolveTopology(name));

/** What `--without` calls a node: chips by rank, others by name. */
function reference(topology: Topology, node: number): string {
  const rank = topology.chips.indexOf(node);
  return rank >= 0 ? String(rank) : topology.nodes[node].name;
}

/** A part of a machine, as `--without` calls it and by the nodes that it takes away: one, or both ends of a link. */
interface Part {
  readonly text: string;
  readonly nodes: readonly number[];
}

/** Every linked pair, every chip and every switch or host. */
function parts(topology: Topology): Part[] {
  const links = topology.links
    .map(({ from, to }) => (from < to ? [from, to] : [to, from]))
    .map((nodes) => ({ text: `link:${nodes.map((node) => reference(topology, node)).join('-')}`, nodes }));
  const chips = topology.chips.map((node, rank) => ({ text: `chip:${rank}`, nodes: [node] }));
  const others = topology.nodes.flatMap(({ kind, name }, node) =>
    kind === 'chip' ? [] : [{ text: name, nodes: [node] }],
  );
  return [...new Map([...links, ...chips, ...others].map((part) => [part.text, part])).values()];
}

function without(topology: Topology, text: string): Topology {
  return withoutParts(topology, [text]);
}

/** Whether every chip reaches every other, by Warshall's closure of what is left. */
function staysConnected(topology: Topology, { nodes }: Part): boolean {
  const gone = nodes.length === 1 ? nodes[0] : -1;
  const cut = nodes.length === 2 ? nodes : [];
  const size = topology.nodes.length;
  const reach = Array.from({ length: size }, (_, node) => new Uint8Array(size).fill(1, node, node + 1));
  for (const { from, to } of topology.links) {
    if (from === gone || to === gone || (cut.includes(from) && cut.includes(to))) continue;
    reach[from][to] = 1;
  }
  for (let via = 0; via < size; via++) {
    for (let from = 0; from < size; from++) {
      if (reach[from][via] === 1) for (let to = 0; to < size; to++) reach[from][to] |= reach[via][to];
    }
  }
  const chips = topology.chips.filter((chip) => chip !== gone);
  return chips.every((from) => chips.every((to) => reach[from][to] === 1));
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'fine';
  } catch (error) {
    if (error instanceof CccError) return error.code;
    throw error;
  }
}

describe.each(topologies.map((topology) => [topology.name, topology] as const))('the machine %s', (_, topology) => {
  it('loses any link or node, or says that it would fall apart', () => {
    for (const part of parts(topology)) {
      const expected = staysConnected(topology, part) ? 'fine' : 'disconnected';
      expect(`${part.text}: ${codeOf(() => without(topology, part.text))}`).toBe(`${part.text}: ${expected}`);
    }
  });

  it('has a plan without any part that leaves its chips connected', () => {
    // One of them, another each day; for allgather or allreduce.
    const possible = parts(topology).filter((part) => staysConnected(topology, part));
    if (possible.length === 0) return;
    const { text } = possible[testSeed % possible.length];
    const broken = without(topology, text);
    const collective = collectiveOf(testSeed % 2 === 0 ? 'allgather' : 'allreduce', broken.chips.length);
    const { bundle } = searchPlan({
      ...searchDefaults,
      collective,
      topology: broken,
      size: 2 ** 20,
      engine: 'library',
    });
    expect(bundle.proved.verification.verdict).toBe('correct');
    expect(bundle.proved.plan.name).toContain(text.replaceAll(/[ :]/g, '-'));
    expect(bundle.bound.seconds).toBeLessThanOrEqual(bundle.cost.seconds * (1 + 1e-9));
  });
});

describe('what --without takes', () => {
  const topology = resolveTopology('fattree');

  it.each(['link:0-switch 0', 'link:0-switch0', ' link: switch 0 - 0 '])('finds the link that %s names', (text) => {
    expect(codeOf(() => without(topology, text))).toBe('disconnected');
  });

  it.each([
    ['link:0-switch 99', 'fattree has no switch 99; '],
    ['link:0-host 0', 'fattree has no host 0; '],
    ['link:0-1', 'fattree has no link between chip 0 and chip 1; chip 0 has links to switch 0'],
    ['chip:16', 'fattree has no chip 16: there are 0 … 15'],
    ['switch:6', 'fattree has no switch:6; did you mean'],
    ['link:switch', "expected the two ends of a link, such as link:0-1 or link:0-switch2, found 'switch'"],
    [' ', 'expected link:A-B, chip:R, switch:K or the name of a node'],
  ])('refuses %s', (text, message) => {
    expect(() => without(topology, text)).toThrow(message);
  });

  it('takes nodes and links by their names, whatever their case and spaces, each as on the whole machine', () => {
    const text = [
      'format: ccc-topology\nversion: 1\nname: box\nchips: 4\nchip: { name: "GPU-{r // 2}.{r % 2}" }',
      'switches: [ { name: NVSwitch }, { count: 2, name: "NIC {i}" } ]\nlink: { latency: 1 us, bandwidth: 1 GB/s }',
      'links: [ { for: [ r in ranks, s in 0 .. 2 ], duplex: r <-> switch s } ]\n',
    ].join('\n');
    const box = resolveTopology('box.yaml', { read: (name) => ({ name, text }) });
    const named = ({ nodes }: Topology) => nodes.map(({ name }) => name).join(' ');
    expect(named(box)).toBe('GPU-0.0 GPU-0.1 GPU-1.0 GPU-1.1 NVSwitch NIC 0 NIC 1');
    const left = withoutParts(box, ['nic:0', 'GPU-0.1', 'switch:2', 'chip:0', 'link:gpu-1.1-nic 1', 'link:2-nic:1']);
    expect(left).toMatchObject({
      name: 'box --without link:3-NIC 1 --without link:2-NIC 1 --without NIC 1 --without NIC 0 --without chip:1 --without chip:0',
      chips: [0, 1],
    });
    expect(named(left)).toBe('GPU-1.0 GPU-1.1 NVSwitch');
  });

  it('refuses a name that several nodes have', () => {
    const text = 'format: ccc-topology\nversion: 1\nname: box\nchips: 1\nswitches: 2\nswitch: { name: NIC }\n';
    const box = resolveTopology('box.yaml', { read: (name) => ({ name, text }) });
    expect(() => withoutParts(box, ['NIC'])).toThrow('box has 2 nodes called NIC: say which by its kind and number');
    expect(withoutParts(box, ['switch:1']).nodes).toHaveLength(2);
  });

  it('says that a machine has only chips', () => {
    expect(() => without(resolveTopology('ring:4'), 'link:0-switch 1')).toThrow(
      'ring:4 has no switch 1; it has only chips',
    );
  });
});
