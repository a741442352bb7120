/** nvidia-smi topo -m, ASTRA-sim's networks and SCCL's topologies: what becomes of them, worked out by hand. */
import { describe, expect, it } from 'vitest';
import { CccError } from '../../../src/ir/diagnostic.ts';
import { type DumpOptions, dumpKindOf } from '../../../src/read/index.ts';
import { converted, linksOf, machineOf, pairsOf } from './support.ts';

async function errorOf(text: string, options: DumpOptions = {}): Promise<CccError> {
  try {
    await converted(text, options);
  } catch (error) {
    if (error instanceof CccError) return error;
    throw error;
  }
  throw new Error('it was read');
}

/** A table, columns apart by tabs as the tool writes them, its head underlined for a terminal. */
function table(head: string, ...rows: readonly string[]): string {
  const tabbed = (line: string) => line.trim().split(/\s+/).join('\t');
  return `\t\u001b[4m${tabbed(head)}\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u001b[0m\n${rows.map(tabbed).join('\n')}\n`;
}

const legend =
  '\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n';

describe('nvidia-smi topo -m', () => {
  const switched = table(
    'GPU0 GPU1 GPU2 GPU3 NIC0 NIC1',
    'GPU0 X NV18 NV18 NV18 PIX SYS 0-51 0 N/A',
    'GPU1 NV18 X NV18 NV18 PXB SYS 0-51 0 N/A',
    'GPU2 NV18 NV18 X NV18 SYS NODE 52-103 1 N/A',
    'GPU3 NV18 NV18 NV18 X SYS NODE 52-103 1 N/A',
    'NIC0 PIX PXB SYS SYS X SYS',
    'NIC1 SYS SYS NODE NODE SYS X',
  );

  it('has a switch where GPUs show more links than they have', async () => {
    // 18 links of 20.6 GB/s
    expect(pairsOf(await machineOf(switched + legend, { gpu: 'H100' }))).toEqual(
      [0, 1, 2, 3].map((r) => `gpu ${r} - NVSwitch: 370.8`),
    );
  });

  it('has the PCIe tree that the distances tell, with NICs for boxes', async () => {
    const pairs = pairsOf(await machineOf(switched, { gpu: 'h100', boxes: 2, links: 'all' })).filter(
      (pair) => !pair.includes('1.') && !pair.includes('NVSwitch'),
    );
    expect(pairs).toEqual(
      [
        ...[
          'gpu 0.0 - PCIe switch 0: 48',
          'PCIe switch 0 - NIC 0.0: 48',
          'PCIe switch 0 - CPU 0.0: 48',
          'NIC 0.0 - network: 50',
        ],
        ...['gpu 0.1 - PCIe switch 0: 48', 'NIC 0.1 - CPU 0.1: 48', 'NIC 0.1 - network: 50'],
        ...['gpu 0.2 - CPU 0.1: 48', 'gpu 0.3 - CPU 0.1: 48'],
        'CPU 0.0 - CPU 0.1: 6',
      ].sort(),
    );
  });

  it('has links between GPUs where they have enough for that', async () => {
    const direct = table('GPU0 GPU1 GPU2', 'GPU0 X NV2 NV1 0-7', 'GPU1 NV2 X PHB 0-7', 'GPU2 NV1 PHB X 0-7');
    expect(pairsOf(await machineOf(direct, { gpu: 'v100' }))).toEqual(['gpu 0 - gpu 1: 40', 'gpu 0 - gpu 2: 20']);
    const machine = await machineOf(direct, { gpu: 'v100', links: 'all' });
    expect(pairsOf(machine)).toEqual([
      'gpu 0 - CPU 0: 12',
      'gpu 0 - gpu 1: 40',
      'gpu 0 - gpu 2: 20',
      'gpu 1 - CPU 0: 12',
      'gpu 2 - CPU 0: 12',
    ]);
    expect(machine.links[0].units).toBe(2);
  });

  it.each<[string, string, DumpOptions, string, string[]]>([
    ['no GPU said', switched, {}, 'usage', ['--gpu', 'h100']],
    ['a GPU that there is not', switched, { gpu: 'h101' }, 'unknown-name', ['h101', 'did you mean']],
    ['a row that is missing', switched.split('\n').slice(0, -2).join('\n'), { gpu: 'h100' }, 'schema', ['NIC1', 'cut']],
    [
      'a row cut off',
      switched.replace(/NIC0\tPIX\tPXB\tSYS.*/, 'NIC0\tPIX'),
      { gpu: 'h100' },
      'schema',
      ['NIC0', '1 entry', '6'],
    ],
    ['a word that is no distance', switched.replaceAll('NODE', 'FAR'), { gpu: 'h100' }, 'schema', ['FAR', 'PHB']],
    ['a table that contradicts itself', switched.replace('PXB', 'PIX'), { gpu: 'h100' }, 'schema', ['GPU1', 'NIC0']],
    ['two hosts', `${switched}${switched}`, { gpu: 'h100' }, 'topology', ['one host']],
    [
      'more links than the GPU has',
      table('GPU0 GPU1 GPU2', 'GPU0 X NV12 PHB', 'GPU1 NV12 X NV12', 'GPU2 PHB NV12 X'),
      { gpu: 'a100' },
      'topology',
      ['24', '12'],
    ],
    ['a column twice', 'GPU0 GPU0\nGPU0 X X\n', { gpu: 't4' }, 'schema', ['twice']],
  ])('is refused with %s', async (_, text, options, code, words) => {
    const error = await errorOf(text, options);
    expect(error.code).toBe(code);
    for (const word of words) expect(error.message).toContain(word);
  });
});

