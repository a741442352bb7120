/**
 * Reads the file that NCCL and RCCL write if `NCCL_GRAPH_DUMP_FILE` is set: the order in which the rings and trees of each channel visit the
 * GPUs of one host (ncclTopoGetXmlFromGraphs of NCCL). `read/index.ts` does not export it, so that the XML parser is loaded only when needed.
 */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { readable } from '../limits.ts';
import { readXmlTree, type XmlElement, type XmlNode } from '../xml.ts';
import { type ChannelOrders, type NcclGraphs, type TreePattern, treePatterns } from './graphs.ts';

const ids = { rings: 0, trees: 1 } as const;
const ringPattern = 4;
/** Names of the graphs with the ids from 2 on, from which no schedule is made. */
const inSwitches = ['collnet', 'nvls', 'collnet-direct', 'nvls-tree'] as const;

/** @throws CccError 'syntax' for text that is not XML, 'schema' for graphs that contradict themselves */
export function readNcclGraphs(source: SourceText): NcclGraphs {
  const root = readXmlTree(source, (element) => expectName(element, 'graphs'));
  for (const { element } of root.children) expectName(element, 'graph');
  const rings = graphWith(root, ids.rings);
  const trees = graphWith(root, ids.trees);
  const [first] = [rings, trees].flatMap((graph) => graph?.children ?? []);
  if (first === undefined) {
    const message = 'expected channels of rings (id 0) or trees (id 1), which a host with GPUs has';
    throw new CccError('schema', message, root.element.range);
  }
  const ranks = [...gpusOf(first)].sort((a, b) => a - b);
  return {
    gpus: ranks.length,
    rings: rings && ringsOf(rings, ranks),
    trees: trees && { orders: ordersOf(trees, ranks), pattern: treePatternOf(trees.element) },
    notes: notesOn(root),
  };
}

/** The graph with that id, if it has channels. */
function graphWith(root: XmlNode, id: number): XmlNode | undefined {
  const [graph, second] = root.children.filter(({ element }) => element.integer('id', 0, readable.id) === id);
  if (second !== undefined) throw second.element.malformed('id', `there is a graph with id ${id} already`);
  return graph === undefined || graph.children.length === 0 ? undefined : graph;
}

function notesOn({ children }: XmlNode): readonly string[] {
  const left = children.filter(({ element }) => element.integer('id', 0, readable.id) > ids.trees);
  return left.map(({ element, children: channels }) => {
    const id = element.integer('id', 0, readable.id);
    const name = inSwitches[id - 2] ?? `graph ${id}`;
    return `${name} is left out with its ${channels.length} channels: switches reduce there`;
  });
}

function ringsOf(graph: XmlNode, ranks: readonly number[]): ChannelOrders {
  const pattern = graph.element.integer('pattern', 0, readable.id);
  if (pattern === ringPattern) return ordersOf(graph, ranks);
  throw graph.element.malformed('pattern', `rings have pattern ${ringPattern}, not ${pattern}`);
}

function treePatternOf(element: XmlElement): TreePattern {
  const number = element.integer('pattern', 0, readable.id);
  const pattern = treePatterns.find((known) => known === number);
  if (pattern !== undefined) return pattern;
  throw element.malformed('pattern', `trees have pattern ${treePatterns.join(', ')}, not ${number}`);
}

function ordersOf({ element, children }: XmlNode, ranks: readonly number[]): ChannelOrders {
  if (children.length > readable.channels) {
    throw new CccError('schema', `${children.length} channels are more than ${readable.channels}`, element.range);
  }
  return children.map((channel) => localOrder(channel, ranks));
}

/** The order of GPUs in one channel, as indices into the ascending ranks of the host. */
function localOrder(channel: XmlNode, ranks: readonly number[]): readonly number[] {
  const gpus = gpusOf(channel);
  const order = gpus.map((gpu) => ranks.indexOf(gpu));
  if (order.length === ranks.length && new Set(order).size === order.length && !order.includes(-1)) return order;
  const found = gpus.length === 0 ? 'none' : gpus.join(', ');
  const message = `expected each of the GPUs ${ranks.join(', ')} once, as in the first channel, found ${found}`;
  throw new CccError('schema', message, channel.element.range);
}

/** The ranks of a channel's GPUs, or their devices where a release writes no ranks. */
function gpusOf({ element, children }: XmlNode): readonly number[] {
  expectName(element, 'channel');
  const gpus: number[] = [];
  for (const { element: part } of children) {
    if (part.name === 'net') continue;
    expectName(part, 'gpu');
    gpus.push(part.has('rank') ? part.integer('rank', 0) : deviceOf(part));
  }
  if (gpus.length > readable.gpus || new Set(gpus).size < gpus.length || gpus.length === 0) {
    const message = `expected up to ${readable.gpus} GPUs, each once, found ${gpus.length === 0 ? 'none' : gpus.join(', ')}`;
    throw new CccError('schema', message, element.range);
  }
  return gpus;
}

/** Reads a number, which newer releases write in hexadecimal with a prefix and older ones in decimal. */
function deviceOf(gpu: XmlElement): number {
  const text = gpu.text('dev');
  if (/^(?:0x[0-9a-f]{1,8}|\d{1,9})$/i.test(text)) return Number(text);
  throw gpu.malformed('dev', `expected the number of a device, found '${text}'`);
}

function expectName(element: XmlElement, name: string): void {
  if (element.name === name) return;
  throw new CccError('schema', `expected <${name}>, found <${element.name}>`, element.range);
}
