/** Reads hardware/interconnects.yaml, the table of bandwidths and latencies that dumps of machines leave out. */
import type { BytesPerSecond } from '../../ir/units.ts';
import { checkFormat, DocumentFields, itemsOf, namedEntries, optionalText, textOf } from '../fields.ts';
import { readYaml } from '../kept-yaml.ts';
import { rateFromText } from '../quantity.ts';
import { shippedSource } from '../shipped.ts';
import type { YamlNode } from '../yaml.ts';

/** How a dump identifies a processor. */
export interface CpuIdentity {
  readonly arch: string | undefined;
  readonly vendor: string | undefined;
  readonly family: number | undefined;
  readonly model: number | undefined;
}

/** The data of one GPU model, for `nvidia-smi topo -m`. */
export interface GpuRow {
  readonly name: string;
  /** Compute capability times ten, such as 90. */
  readonly sm: number;
  /** Number of NVLinks that one GPU has. */
  readonly nvlinks: number;
  /** Speed of the GPU's PCIe link (16 lanes) as Linux writes it: `16 GT/s`. */
  readonly pcie: string;
  readonly nic: BytesPerSecond;
  readonly source: string;
}

/** A bandwidth, and the text that says in topology files where the number comes from. */
export interface Figure {
  readonly bandwidth: BytesPerSecond;
  readonly of: string;
}

const kinds = ['nvlink', 'nvswitch', 'pcie', 'cpu', 'network'] as const;
export type HopKind = (typeof kinds)[number];

/** One row of a list in the table, with the key by which it is found (a compute capability, an architecture, a PCIe speed). */
interface Row {
  readonly key: string;
  readonly bandwidth: BytesPerSecond;
}

interface CpuRow extends CpuIdentity {
  readonly name: string;
  readonly bandwidth: BytesPerSecond;
}

export class Hardware {
  /** Where the numbers of the table come from. */
  readonly source: string;
  /** Latency of one hop by kind of link, as the table writes it: `0.5 us`. */
  readonly latencies: Readonly<Record<HopKind, string>>;
  readonly gpus: readonly GpuRow[];
  private readonly nvlinkRows: readonly Row[];
  private readonly xgmiRows: readonly Row[];
  private readonly pcieRows: readonly Row[];
  private readonly cpuRows: readonly CpuRow[];

  /** Reads the table. @throws CccError if the shipped table is damaged */
  constructor() {
    const node = readYaml(shippedSource('hardware', 'interconnects'));
    checkFormat(node, 'ccc-hardware');
    const keys = ['format', 'version', 'about', 'source', 'nvlink', 'xgmi', 'pcie', 'cpus', 'latencies', 'gpus'];
    const table = new DocumentFields(node, 'a table of hardware', keys);
    const latencies = new DocumentFields(table.require('latencies'), 'latencies', kinds);
    const latency = (kind: HopKind): string => textOf(latencies.require(kind));
    this.source = textOf(table.require('source'));
    this.latencies = {
      nvlink: latency('nvlink'),
      nvswitch: latency('nvswitch'),
      pcie: latency('pcie'),
      cpu: latency('cpu'),
      network: latency('network'),
    };
    this.nvlinkRows = rowsOf(table.require('nvlink'), 'sm');
    this.xgmiRows = rowsOf(table.require('xgmi'), 'arch');
    this.pcieRows = rowsOf(table.require('pcie'), 'speed');
    this.cpuRows = itemsOf(table.require('cpus'), 'a list of processors').map(cpuRow);
    this.gpus = namedEntries(table.require('gpus'), 'GPUs by name').map(([name, { value }]) => gpuRow(name, value));
  }

  /** Returns the bandwidth of one NVLink of a GPU with compute capability `sm` / 10, or undefined for GPUs older than NVLink. */
  nvlink(sm: number): Figure | undefined {
    const row = this.nvlinkRows.findLast(({ key }) => Number(key) <= sm);
    return row && { bandwidth: row.bandwidth, of: `sm ${sm}` };
  }

  /**
   * Returns the bandwidth of one XGMI link of a GPU with an architecture such as `gfx90a`. For an architecture that is not in the table it returns
   * the first row, and the text says that this is an assumption.
   */
  xgmi(arch: string): Figure {
    const [assumed, ...known] = this.xgmiRows;
    const row = known.findLast(({ key }) => arch.startsWith(key));
    if (row !== undefined) return { bandwidth: row.bandwidth, of: arch };
    // The first row is the one of Vega, so for these architectures it is no assumption.
    const isVega = /^gfx90[0-8]/.test(arch);
    return { bandwidth: assumed.bandwidth, of: isVega ? arch : `assumed: ${arch} is no architecture of the table` };
  }

  /**
   * Returns the bandwidth of a PCIe link. `speed` is a text such as `16 GT/s` or `16.0 GT/s PCIe`; an unknown speed counts as 8 GT/s. 0 lanes mean
   * 16. NCCL makes the same assumptions.
   */
  pcie(speed: string, lanes: number): Figure {
    const said = /^\s*([\d.]{1,9})\s*GT\/s/.exec(speed);
    const rate = said === null ? undefined : `${Number(said[1])} GT/s`;
    const known = this.pcieRows.find(({ key }) => key === rate);
    const row = known ?? this.pcieRows[this.pcieRows.length - 1];
    const width = lanes === 0 ? 16 : lanes;
    return {
      bandwidth: row.bandwidth * width,
      of: `PCIe ${known === undefined ? 'of unknown speed' : rate} x${width}`,
    };
  }

  /** Returns the bandwidth of the link between two processors of a host. */
  cpu(identity: CpuIdentity): Figure {
    const fits = (row: CpuRow): boolean =>
      (row.arch === undefined || row.arch === identity.arch) &&
      (row.vendor === undefined || row.vendor === identity.vendor?.trim()) &&
      (row.family === undefined || row.family === identity.family) &&
      (row.model === undefined || (identity.model ?? 0) >= row.model);
    const row = this.cpuRows.find(fits) ?? this.cpuRows[this.cpuRows.length - 1];
    return { bandwidth: row.bandwidth, of: row.name };
  }
}

function rowsOf(node: YamlNode, key: string): readonly Row[] {
  return itemsOf(node, 'a list of bandwidths').map((item) => {
    const row = new DocumentFields(item, 'a row', [key, 'bandwidth']);
    return { key: textOf(row.require(key)), bandwidth: rateFromText(row.require('bandwidth'), 'bandwidth') };
  });
}

function cpuRow(node: YamlNode): CpuRow {
  const row = new DocumentFields(node, 'a processor', ['name', 'arch', 'vendor', 'family', 'model', 'bandwidth']);
  const number = (key: string): number | undefined => {
    const text = optionalText(row.get(key));
    return text === undefined ? undefined : Number(text);
  };
  return {
    name: textOf(row.require('name')),
    arch: optionalText(row.get('arch')),
    vendor: optionalText(row.get('vendor')),
    family: number('family'),
    model: number('model'),
    bandwidth: rateFromText(row.require('bandwidth'), 'bandwidth'),
  };
}

function gpuRow(name: string, node: YamlNode): GpuRow {
  const row = new DocumentFields(node, 'a GPU', ['sm', 'nvlinks', 'pcie', 'nic', 'source']);
  return {
    name,
    sm: Number(textOf(row.require('sm'))),
    nvlinks: Number(textOf(row.require('nvlinks'))),
    pcie: textOf(row.require('pcie')),
    nic: rateFromText(row.require('nic'), 'nic'),
    source: textOf(row.require('source')),
  };
}
