/** Topologies of NCCL and RCCL: links and bandwidths worked out by hand from the libraries' tables. */
import { describe, expect, it } from 'vitest';
import { CccError } from '../../../src/ir/diagnostic.ts';
import { amd, converted, cpu, gpu, intel, linksOf, machineOf, nic, pairsOf, pci, system } from './support.ts';

const nvlink = (target: string, count: number, tclass = '0x030200') =>
  `<nvlink target="${target}" count="${count}" tclass="${tclass}"/>`;
const xgmi = (target: string, count = 1) => `<xgmi target="${target}" count="${count}" tclass="0x038000"/>`;

/** Two GPUs below a switch with a NIC, on each of two processors; all on NVSwitches. */
const boxed = system(
  ...[0, 1].map((home) =>
    cpu(
      intel,
      pci(
        `0000:${home}0:00.0`,
        [0, 1]
          .map((place) =>
            pci(
              `0000:${home}${place + 1}:00.0`,
              gpu(
                2 * home + place,
                'sm="90"',
                nvlink('0000:f0:00.0', 10, '0x068000'),
                nvlink('0000:f1:00.0', 8, '0x068000'),
              ),
              '32.0 GT/s PCIe',
            ),
          )
          .join('') + pci(`0000:${home}8:00.0`, nic(home, 400_000), '32 GT/s'),
        '16 GT/s',
      ),
    ),
  ),
);

/** Two pairs of GPUs: XGMI joins the GPUs of a pair, the processors the pairs. */
const islands = system(
  ...[0, 1].map((home) =>
    cpu(
      amd,
      ...[0, 1].map((place) =>
        pci(
          `0000:${home}${place}:00.0`,
          gpu(2 * home + place, 'sm="120" gcn="910"', xgmi(`0000:${home}${1 - place}:00.0`, 2)),
        ),
      ),
    ),
  ),
);