describe("ASTRA-sim's network", () => {
  const network = (topology: string, counts: string, bandwidth: string, latency: string) =>
    `# comment\ntopology: [ ${topology} ]\nnpus_count: [ ${counts} ]  # NPUs\nbandwidth: [ ${bandwidth} ]\nlatency: [ ${latency} ]\n`;

  it('is rings, meshes and switches, the first dimension fastest, with a GB of 2^30 bytes', async () => {
    const machine = await machineOf(network('Ring, FullyConnected, Switch', '3, 2, 2', '1, 2, 4', '10, 20.5, 30'));
    const expected: string[] = [];
    for (const outer of [0, 1]) {
      for (const middle of [0, 1]) {
        const at = (x: number, y = middle, z = outer) => x + 3 * y + 6 * z;
        for (const x of [0, 1, 2]) {
          expected.push(`NPU ${Math.min(at(x), at((x + 1) % 3))} - NPU ${Math.max(at(x), at((x + 1) % 3))}: 1.073742`);
          if (middle === 0) expected.push(`NPU ${at(x)} - NPU ${at(x, 1)}: 2.147484`);
          expected.push(`NPU ${at(x)} - switch ${x + 3 * middle} of dimension 2: 4.294967`);
        }
      }
    }
    expect(pairsOf(machine)).toEqual(expected.sort());
    expect(new Set(machine.links.map(({ latency }) => latency))).toEqual(new Set([1e-8, 20.5e-9, 3e-8]));
  });

  it('has one link in a ring of two, and none in a dimension of one', async () => {
    expect(pairsOf(await machineOf(network('Ring, Switch', '2, 1', '1, 1', '1, 1')))).toEqual([
      'NPU 0 - NPU 1: 1.073742',
    ]);
    expect((await machineOf(network('Ring', '1', '1', '1'))).links).toEqual([]);
  });

  it.each<[string, string, DumpOptions, string, string[]]>([
    ['an unknown shape', network('Rnig', '4', '1', '1'), {}, 'schema', ['Rnig', 'Ring']],
    ['a dimension short', network('Ring, Ring', '4', '1, 1', '1, 1'), {}, 'schema', ['npus_count', '2 dimensions']],
    ['half an NPU', network('Ring', '1.5', '1', '1'), {}, 'range', ['whole number', '1.5']],
    ['no bandwidth', network('Ring', '4', '0', '1'), {}, 'range', ['bandwidth']],
    ['too many NPUs', network('Ring, Ring', '1000, 1000', '1, 1', '1, 1'), {}, 'limit', ['ranks']],
    ['a key of something else', `${network('Ring', '4', '1', '1')}links: 3\n`, {}, 'schema', ['links']],
    ['boxes', network('Ring', '4', '1', '1'), { boxes: 2 }, 'usage', ['--boxes', 'ASTRA-sim']],
  ])('is refused with %s', async (_, text, options, code, words) => {
    const error = await errorOf(text, options);
    expect(error.code).toBe(code);
    for (const word of words) expect(error.message).toContain(word);
  });
});

