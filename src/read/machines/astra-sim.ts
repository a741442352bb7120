/**
 * Reads network files of ASTRA-sim's analytical backend. A network has several dimensions, each a ring, a switch or a full mesh; the first dimension
 * changes fastest in the numbering of NPUs. GB means 2³⁰ bytes in these files, and the latency is that of one link.
 */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { DocumentFields, itemsOf, textOf, wordOf } from '../fields.ts';
import { parseYaml, type YamlNode } from '../yaml.ts';
import { fileName, type MachineDocument, nameFromFile, type WrittenLinks } from './document.ts';

const shapes = ['Ring', 'FullyConnected', 'Switch'] as const;

interface Dimension {
  readonly shape: (typeof shapes)[number];
  readonly size: number;
  /** GiB per second. */
  readonly bandwidth: number;
  /** Nanoseconds. */
  readonly latency: number;
}

/** Whether a text has the fields of such a file; no other format has them. */
export function isAstraNetwork({ text }: SourceText): boolean {
  return /^npus_count\s*:/m.test(text) && /^topology\s*:/m.test(text) && !/^format\s*:/m.test(text);
}

/** Converts a network to the content of a topology file. @throws CccError 'syntax', 'schema', 'range', 'limit' */
export function readAstraNetwork(source: SourceText, limits: Limits): MachineDocument {
  const dimensions = readDimensions(source, limits);
  const chips = dimensions.reduce((product, { size }) => product * size, 1);
  const links: WrittenLinks[] = [];
  const switches: { readonly count: string; readonly name: string }[] = [];
  let stride = 1;
  let firstSwitch = 0;
  dimensions.forEach((dimension, index) => {
    if (dimension.size > 1) links.push(statementOf(dimension, { index, stride, chips, firstSwitch }));
    if (dimension.shape === 'Switch' && dimension.size > 1) {
      const count = chips / dimension.size;
      switches.push({
        count: String(count),
        name: dimensions.length === 1 ? 'switch' : `switch {i} of dimension ${index}`,
      });
      firstSwitch += count;
    }
    stride *= dimension.size;
  });
  const what = dimensions.map(({ shape, size }) => `${shape} of ${size}`).join(', ');
  return {
    name: nameFromFile(source.name, 'network'),
    about: `${chips} NPUs: ${what}, the first dimension fastest; read from the ASTRA-sim network ${fileName(source.name)}.`,
    source: 'the file, whose GB is 1024^3 bytes',
    lets: [],
    chips: String(chips),
    chipName: 'NPU {r}',
    switches,
    hosts: [],
    links,
    groups: [],
    notes: [
      'model, not measured',
      ...(switches.length === 0
        ? []
        : ['messages cut through switches here; in ASTRA-sim a switch stores a message before it sends it on']),
    ],
  };
}

function readDimensions(source: SourceText, limits: Limits): readonly Dimension[] {
  const fields = new DocumentFields(parseYaml(source, limits), "ASTRA-sim's network", [
    'topology',
    'npus_count',
    'bandwidth',
    'latency',
  ]);
  const kinds = itemsOf(fields.require('topology'), 'a list of shapes');
  const list = (key: string): readonly YamlNode[] => {
    const node = fields.require(key);
    const items = itemsOf(node, 'a list with an entry for each dimension');
    if (items.length === kinds.length) return items;
    throw new CccError(
      'schema',
      `${key} has ${items.length} entries, but there are ${kinds.length} dimensions`,
      node.range,
    );
  };
  const [sizes, bandwidths, latencies] = [list('npus_count'), list('bandwidth'), list('latency')];
  let chips = 1;
  return kinds.map((kind, index): Dimension => {
    const size = numberOf(sizes[index], 'a whole number of NPUs', (value) => Number.isInteger(value) && value >= 1);
    chips *= size;
    if (chips > limits.ranks)
      throw new CccError('limit', `more NPUs than the limit ranks = ${limits.ranks}`, sizes[index].range);
    return {
      shape: wordOf(kind, shapes, 'a shape of a dimension'),
      size,
      bandwidth: numberOf(bandwidths[index], 'a bandwidth in GB/s', (value) => value > 0 && value < 1e12),
      latency: numberOf(latencies[index], 'a latency in nanoseconds', (value) => value >= 0 && value < 1e15),
    };
  });
}

function numberOf(node: YamlNode, what: string, fits: (value: number) => boolean): number {
  const text = textOf(node, what);
  const value = /^\s*\d{1,18}(?:\.\d{0,18})?(?:[eE][+-]?\d{1,2})?\s*$/.test(text) ? Number(text) : Number.NaN;
  if (fits(value)) return value;
  throw new CccError('range', `expected ${what}, found '${text}'`, node.range);
}

/**
 * Writes the links along one dimension. Each value of the loop variable `row` stands for one combination of coordinates in the other dimensions, so
 * for one line of NPUs.
 */
function statementOf(
  { shape, size, bandwidth, latency }: Dimension,
  {
    index,
    stride,
    chips,
    firstSwitch,
  }: { readonly index: number; readonly stride: number; readonly chips: number; readonly firstSwitch: number },
): WrittenLinks {
  const rows = chips / size;
  const outer = rows / stride;
  const loops = [
    ...(outer > 1 ? [`high in 0 .. ${outer - 1}`] : []),
    ...(stride > 1 ? [`low in 0 .. ${stride - 1}`] : []),
  ];
  const at = (position: string): string => {
    const step = /^\w+$/.test(position) ? position : `(${position})`;
    const along = position === '0' ? '' : stride === 1 ? position : `${stride} * ${step}`;
    return (
      [outer > 1 ? `${stride * size} * high` : '', along, stride > 1 ? 'low' : '']
        .filter((part) => part !== '')
        .join(' + ') || '0'
    );
  };
  const row = [
    outer > 1 ? (stride === 1 ? 'high' : `${stride} * high`) : '',
    stride > 1 ? 'low' : '',
    firstSwitch > 0 ? String(firstSwitch) : '',
  ]
    .filter((part) => part !== '')
    .join(' + ');
  const numbers = {
    comment: `dimension ${index}: ${shape} of ${size}`,
    latency: { text: `${latency} ns`, remark: 'of a link' },
    bandwidth: { text: `${bandwidth} GiB/s`, remark: '' },
  };
  switch (shape) {
    case 'Ring':
      // In a ring of two NPUs the left and the right neighbour are the same NPU, so there is only one link.
      return size === 2
        ? { ...numbers, loops, ends: `${at('0')} <-> ${at('1')}` }
        : { ...numbers, loops: [...loops, `i in 0 .. ${size - 1}`], ends: `${at('i')} <-> ${at(`(i + 1) % ${size}`)}` };
    case 'FullyConnected':
      return {
        ...numbers,
        loops: [...loops, `a in 0 .. ${size - 2}`, `b in a + 1 .. ${size - 1}`],
        ends: `${at('a')} <-> ${at('b')}`,
      };
    case 'Switch':
      return {
        ...numbers,
        loops: [...loops, `i in 0 .. ${size - 1}`],
        ends: `${at('i')} <-> switch ${row === '' ? '0' : row}`,
      };
  }
}