async function errorOf(text: string): Promise<CccError> {
  try {
    await converted(text);
  } catch (error) {
    if (error instanceof CccError) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('a host of NCCL', () => {
  it('has all NVSwitches as one, and no PCIe where NVLink joins all', async () => {
    const machine = await machineOf(boxed);
    // (10 + 8) · 20.6
    expect(pairsOf(machine)).toEqual([0, 1, 2, 3].map((r) => `gpu ${r} - NVSwitch: 370.8`));
    expect(machine.notes.join('; ')).toMatch(/PCIe between GPUs is left out.*2 NICs are left out/);
    expect(machine.name).toBe('dump');
  });

  it('has its PCIe tree too with --links all, bridges being no nodes', async () => {
    // 32 GT/s x16: 240 · 16 / 80 = 48; 16 GT/s: 24. A NIC leads nowhere.
    expect(pairsOf(await machineOf(boxed, { links: 'all' }))).toEqual(
      [
        'CPU 0 - CPU 1: 10',
        ...[0, 1, 2, 3].map((r) => `gpu ${r} - NVSwitch: 370.8`),
        ...[0, 1, 2, 3].map((r) => `gpu ${r} - PCIe switch ${r >> 1}: 48`),
        ...['PCIe switch 0 - CPU 0: 24', 'PCIe switch 1 - CPU 1: 24'],
      ].sort(),
    );
  });

  it('becomes boxes on a switch over the NICs that are nearest to each GPU', async () => {
    const machine = await machineOf(boxed, { boxes: 2 });
    const boxesOf = (...links: readonly string[]) =>
      [0, 1].flatMap((box) => links.map((link) => link.replaceAll('B', String(box))));
    expect(pairsOf(machine)).toEqual(
      boxesOf(
        ...[0, 1, 2, 3].flatMap((r) => [`gpu B.${r} - NVSwitch B: 370.8`, `gpu B.${r} - PCIe switch B.${r >> 1}: 48`]),
        ...[0, 1].flatMap((n) => [`PCIe switch B.${n} - NIC B.${n}: 48`, `NIC B.${n} - network: 50`]),
      ).sort(),
    );
    expect(machine.groups).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ]);
    const source = await converted(boxed, { boxes: 2 });
    expect(source.text).toContain('boxes: { default: 2');
  });

  it('has PCIe where XGMI does not join all', async () => {
    const expected = [
      ...['gpu 0 - gpu 1: 72', 'gpu 2 - gpu 3: 72', 'CPU 0 - CPU 1: 16'],
      ...[0, 1, 2, 3].map((r) => `gpu ${r} - CPU ${r >> 1}: 24`),
    ].sort();
    expect(pairsOf(await machineOf(islands))).toEqual(expected);
    expect(pairsOf(await machineOf(islands, { links: 'all' }))).toEqual(expected);
  });

  it.each([
    ['sm="60"', 36],
    ['sm="70"', 40],
    ['sm="80"', 40],
    ['sm="86"', 24],
    ['sm="89"', 40],
    ['sm="90"', 41.2],
    ['sm="100"', 80.2],
    ['sm="120"', 80.2],
  ])('two NVLinks of %s are %d GB/s', async (kind, rate) => {
    const pair = [0, 1].map((r) => pci(`0000:0${r}:00.0`, gpu(r, kind, nvlink(`0000:0${1 - r}:00.0`, 2))));
    expect(linksOf(await machineOf(system(cpu(intel, ...pair))))).toEqual([
      `gpu 0 > gpu 1: ${rate}`,
      `gpu 1 > gpu 0: ${rate}`,
    ]);
  });

  it.each([
    ['gcn="906"', 24],
    ['gcn="908"', 24],
    ['gcn="910"', 36],
    ['gcn="gfx90a:sramecc+"', 36],
    ['gcn="gfx942"', 48],
    ['gcn="940"', 48],
    ['gcn="gfx1100"', 24],
  ])('an XGMI link of %s is %d GB/s', async (kind, rate) => {
    const pair = [0, 1].map((r) => pci(`0000:0${r}:00.0`, gpu(r, `sm="1" ${kind}`, xgmi(`0000:0${1 - r}:00.0`))));
    expect(pairsOf(await machineOf(system(cpu(amd, ...pair))))).toEqual([`gpu 0 - gpu 1: ${rate}`]);
  });

  it.each([
    ['2.5 GT/s', 16, 3],
    ['5.0 GT/s PCIe', 8, 3],
    ['8 GT/s', 0, 12],
    ['16.0 GT/s PCIe', 4, 6],
    ['64.0 GT/s PCIe', 16, 96],
    ['Unknown', 16, 12],
  ])('PCIe of %s x%d is %d GB/s', async (speed, width, rate) => {
    const devices = [0, 1].map((r) => pci(`0000:0${r}:00.0`, gpu(r, 'sm="75"'), speed, width));
    expect(pairsOf(await machineOf(system(cpu(intel, ...devices))))).toEqual(
      [0, 1].map((r) => `gpu ${r} - CPU 0: ${rate}`),
    );
  });

  it.each([
    [intel, 10],
    ['arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143"', 22],
    ['arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="207"', 40],
    ['arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="79"', 6],
    [amd, 16],
    ['arch="arm64"', 6],
    ['arch="ppc64"', 32],
    ['arch="x86_64" vendor="  Shanghai  " familyid="7" modelid="91"', 9],
    ['arch="x86_64" vendor="CentaurHauls" familyid="6" modelid="1"', 6],
  ])('processors with %s are joined at %d GB/s', async (kind, rate) => {
    const host = system(...[0, 1].map((r) => cpu(kind, pci(`0000:0${r}:00.0`, gpu(r, 'sm="75"')))));
    expect(pairsOf(await machineOf(host))).toContain(`CPU 0 - CPU 1: ${rate}`);
  });

  it('takes C2C and NVLinks to processors in place of PCIe', async () => {
    const devices = [
      pci('0000:00:00.0', gpu(0, 'sm="90"', '<c2c bw="44712" count="10"/>'), '8 GT/s'),
      pci('0000:01:00.0', gpu(1, 'sm="70"', nvlink('ffff', 3, '0x068001'))),
    ];
    expect(pairsOf(await machineOf(system(cpu('arch="arm64"', ...devices))))).toEqual([
      'gpu 0 - CPU 0: 447.12',
      'gpu 1 - CPU 0: 60',
    ]);
  });

  it('numbers GPUs by device, adds up entries for one target and keeps links that go one way', async () => {
    const text = system(
      cpu(
        amd,
        pci('0000:00:00.0', gpu(2, 'sm="80"', nvlink('0000:01:00.0', 1), nvlink('0000:01:00.0', 2))),
        pci('0000:01:00.0', gpu(0, 'sm="80"', nvlink('0000:00:00.0', 1), nvlink('0000:77:00.0', 1))),
      ),
    );
    const machine = await machineOf(text);
    // gpu 0 is device 0, gpu 1 device 2.
    expect(linksOf(machine)).toEqual(['gpu 0 > gpu 1: 20', 'gpu 1 > gpu 0: 60']);
    expect(machine.notes.join('; ')).toMatch(/1 link to GPUs that the file does not have.*the devices 0, 2/);
  });

  it('counts the ports of a NIC together, once each, and slow ones that do not say how slow as 10 Gb/s', async () => {
    const net = (name: string, port: number, speed: number) =>
      `<net name="${name}" dev="0" speed="${speed}" port="${port}"/>`;
    const nics = [
      pci('0000:08:00.0', `<nic>${net('a', 1, 100_000)}${net('a', 1, 100_000)}</nic>`),
      pci('0000:08:00.1', `<nic>${net('a', 2, 100_000)}</nic>`),
      pci('0000:09:00.0', `<nic>${net('b', 1, -1)}</nic>`),
    ];
    const gpus = [0, 1].map((r) => pci(`0000:0${r}:00.0`, gpu(r, 'sm="75"')));
    const machine = await machineOf(system(cpu(intel, ...gpus, ...nics)), { boxes: 2 });
    expect(pairsOf(machine).filter((pair) => pair.includes('network'))).toEqual(
      [0, 1].flatMap((box) => [`NIC ${box}.0 - network: 25`, `NIC ${box}.1 - network: 1.25`]),
    );
  });
});

