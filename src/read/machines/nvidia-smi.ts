/**
 * Reads the table that `nvidia-smi topo -m` prints. For every pair of GPUs and NICs of a host it gives either the number of NVLinks between the two
 * or their distance on PCIe. The table has no bandwidths, so these come from the GPU's row in hardware/interconnects.yaml.
 */
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import { DisjointSets } from '../../ir/disjoint-sets.ts';
import type { Limits } from '../../ir/limits.ts';
import { counted } from '../../ir/units.ts';
import { nearestNames } from '../nearest.ts';
import { differencesAmong } from './differences.ts';
import { fileName, nameFromFile } from './document.ts';
import type { Figure, GpuRow, Hardware } from './hardware.ts';
import { gigabytes, HostBuilder, type SystemHost } from './host.ts';

/**
 * How far apart two devices are on PCIe, nearest first: below one switch (PIX), below several (PXB), below one processor (PHB, NODE), below two
 * (SYS).
 */
const distances: Readonly<Record<string, 'switch' | 'processor' | 'system'>> = {
  PIX: 'switch',
  PXB: 'switch',
  PHB: 'processor',
  NODE: 'processor',
  SYS: 'system',
  SOC: 'system',
};

interface Row {
  readonly name: string;
  /** The entries of the row in the columns of the devices: `X`, `NV4`, `PIX` … */
  readonly cells: readonly string[];
  /** The CPU affinity column: the processor cores nearest to the device. Devices with equal texts belong to the same processor. */
  readonly affinity: string | undefined;
  readonly range: SourceRange;
}

/** Whether a text starts with the head of a table of `nvidia-smi topo -m`. */
export function isSmiTable({ text }: SourceText): boolean {
  const start = withoutColours(text.slice(0, 4000)).trimStart();
  return /^GPU\d+\s/.test(start);
}

/**
 * Reads a host.
 * @param gpu name of a row in the table of hardware, such as `h100`; if it is undefined, the error lists the rows
 * @throws CccError 'usage' if no row is named, 'unknown-name' if there is no row of that name, 'schema' for a table that is incomplete or contradicts
 * itself
 */
export function readSmiTable(
  source: SourceText,
  limits: Limits,
  hardware: Hardware,
  gpu: string | undefined,
): SystemHost {
  const row = rowOf(gpu, hardware);
  const rows = readRows(source);
  checkSymmetric(rows);
  const host = new HostBuilder(limits.ranks);
  const nodes = rows.map(({ name, range }) => host.add(name.startsWith('GPU') ? 'gpu' : 'nic', range));
  const gpus = rows.flatMap(({ name }, index) => (name.startsWith('GPU') ? [index] : []));
  const lane = hardware.pcie(row.pcie, 16);
  const pcie: Figure = { bandwidth: lane.bandwidth, of: `${lane.of}, of ${row.name}` };
  joinByPcie(host, rows, nodes, pcie, hardware);
  joinByNvlink(host, rows, gpus, row, hardware);
  rows.forEach(({ name }, index) => {
    if (!name.startsWith('GPU'))
      host.uplinks.set(nodes[index], { bandwidth: row.nic, of: `assumed: NIC of ${row.name} boxes` });
  });
  host.notes.push(`bandwidths are those of ${row.name} (${row.source}); the table has none`);
  return host.build(
    gpus.map((index) => nodes[index]),
    {
      name: nameFromFile(source.name, row.name),
      readFrom: `nvidia-smi topo -m (${fileName(source.name)})`,
      gpuName: row.name,
      source: `${hardware.source} ${row.name}: ${row.source}.`,
    },
  );
}

/** @throws CccError 'usage', 'unknown-name' */
function rowOf(gpu: string | undefined, { gpus }: Hardware): GpuRow {
  const names = gpus.map(({ name }) => name);
  if (gpu === undefined) {
    throw new CccError(
      'usage',
      `nvidia-smi topo -m says no bandwidths: say which GPUs these are with --gpu (${names.join(', ')})`,
    );
  }
  const row = gpus.find(({ name }) => name === gpu.toLowerCase());
  if (row === undefined) throw new CccError('unknown-name', `there is no GPU '${gpu}'; ${nearestNames(gpu, names)}`);
  return row;
}

