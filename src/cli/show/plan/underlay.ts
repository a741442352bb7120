/** Shows level 3 of a plan: the route of every overlay edge over physical links, and how busy each link is. */
import { oneLine } from '../../../ir/plain-text.ts';
import type { Plan } from '../../../ir/plan.ts';
import type { CostReport, LinkUse } from '../../../ir/report.ts';
import type { Route, Routes } from '../../../ir/routes.ts';
import { linkName } from '../../../ir/topology.ts';
import { counted, formatBytes, formatSeconds, type Seconds } from '../../../ir/units.ts';
import { displayLimits } from '../../shown.ts';
import { elidedRows, formatTable, type Table } from '../table.ts';
import { textWidth } from '../text.ts';
import { type OverlayEdge, overlayEdges } from './overlay.ts';

/** Columns of bars by default, and at least. */
const barWidth = { usual: 20, least: 8 } as const;

/** Writes the routes of the overlay edges by the names of nodes, then messages, bytes and utilisation of every link that the plan uses. */
export function showUnderlay(plan: Plan, routes: Routes, report: CostReport): string {
  const { topology } = routes;
  const edges = overlayEdges(plan);
  const stretch = Number(report.stretch.toPrecision(4));
  const notes = topology.notes.map((note) => `note: ${oneLine(note)}`);
  const title = [
    `${oneLine(plan.name)} on ${oneLine(topology.name)}: ${formatSeconds(report.seconds)}`,
    counted(report.messages, 'message'),
    `${formatBytes(report.bytesMoved)} moved, ${formatBytes(report.bytesOnLinks)} on links`,
  ].join(', ');
  const parts = [[title, `stretch ${stretch} (links per overlay edge on average)`, ...notes].join('\n')];
  if (edges.length > 0) parts.push(formatTable(routeTable(edges, routes)));
  const used = report.links.filter((use) => use.messages > 0);
  if (used.length > 0) parts.push(formatTable(linkTable(routes, used, report.seconds)));
  const idle = topology.links.length - used.length;
  if (idle > 0) parts.push(`${counted(idle, 'link')} of ${topology.links.length} not used`);
  return `${parts.join('\n\n')}\n`;
}

/** Writes the utilisation of each link, the busiest first. */
export function showLinks(plan: Plan, routes: Routes, report: CostReport, width = displayLimits.width): string {
  const { topology } = routes;
  const used = report.links.filter((use) => use.messages > 0).sort((a, b) => b.busy - a.busy);
  const idle = topology.links.length - used.length;
  const parts = [`${oneLine(plan.name)} on ${oneLine(topology.name)}: ${formatSeconds(report.seconds)}`];
  if (used.length > 0) {
    const table = formatTable(linkTable(routes, used, report.seconds));
    const over = textWidth(table.slice(0, table.indexOf('\n'))) - width;
    const bars = Math.max(barWidth.least, barWidth.usual - Math.max(0, over));
    parts.push(over > 0 ? formatTable(linkTable(routes, used, report.seconds, bars)) : table);
  }
  if (idle > 0) parts.push(`${counted(idle, 'link')} of ${topology.links.length} not used`);
  return `${parts.join('\n\n')}\n`;
}

function routeTable(edges: readonly OverlayEdge[], routes: Routes): Table {
  const rows = elidedRows(edges, displayLimits.rows, 'edge', ({ from, to }) => {
    const route = routes.between(from, to);
    const edge = `${from} → ${to}`;
    return route === undefined ? [edge, '–', 'none'] : [edge, `${route.links.length}`, routeText(routes, from, route)];
  });
  return { header: ['Overlay edge', 'Links', 'Route'], rows };
}

function routeText({ topology }: Routes, from: number, route: Route): string {
  const nodes = [topology.chips[from], ...route.links.map((link) => topology.links[link].to)];
  return nodes.map((node) => topology.nodes[node].name).join(' → ');
}

function linkTable(
  { topology }: Routes,
  used: readonly LinkUse[],
  seconds: Seconds,
  barColumns: number = barWidth.usual,
): Table {
  const rows = elidedRows(used, displayLimits.rows, 'link', ({ link, messages, bytes, busy }) => [
    linkName(topology, topology.links[link]),
    `${messages}`,
    formatBytes(bytes),
    formatSeconds(busy),
    bar(seconds === 0 ? 0 : busy / seconds, barColumns),
  ]);
  return { header: ['Link', 'Messages', 'Bytes', 'Busy', 'Utilisation'], rows };
}

/** Draws a share from 0 to 1 as a bar and in per cent. */
function bar(share: number, columns: number): string {
  const full = Math.max(0, Math.min(columns, Math.round(share * columns)));
  return `${'█'.repeat(full)}${'░'.repeat(columns - full)} ${`${Math.round(share * 100)}`.padStart(3)} %`;
}
