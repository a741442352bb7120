/** Dumps as people sent them in: several hosts, degraded GPUs, virtual interfaces. Links and bandwidths are worked out by hand. */
import { describe, expect, it } from 'vitest';
import { converted, cpu, intel, linksOf, machineOf, nic, pci, system } from './support.ts';

const gpu = (dev: number, attributes: string, ...links: readonly string[]): string =>
  `<gpu dev="${dev}" ${attributes} gdr="1">${links.join('')}</gpu>`;

const toSwitch = (count: number): string => `<nvlink target="fffffff:ff:ff.0" count="${count}" tclass="0x068000"/>`;

/** A processor of a host with two GPUs of eighteen NVLinks. */
const tray = (host: string, rank: number, links = [18, 18]): string =>
  `<cpu host_hash="${host}" numaid="0" arch="arm64">${links
    .map((count, dev) =>
      pci(
        `000${dev}:06:00.0`,
        gpu(dev, `sm="100" rank="${rank + dev}"`, count === 0 ? '' : toSwitch(count)),
        '64.0 GT/s PCIe',
      ),
    )
    .join('')}</cpu>`;

describe('a dump of several hosts', () => {
  it('is one machine where one NVLink domain joins them', async () => {
    const machine = await machineOf(system(tray('0xa', 0), tray('0xb', 2)));
    expect(machine.chips).toHaveLength(4);
    // 18 links of 40.1 GB/s each, from every GPU to the one switch.
    expect(linksOf(machine).filter((link) => link.includes('721.8'))).toHaveLength(8);
    expect(machine.notes.join()).toContain('the GPUs of 2 hosts, which NVLink joins');
  });

  it('is refused where nothing joins them, without the advice to multiply a host', async () => {
    const apart = system(tray('0xa', 0, [0, 0]), tray('0xb', 2, [0, 0]));
    await expect(converted(apart)).rejects.toThrow(/2 hosts, and no NVLink that joins them/);
    await expect(converted(apart)).rejects.not.toThrow(/--boxes/);
  });
});

describe('GPUs of a dump', () => {
  const ranked = (ranks: readonly number[]): string =>
    system(cpu(intel, ...ranks.map((rank, dev) => pci(`0000:0${dev}:00.0`, gpu(dev, `sm="80" rank="${rank}"`)))));

  it('are numbered by the ranks of NCCL where all have one', async () => {
    const { notes } = await machineOf(ranked([2, 0, 1]));
    expect(notes.join()).toContain('the ranks 0, 1, 2 of NCCL, which are the devices 1, 2, 0');
  });

  it('are numbered by their devices where a rank is there twice', async () => {
    const { notes } = await machineOf(ranked([0, 0, 1]));
    expect(notes.join()).not.toContain('of NCCL');
  });

  it('that share a PCIe function share its link', async () => {
    const two = `<pci busid="0000:01:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">${gpu(0, 'sm="80" rank="0"')}${gpu(0, 'sm="80" rank="1"')}</pci>`;
    const machine = await machineOf(
      system(cpu(intel, two, pci('0000:02:00.0', gpu(1, 'sm="80" rank="2"'), '16.0 GT/s PCIe'))),
    );
    expect(machine.chips).toHaveLength(3);
    // 16 lanes of 1.5 GB/s: one link for both GPUs of the function, one for the third.
    const fromProcessor = machine.links.filter(
      ({ from, bandwidth }) => machine.nodes[from].kind === 'host' && bandwidth === 24e9,
    );
    expect(fromProcessor).toHaveLength(2);
  });

  it('without NVLink among others that have it are named', async () => {
    const { notes } = await machineOf(system(tray('0xa', 0, [18, 0]), tray('0xb', 2)));
    expect(notes).toContainEqual('gpu 1 has no NVLink, the other 3 have 18 NVLinks');
  });

  it('with a narrower PCIe link than others are named', async () => {
    const narrow = pci('0000:03:00.0', gpu(2, 'sm="80"')).replace('link_width="16"', 'link_width="8"');
    const wide = [0, 1].map((dev) => pci(`0000:0${dev}:00.0`, gpu(dev, 'sm="80"')));
    const { notes } = await machineOf(system(cpu(intel, ...wide, narrow)));
    expect(notes.some((note) => /^gpu 2 has PCIe .* x8, the other 2 have PCIe .* x16$/.test(note))).toBe(true);
  });

  it('farther from a NIC than others are named', async () => {
    const near = pci(
      '0000:10:00.0',
      [0, 1].map((dev) => pci(`0000:1${dev + 1}:00.0`, gpu(dev, 'sm="80"'))).join('') +
        pci('0000:18:00.0', nic(0, 400_000)),
    );
    const { notes } = await machineOf(system(cpu(intel, near, pci('0000:02:00.0', gpu(2, 'sm="80"')))));
    expect(notes).toContainEqual('gpu 2 has the nearest NIC 3 hops away, the other 2 have the nearest NIC 2 hops away');
  });
});

