/** One dump of each format with all that the readers know, for tests that damage them. */
import { cpu, gpu, intel, nic, pci, system } from './support.ts';

const links = [
  '<nvlink target="0000:02:00.0" count="2" tclass="0x030200"/>',
  '<nvlink target="0000:f0:00.0" count="4" tclass="0x068000"/>',
  '<c2c bw="44712" count="10"/>',
];

export const samples: Readonly<Record<string, string>> = {
  'topo.xml': system(
    cpu(
      intel,
      pci(
        '0000:00:00.0',
        pci('0000:01:00.0', gpu(0, 'sm="90"', ...links)) + pci('0000:02:00.0', gpu(1, 'sm="90"', ...links.slice(1))),
        '32.0 GT/s PCIe',
      ),
      pci('0000:03:00.0', `${pci('0000:04:00.0', nic(0, 200_000))}<pcilink target="0000:00:00.0"/>`),
    ),
    cpu(
      intel,
      pci('0000:05:00.0', gpu(2, 'sm="1" gcn="910"', '<xgmi target="0000:01:00.0" count="1" tclass="0x038000"/>')),
    ),
  ),
  'topo.txt': [
    '\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity',
    'GPU0\t X \tNV2\tSYS\tPIX\t0-7\t0',
    'GPU1\tNV2\t X \tNODE\tSYS\t8-15\t1',
    'GPU2\tSYS\tNODE\t X \tSYS\t8-15\t1',
    'NIC0\tPIX\tSYS\tSYS\t X ',
    '',
  ].join('\n'),
  'network.yml':
    'topology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 3, 2, 2 ]\nbandwidth: [ 200.0, 1.5, 50 ]\nlatency: [ 50.0, 5e2, 0 ]\n',
  'sccl.json': JSON.stringify({
    sccl_type: 'topology',
    name: 'square',
    links: [
      [0, 1, 2],
      [1, 0, 1],
      [1, 1, 0],
    ],
    switches: [
      [[0], [1, 2], 1, 'out'],
      [[0, 1], [2], 2, 'in'],
    ],
  }),
};
