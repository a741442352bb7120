/** What messages keep busy. Where several routes between two ranks are equally good, trees take them in turn, by channel (src/ir/routes.ts). */
import type { Routes } from '../../ir/routes.ts';
import type { Load } from './timing.ts';

/** Seconds per byte for which a message of a channel keeps the links of its route and the ports at its ends busy. */
export type LoadsOf = (from: number, to: number, channel: number) => readonly Load[];

/** @param reversed the trees were packed for the transposed machine, so that messages go the other way */
export function loadsOn(routes: Routes, reversed: boolean): LoadsOf {
  const { links, nodes, chips } = routes.topology;
  return (from, to, channel) => {
    const [sender, receiver] = reversed ? [to, from] : [from, to];
    const route = routes.between(sender, receiver, channel);
    if (route === undefined) return [];
    const onLinks = route.links.map((resource) => {
      const { occupancy, bandwidth } = links[resource];
      return { resource, time: 1 / (occupancy === 'blocking' ? route.bandwidth : bandwidth) };
    });
    const { send } = nodes[chips[sender]].ports;
    const { receive } = nodes[chips[receiver]].ports;
    const onPorts = [
      { resource: links.length + sender, time: 1 / (route.bandwidth * send) },
      { resource: links.length + chips.length + receiver, time: 1 / (route.bandwidth * receive) },
    ];
    return [...onLinks, ...onPorts.filter(({ time }) => time > 0)];
  };
}
