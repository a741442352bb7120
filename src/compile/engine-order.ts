/** In which order a quick search asks the engines: what is likely to be good first, since a budget may end the search before the last. */
import { type Engine, library } from '../synth/index.ts';
import type { PortfolioRequest } from './search.ts';

/** On machines of more ranks the first plan is one that is made in a moment. */
const manyRanks = 256;
/** Where groups spare most: an allreduce of any size, and shorter messages than this from one to all or from all to one. */
const mostForGroups = 2 ** 23;
/** In boxes of so few chips levels are searched sooner than trees are packed into the whole machine. */
const fewInBox = 8;

/**
 * Where switches join the chips, textbook rings are hard to beat and made in a moment; where chips are missing, trees are packed into what is left
 * sooner than a list is searched, and trees over rows sooner than both. Levels of groups are composed first where all want or give all, which
 * trees do better only in many bulks; of shards, where boxes are small. Of long messages trees leave little to gain there between one and all, nor of
 * shards in large boxes whose chips are joined directly.
 */
export function inOrderOfPromise(
  engines: readonly Engine[],
  { topology, collective, size }: PortfolioRequest,
): readonly Engine[] {
  const { nodes, chips, groups } = topology;
  const hasSwitches = nodes.length > chips.length;
  const { kind } = collective;
  const scans = kind === 'scan' || kind === 'exscan';
  const isShort = size < mostForGroups;
  const rooted = kind === 'broadcast' || kind === 'reduce';
  const shards = kind === 'allgather' || kind === 'reducescatter';
  const order = ['symmetric', ...(hasSwitches ? ['segments'] : groups.length === 0 ? ['levels'] : [])];
  if (chips.length > manyRanks) order.push(library.name);
  if (hasSwitches && areBoxes(topology)) {
    const areSmall = groups.every(({ length }) => length <= fewInBox);
    if (shards && areSmall && isShort) order.push(library.name);
    if (kind === 'allreduce' || (rooted && isShort) || (shards && areSmall)) order.push('levels');
    if (!isShort && (rooted || (shards && !areSmall && haveDirectLinks(topology)))) order.push('trees');
  }
  if (hasSwitches || scans) order.push(library.name);
  if (hasSwitches) order.push('trees');
  const place = ({ name }: Engine): number => {
    if (order.includes(name)) return order.indexOf(name);
    return order.length + (name === 'levels' ? 1 : 0);
  };
  return [...engines].sort((a, b) => place(a) - place(b));
}

/** Groups whose chips have links of their own among themselves: in fat trees and dragonflies all share the one to their router. */
export function areBoxes({ groups, links, chips }: PortfolioRequest['topology']): boolean {
  const isChip = new Set(chips);
  return groups.length > 1 && links.filter(({ from }) => isChip.has(from)).length > chips.length;
}

function haveDirectLinks({ links, chips }: PortfolioRequest['topology']): boolean {
  const isChip = new Set(chips);
  return links.some(({ from, to }) => isChip.has(from) && isChip.has(to));
}