describe("SCCL's topology", () => {
  const json = (links: readonly (readonly number[])[], switches: unknown = []) =>
    JSON.stringify({ sccl_type: 'topology', name: 'Tri', links, switches });

  it('has links[dst][src], as many units as chunks', async () => {
    const machine = await machineOf(
      json([
        [0, 2, 0],
        [2, 0, 1],
        [0, 3, 0],
      ]),
      {},
      'tri.json',
    );
    expect(machine.name).toBe('Tri');
    expect(linksOf(machine)).toEqual([
      'chip 0 > chip 1: 50',
      'chip 1 > chip 0: 50',
      'chip 1 > chip 2: 75',
      'chip 2 > chip 1: 25',
    ]);
    expect(machine.links.map(({ units }) => units).sort()).toEqual([1, 2, 2, 3]);
  });

  it('has a switch for what a chip sends or receives in all', async () => {
    const all = [
      [0, 1, 1],
      [1, 0, 1],
      [1, 1, 0],
    ];
    const machine = await machineOf(
      json(all, [
        [[0], [1, 2], 1, 'out'],
        [[0, 1], [2], 2, 'in'],
      ]),
    );
    // 0 → 2 goes through both.
    expect(linksOf(machine)).toEqual(
      [
        ...['chip 0 > out: 25', 'out > chip 1: 25', 'out > in: 25', 'chip 1 > in: 25', 'in > chip 2: 50'],
        ...['chip 1 > chip 0: 25', 'chip 2 > chip 0: 25', 'chip 2 > chip 1: 25'],
      ].sort(),
    );
  });

  it.each([
    [
      'cut in half',
      json([
        [0, 1],
        [1, 0],
      ]).slice(0, -10),
      'syntax',
      [],
    ],
    [
      'no square',
      json([
        [0, 1],
        [1, 0],
        [1, 1],
      ]),
      'schema',
      ['3 rows of 2'],
    ],
    ['rows of two lengths', json([[0, 1], [1]]), 'schema', ['expected 2 numbers']],
    ['a link to itself', json([[1]]), 'schema', ['itself']],
    [
      'half a chunk',
      json([
        [0, 0.5],
        [1, 0],
      ]),
      'schema',
      ['chunks per round'],
    ],
    [
      'a chip that is not there',
      json(
        [
          [0, 1],
          [1, 0],
        ],
        [[[0], [2], 1, 'a']],
      ),
      'schema',
      ['no chip 2'],
    ],
    [
      'several to several',
      json(
        [
          [0, 1],
          [1, 0],
        ],
        [[[0, 1], [0, 1], 1, 'bus']],
      ),
      'unsupported',
      ['bus'],
    ],
    [
      'two limits for one link',
      json(
        [
          [0, 1],
          [1, 0],
        ],
        [
          [[0], [1], 1, 'a'],
          [[0], [1], 1, 'b'],
        ],
      ),
      'unsupported',
      ['a', 'b'],
    ],
    ['no links', '{"sccl_type":"topology","name":"x"}', 'schema', ['links']],
  ])('is refused with %s', async (_, text, code, words) => {
    const error = await errorOf(text);
    expect(error.code).toBe(code);
    for (const word of words) expect(error.message).toContain(word);
  });

  it('takes names as they are: braces in them are no expressions', async () => {
    const machine = await machineOf(
      json(
        [
          [0, 1],
          [1, 0],
        ],
        [[[0], [1], 1, '{evil}\n# x: "']],
      ),
    );
    expect(machine.nodes.map(({ name }) => name)).toEqual(['chip 0', 'chip 1', 'evil # x: "']);
  });
});

describe('what a file is', () => {
  it.each([
    ['format: ccc-topology\nversion: 1\n', undefined],
    ['<algo name="a"/>', undefined],
    ['<!-- a --><system version="1"/>', 'nccl'],
    ['\u001b[4m\tGPU0\tGPU1\n', 'smi'],
    ['topology: [ Ring ]\nnpus_count: [ 2 ]\n', 'astra'],
    ['{"msccl_type": "topology"}', 'sccl'],
    ['{"sccl_type": "algorithm"}', undefined],
    ['{"format": "ccc-plan"}', undefined],
  ])('%j is %s', (text, kind) => expect(dumpKindOf({ name: 'a', text })).toBe(kind));
});