describe('PCIe links of unknown speed', () => {
  it('are said to be assumed', async () => {
    const { notes } = await machineOf(
      system(cpu(intel, ...[0, 1].map((dev) => pci(`0000:0${dev}:00.0`, gpu(dev, 'sm="80"'), 'Unknown')))),
    );
    expect(notes).toContainEqual('2 PCIe links of unknown speed: 12 GB/s for 16 lanes is assumed, as NCCL does');
  });
});

describe('network interfaces without a place on PCIe', () => {
  const listed = (...names: readonly string[]): string =>
    names
      .map((name, dev) => `<nic><net name="${name}" dev="${dev}" speed="10000" port="0" guid="0x0"/></nic>`)
      .join('');
  const host = (...names: readonly string[]): string =>
    system(...[0, 1].map((home) => cpu(intel, pci(`0000:${home}1:00.0`, gpu(home, 'sm="80"')), listed(...names))));

  it('that both processors list are one NIC', async () => {
    const machine = await machineOf(host('eth0'), { boxes: 2 });
    expect(machine.nodes.filter(({ name }) => name.startsWith('NIC'))).toHaveLength(2);
  });

  it('that exist in software only are left out, and said so', async () => {
    const machine = await machineOf(host('eth0', 'docker0', 'br-12ab', 'veth9', 'cali77', 'tunl0'), { boxes: 2 });
    expect(machine.nodes.filter(({ name }) => name.startsWith('NIC'))).toHaveLength(2);
    expect(machine.notes.join()).toContain('5 virtual network interfaces (docker0 …) left out');
  });
});

describe('architectures of AMD', () => {
  const pair = (gcn: string): string =>
    system(
      cpu(
        'arch="x86_64" vendor="AuthenticAMD" familyid="175" modelid="17"',
        ...[0, 1].map((dev) =>
          pci(
            `0000:0${dev}:00.0`,
            gpu(dev, `sm="95" gcn="${gcn}"`, `<xgmi target="0000:0${1 - dev}:00.0" count="1" tclass="0x120000"/>`),
          ),
        ),
      ),
    );
  it.each([
    ['gfx942', 48e9],
    ['gfx950', 48e9],
    ['gfx90a', 36e9],
    ['gfx906', 24e9],
  ])('%s has XGMI links of %i bytes per second', async (gcn, rate) => {
    const { links } = await machineOf(pair(gcn));
    expect(links.map(({ bandwidth }) => bandwidth)).toEqual([rate, rate]);
  });

  it('that the table does not have are said to be assumed', async () => {
    const text = (await converted(pair('gfx1250'))).text;
    expect(text).toContain('assumed: gfx1250 is no architecture of the table');
  });
});

describe('nvidia-smi topo -m of a degraded host', () => {
  const table = (degraded: number, left: number): string => {
    const names = Array.from({ length: 8 }, (_, index) => `GPU${index}`);
    const cell = (a: number, b: number): string =>
      a === b ? 'X' : a === degraded || b === degraded ? `NV${left}` : 'NV18';
    const rows = names.map((name, a) => [name, ...names.map((_, b) => cell(a, b)), '0-47', '0'].join('\t'));
    return [['', ...names, 'CPU Affinity', 'NUMA Affinity'].join('\t'), ...rows].join('\n');
  };
  it('is a machine in which that GPU has fewer links', async () => {
    const machine = await machineOf(table(5, 17), { gpu: 'h100' }, 'smi.txt');
    // Links of 20.6 GB/s each: seventeen of the degraded GPU, eighteen of the others.
    const toFabric = linksOf(machine).filter(
      (link) => link.endsWith('> NVSwitch: 350.2') || link.endsWith('> NVSwitch: 370.8'),
    );
    expect(toFabric.filter((link) => link.endsWith('350.2'))).toEqual(['gpu 5 > NVSwitch: 350.2']);
    expect(toFabric).toHaveLength(8);
    expect(machine.notes).toContainEqual('gpu 5 has 17 NVLinks, the other 7 have 18 NVLinks');
  });

  it.each([
    ['h800', 8, 8 * 20.6],
    ['h20', 18, 18 * 20.6],
    ['b300', 18, 18 * 40.1],
  ])('reads a host of %s, each GPU with %i links to the switch', async (name, count, rate) => {
    const machine = await machineOf(table(-1, 0).replaceAll('NV18', `NV${count}`), { gpu: name }, 'smi.txt');
    const fabric = `> NVSwitch: ${Number(rate.toFixed(6))}`;
    expect(linksOf(machine).filter((link) => link.endsWith(fabric))).toHaveLength(8);
  });
});
