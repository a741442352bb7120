/** Writes a topology as text: counts and notes, a drawing if its shape is simple, links by class, neighbours, engines and limits. */
import { oneLine } from '../../../ir/plain-text.ts';
import { type Link, type Node, ranksOf, type Topology } from '../../../ir/topology.ts';
import { counted, formatBytesPerSecond, formatSeconds } from '../../../ir/units.ts';
import type { Description } from '../../../read/index.ts';
import { displayLimits } from '../../shown.ts';
import { descriptionLines } from '../description.ts';
import { elide, formatTable } from '../table.ts';
import { ranges, wrap } from '../text.ts';
import { topologyDrawing } from './drawing.ts';
import { laneLines } from './lanes.ts';

/** Writes a topology in lines of at most `width` columns where its names allow, below the description from its file. */
export function showTopology(topology: Topology, width = displayLimits.width, description?: Description): string {
  const small = topology.nodes.length <= displayLimits.nodes;
  const classes = linkClasses(topology);
  const parts = [
    [...heading(topology, width), ...(description === undefined ? [] : descriptionLines(description, width))],
  ];
  const picture = small ? topologyDrawing(topology, width) : undefined;
  if (picture !== undefined) parts.push([...picture]);
  if (classes.length > 0) parts.push([linkTable(classes)]);
  if (topology.links.length > 0) parts.push(small ? neighbourLines(topology, classes, width) : degreeLines(topology));
  parts.push(chipLines(topology, width));
  const lanes = laneLines(topology, width);
  if (lanes.length > 0) parts.push([...lanes]);
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function heading(topology: Topology, width: number): string[] {
  const count = (kind: Node['kind']): number => topology.nodes.filter((node) => node.kind === kind).length;
  const facts = [counted(ranksOf(topology), 'chip')];
  if (count('switch') > 0) facts.push(counted(count('switch'), 'switch', 'switches'));
  if (count('host') > 0) facts.push(counted(count('host'), 'host'));
  facts.push(counted(topology.links.length, 'directed link'));
  if (topology.shape !== undefined) facts.push(`torus of ${topology.shape.join(' × ')}`);
  const lines = [`${oneLine(topology.name)}: ${facts.join(', ')}`];
  for (const note of topology.notes) lines.push(...wrap('note: ', oneLine(note).split(' '), width));
  return lines;
}

/** Links with equal parameters. */
interface LinkClass {
  readonly sample: Link;
  readonly links: number[];
}

function linkClasses(topology: Topology): readonly LinkClass[] {
  const classes = new Map<string, LinkClass>();
  topology.links.forEach((link, index) => {
    const key = [link.latency, link.bandwidth, link.occupancy, link.units].join(' ');
    const known = classes.get(key);
    if (known === undefined) classes.set(key, { sample: link, links: [index] });
    else known.links.push(index);
  });
  return [...classes.values()];
}

function linkTable(classes: readonly LinkClass[]): string {
  return formatTable({
    header: ['Links', 'Count', 'Latency', 'Bandwidth', 'Occupancy', 'Unit links'],
    rows: classes.map(({ sample, links }, index) => [
      `#${index + 1}`,
      `${links.length}`,
      formatSeconds(sample.latency),
      formatBytesPerSecond(sample.bandwidth),
      sample.occupancy,
      `${sample.units}`,
    ]),
  });
}

/** Writes the neighbours of each node, `chip 0 → chip 1, chip 3`, with the number of the link class in brackets if there are several. */
function neighbourLines(topology: Topology, classes: readonly LinkClass[], width: number): string[] {
  const classOf = new Map(classes.flatMap(({ links }, index) => links.map((link) => [link, index + 1] as const)));
  const neighbours: { to: number; text: string }[][] = topology.nodes.map(() => []);
  topology.links.forEach(({ from, to }, index) => {
    const mark = classes.length > 1 ? ` (#${classOf.get(index)})` : '';
    neighbours[from].push({ to, text: oneLine(topology.nodes[to].name) + mark });
  });
  return neighbours.flatMap((list, node) => {
    const words = list.sort((a, b) => a.to - b.to).map(({ text }) => text);
    return wrap(`${oneLine(topology.nodes[node].name)} → `, words.length > 0 ? words : ['nobody'], width, ',');
  });
}

/** Writes the degrees instead of the neighbours, for a summary: how many links the nodes of each kind have. */
function degreeLines(topology: Topology): string[] {
  const degree = new Int32Array(topology.nodes.length);
  for (const link of topology.links) degree[link.from]++;
  return (['chip', 'switch', 'host'] as const).flatMap((kind) => {
    const degrees = [...degree].filter((_, node) => topology.nodes[node].kind === kind);
    if (degrees.length === 0) return [];
    const least = degrees.reduce((a, b) => Math.min(a, b));
    const most = degrees.reduce((a, b) => Math.max(a, b));
    return [`each ${kind} has ${least === most ? most : `${least} to ${most}`} links out`];
  });
}

/** Writes engines and ports of chips, the nodes that ranks run on unless their names say it, groups and limits. */
function chipLines(topology: Topology, width: number): string[] {
  const lines: string[] = [];
  const alike = new Map<string, number[]>();
  topology.chips.forEach((node, rank) => {
    const text = engineText(topology.nodes[node]);
    const others = alike.get(text);
    if (others === undefined) alike.set(text, [rank]);
    else others.push(rank);
  });
  for (const [text, ranks] of alike)
    lines.push(
      alike.size === 1 ? `each chip: ${text}` : `${ranks.length === 1 ? 'rank' : 'ranks'} ${ranges(ranks)}: ${text}`,
    );
  if (topology.nodes.some((node) => node.multicast)) lines.push('switches can send one message to several outputs');
  if (topology.inflight !== undefined)
    lines.push(
      `in flight: ${counted(topology.inflight, 'transfer')} per connection${topology.inflight === 0 ? ' (rendezvous)' : ''}`,
    );
  const placed = topology.chips.map((node, rank) => `${rank} on ${oneLine(topology.nodes[node].name)}`);
  if (topology.chips.some((node, rank) => topology.nodes[node].name !== `chip ${rank}`))
    lines.push(
      ...wrap(
        'ranks: ',
        elide(placed, displayLimits.nodes, () => '…'),
        width,
        ',',
      ),
    );
  const groups = topology.groups.map((ranks) => `{${ranges([...ranks].sort((a, b) => a - b))}}`);
  if (groups.length > 0)
    lines.push(
      ...wrap(
        'groups of ranks: ',
        elide(groups, displayLimits.nodesInTable, () => '…'),
        width,
      ),
    );
  return lines;
}

function engineText(node: Node): string {
  const { reduce, copy, ports } = node;
  const engines = [
    reduce === undefined
      ? 'reducing is free'
      : `reduces ${formatBytesPerSecond(reduce.throughput)}${reduce.overlap ? '' : ', not while sending or receiving'}`,
    copy === undefined ? 'local copies are free' : `copies ${formatBytesPerSecond(copy.throughput)}`,
  ];
  if (Number.isFinite(ports.send)) engines.push(`${counted(ports.send, 'send')} at a time`);
  if (Number.isFinite(ports.receive)) engines.push(`${counted(ports.receive, 'receive')} at a time`);
  return engines.join('; ');
}
