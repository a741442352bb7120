/** Compares two machines: counts of nodes and links, and which links and nodes were removed, added or changed. */
import { linkName, type Topology } from '../../ir/topology.ts';
import { counted, formatBytesPerSecond, formatSeconds } from '../../ir/units.ts';
import { displayLimits } from '../shown.ts';
import { type Change, changeOf, textChange } from './changes.ts';

export function machineChanges(before: Topology, after: Topology): readonly Change[] {
  const bandwidth = ({ links }: Topology): number => links.reduce((sum, link) => sum + link.bandwidth, 0);
  return [
    textChange('machine', before.name, after.name),
    changeOf('chips', before.chips.length, after.chips.length, String),
    changeOf('other nodes', others(before), others(after), String),
    changeOf('links', before.links.length, after.links.length, String),
    changeOf('bandwidth in all', bandwidth(before), bandwidth(after), formatBytesPerSecond),
  ];
}

function others({ nodes, chips }: Topology): number {
  return nodes.length - chips.length;
}

/** Compares links by the names of their ends: returns those that only one machine has, and those with another latency, bandwidth or kind. */
export function machineLinkChanges(before: Topology, after: Topology): readonly Change[] {
  const [a, b] = [linksOf(before), linksOf(after)];
  const changed = [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => ({ name, before: a.get(name), after: b.get(name) }))
    .filter((link) => link.before !== link.after);
  const named = changed.slice(0, displayLimits.named).map((link): Change => {
    const change = link.after === undefined ? 'gone' : link.before === undefined ? 'new' : 'other';
    return { what: link.name, before: link.before ?? '', after: link.after ?? '', change };
  });
  const left = changed.length - named.length;
  return left === 0
    ? named
    : [...named, { what: `… ${counted(left, 'more link')}`, before: '', after: '', change: '' }];
}

/** Groups the links by their ends; the parameters of parallel links are written one after the other. */
function linksOf(topology: Topology): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const link of topology.links) {
    const name = linkName(topology, link);
    const { latency, bandwidth, occupancy } = link;
    const text = `${formatSeconds(latency)}, ${formatBytesPerSecond(bandwidth)}, ${occupancy}`;
    const known = links.get(name);
    links.set(name, known === undefined ? text : `${known}; ${text}`);
  }
  return links;
}