/** Returns the rows of all devices that have a column, in the order of the columns. @throws CccError 'schema' */
function readRows(source: SourceText): readonly Row[] {
  let columns: readonly string[] | undefined;
  const rows = new Map<string, Row>();
  let start = 0;
  for (const line of source.text.split('\n')) {
    const range = { source, start, end: start + line.length };
    start += line.length + 1;
    const words = withoutColours(line)
      .split(/\s+/)
      .filter((word) => word !== '');
    if (words.length === 0) continue;
    if (columns === undefined) {
      const end = words.findIndex((word) => word === 'CPU' || word === 'NUMA');
      columns = end === -1 ? words : words.slice(0, end);
      const twice = columns.find((name, index) => columns?.indexOf(name) !== index);
      if (twice !== undefined) throw new CccError('schema', `the column ${twice} is there twice`, range);
      continue;
    }
    const [name, ...cells] = words;
    if (!columns.includes(name)) continue;
    if (rows.has(name)) throw new CccError('topology', `a second row ${name}: expected the table of one host`, range);
    rows.set(name, rowFrom(name, cells, columns, range));
  }
  const missing = (columns ?? []).find((name) => !rows.has(name));
  if (missing !== undefined) {
    throw new CccError('schema', `the row ${missing} is missing: the table is cut`, {
      source,
      start: Math.max(0, source.text.length - 1),
      end: source.text.length,
    });
  }
  return (columns ?? []).flatMap((name) => rows.get(name) ?? []);
}

function rowFrom(name: string, cells: readonly string[], columns: readonly string[], range: SourceRange): Row {
  if (cells.length < columns.length) {
    throw new CccError(
      'schema',
      `the row ${name} has ${counted(cells.length, 'entry', 'entries')}, expected ${columns.length}: one for each device`,
      range,
    );
  }
  columns.forEach((column, index) => {
    const cell = cells[index];
    if (column === name ? cell === 'X' : /^NV\d{1,4}$/.test(cell) || distances[cell] !== undefined) return;
    const expected = column === name ? 'X' : 'NV and a number, PIX, PXB, PHB, NODE or SYS';
    throw new CccError('schema', `${name} to ${column}: expected ${expected}, found '${cell}'`, range);
  });
  const affinity = cells[columns.length];
  return { name, cells: cells.slice(0, columns.length), affinity: affinity === 'N/A' ? undefined : affinity, range };
}

function checkSymmetric(rows: readonly Row[]): void {
  rows.forEach(({ name, cells, range }, a) => {
    rows.forEach((other, b) => {
      if (cells[b] === other.cells[a]) return;
      const message = `${name} to ${other.name} is ${cells[b]}, but ${other.name} to ${name} is ${other.cells[a]}`;
      throw new CccError('schema', message, range);
    });
  });
}

/**
 * Adds the PCIe switches and processors that the distances imply. An entry for NVLink hides the distance on PCIe; two such devices are put below one
 * processor if they have the same CPU affinity.
 */