it('may have a single GPU', async () => {
  expect(await machineOf(system(cpu(intel, pci('a', gpu(0, 'sm="80"')))))).toMatchObject({ chips: [0], links: [] });
});

describe('a file that is refused', () => {
  const one = pci('0000:00:00.0', gpu(0, 'sm="80"'));
  it.each([
    ['cut in half', boxed.slice(0, boxed.length / 2), 'syntax', ['not XML']],
    [
      'without GPU tags',
      system(cpu(intel, pci('0000:01:00.0', '<pci busid="0000:02:00.0" class="0x030200"/>'))),
      'topology',
      ['1 GPU', 'no <gpu> tag', 'NCCL_TOPO_DUMP_FILE'],
    ],
    ['of no GPU', system(cpu(intel, pci('0000:01:00.0', nic(0, 1)))), 'topology', ['no GPU']],
    [
      'of two hosts',
      system(cpu(`${intel} host_hash="0x1"`, one), cpu(`${intel} host_hash="0x2"`, one)),
      'topology',
      ['2 hosts', 'NVLink'],
    ],
    ['with a device twice', system(cpu(intel, one, pci('0000:01:00.0', gpu(0, 'sm="80"')))), 'topology', ['dev="0"']],
    [
      'with a link of an unknown class',
      system(cpu(intel, pci('0000:00:00.0', gpu(0, 'sm="80"', nvlink('a', 1, '0x020000'))))),
      'schema',
      ['tclass', '0x020000', 'NVSwitch'],
    ],
    [
      'with an unknown link',
      system(cpu(intel, pci('0000:00:00.0', gpu(0, 'sm="80"', '<ualink/>')))),
      'schema',
      ['ualink', 'xgmi'],
    ],
    ['with a link to itself', system(cpu(intel, pci('a', gpu(0, 'sm="80"', nvlink('a', 1))))), 'schema', ['itself']],
    [
      'without a count',
      system(cpu(intel, pci('a', gpu(0, 'sm="80"', '<nvlink target="b" tclass="0x03"/>')))),
      'schema',
      ["'count'"],
    ],
    [
      'with NVLinks of a GPU that has none',
      system(cpu(intel, pci('a', gpu(0, 'sm="52"', nvlink('b', 1))))),
      'schema',
      ['52'],
    ],
    ['an MSCCL algorithm', '<algo/>', 'schema', ['MSCCL', '<system>']],
    ['a graph', '<graphs version="1"/>', 'schema', ['NCCL_TOPO_DUMP_FILE']],
    ['of hwloc', '<topology/>', 'schema', ['hwloc']],
    [
      'with an entity from elsewhere',
      `<!DOCTYPE system [<!ENTITY x SYSTEM "file:///etc/passwd">]>${system(cpu(intel, '&x;'))}`,
      'syntax',
      ['not XML'],
    ],
    ['nested too deeply', `<system>${'<pci busid="a">'.repeat(200)}`, 'limit', ['100']],
  ])('may be %s', async (_, text, code, words) => {
    const error = await errorOf(text);
    expect(error.code).toBe(code);
    for (const word of words) expect(error.message).toContain(word);
    expect(error.range).toBeDefined();
  });

  it('has boxes only with a NIC', async () => {
    await expect(converted(islands, { boxes: 2 })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('no NIC'),
    });
  });
});