function joinByPcie(
  host: HostBuilder,
  rows: readonly Row[],
  nodes: readonly number[],
  pcie: Figure,
  hardware: Hardware,
): void {
  const below = (joins: (a: number, b: number) => boolean): DisjointSets => {
    const sets = new DisjointSets(rows.length);
    rows.forEach((_, a) => {
      rows.forEach((_other, b) => {
        if (a < b && joins(a, b)) sets.join(a, b);
      });
    });
    return sets;
  };
  const distance = (a: number, b: number): string | undefined => distances[rows[a].cells[b]];
  const near = (a: number, b: number): boolean =>
    rows[a].affinity !== undefined && rows[a].affinity === rows[b].affinity;
  const switches = below((a, b) => distance(a, b) === 'switch');
  const processors = below(
    (a, b) =>
      distance(a, b) === 'switch' || distance(a, b) === 'processor' || (distance(a, b) === undefined && near(a, b)),
  );
  const cpuOf = new Map<number, number>();
  const switchOf = new Map<number, number>();
  rows.forEach((_, device) => {
    const home = processors.of(device);
    const cpu = cpuOf.get(home) ?? host.add('cpu');
    cpuOf.set(home, cpu);
    const group = switches.of(device);
    if (rows.every((_other, other) => other === device || switches.of(other) !== group)) {
      host.duplex('pcie', nodes[device], cpu, pcie, 'PCIe');
      return;
    }
    let above = switchOf.get(group);
    if (above === undefined) {
      above = host.add('pcie');
      switchOf.set(group, above);
      host.duplex('pcie', above, cpu, pcie, 'PCIe');
    }
    host.duplex('pcie', nodes[device], above, pcie, 'PCIe');
  });
  const cpus = [...cpuOf.values()];
  const between = hardware.cpu({ arch: undefined, vendor: undefined, family: undefined, model: undefined });
  const figure = { bandwidth: between.bandwidth, of: 'assumed: the table does not name the processors' };
  cpus.forEach((a, index) => {
    for (const b of cpus.slice(index + 1)) host.duplex('cpu', a, b, figure, 'Processors');
  });
}

/**
 * Adds the NVLinks. If a GPU has more links in its row than its model has, the links lead to NVSwitches, through which the same links reach every
 * other GPU. @throws CccError 'topology'
 */
function joinByNvlink(
  host: HostBuilder,
  rows: readonly Row[],
  gpus: readonly number[],
  row: GpuRow,
  hardware: Hardware,
): void {
  const links = (a: number, b: number): number => Number(/^NV(\d+)$/.exec(rows[a].cells[b])?.[1] ?? 0);
  const all = gpus.flatMap((a) => gpus.filter((b) => b !== a).map((b) => links(a, b)));
  const most = Math.max(0, ...all);
  if (most === 0) return;
  const each = hardware.nvlink(row.sm);
  const figure = (count: number): Figure => {
    const bandwidth = (each?.bandwidth ?? 0) * count;
    return { bandwidth, of: `${counted(count, 'NVLink')} of ${gigabytes(each?.bandwidth ?? 0)} (${row.name})` };
  };
  const total = (a: number): number => gpus.reduce((sum, b) => sum + (b === a ? 0 : links(a, b)), 0);
  const over = gpus.find((a) => total(a) > row.nvlinks);
  if (over === undefined) {
    gpus.forEach((a, index) => {
      for (const b of gpus.slice(index + 1))
        if (links(a, b) > 0) host.duplex('nvlink', a, b, figure(links(a, b)), 'NVLink', links(a, b));
    });
    return;
  }
  const isPart = (a: number): boolean => {
    const others = gpus.filter((b) => b !== a && links(a, b) > 0).length;
    return others > 0 && others < gpus.filter((b) => b !== a && total(b) > 0).length;
  };
  if (most > row.nvlinks || gpus.some(isPart)) {
    const message = `${rows[over].name} has ${total(over)} NVLinks, and ${row.name} has ${row.nvlinks}: expected so many at most, or up to ${row.nvlinks} to every GPU over switches`;
    throw new CccError('topology', message, rows[over].range);
  }
  const fabric = host.add('nvswitch');
  // The entry for two GPUs behind a switch is the smaller of their numbers of links. If one GPU has lost links, only the entries in its column
  // shrink, so a GPU's own number of links is the maximum of its row.
  const own = gpus.map((a) => gpus.reduce((largest, b) => Math.max(largest, b === a ? 0 : links(a, b)), 0));
  own.forEach((count, index) => {
    if (count > 0) host.duplex('nvlink', gpus[index], fabric, figure(count), 'NVLink');
  });
  const compared = own.map((count, rank) => {
    return { rank, architecture: row.name, links: count, pcie: undefined, nicHops: undefined };
  });
  host.notes.push(...differencesAmong(compared));
}

/** Removes escape sequences: on a terminal, nvidia-smi underlines the head of the table. */
function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}
