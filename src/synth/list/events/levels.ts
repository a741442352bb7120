/** From messages in the order they start to steps. */
import { Moves, type Spread } from '../spread.ts';
import type { Ways } from '../ways.ts';
import type { Message, Result } from './attempt.ts';

/**
 * Steps as early as possible: after those in which the message's items arrive at its sender, and after those of all messages
 * before it that need the same link or port; so that whoever runs the steps starts messages in the order that was found.
 */
export function inLevels({ messages, seconds }: Result, ways: Ways, { ranks, origin }: Spread): Moves {
  const items = origin.length;
  const links = ways.topology.links.length;
  const arrivedIn = new Int32Array(ranks * items).fill(-1);
  const lastUse = new Int32Array(links + 2 * ranks).fill(-1);
  const levels: Message[][] = [];
  for (const message of messages) {
    const { way, items: carried } = message;
    const [from, to] = [ways.from[way], ways.to[way]];
    const used = Array.from(ways.link.subarray(ways.firstLink[way], ways.firstLink[way + 1]));
    if (ways.sendPorts[from] < Number.POSITIVE_INFINITY) used.push(links + from);
    if (ways.receivePorts[to] < Number.POSITIVE_INFINITY) used.push(links + ranks + to);
    let level = 0;
    for (const item of carried) level = Math.max(level, arrivedIn[from * items + item] + 1);
    for (const resource of used) level = Math.max(level, lastUse[resource] + 1);
    for (const resource of used) lastUse[resource] = level;
    for (const item of carried) arrivedIn[to * items + item] = level;
    levels[level] ??= [];
    levels[level].push(message);
  }
  const moves = new Moves(false, seconds);
  for (const level of levels) {
    for (const { way, items: carried } of level ?? []) {
      for (const item of carried) moves.add(ways.from[way], ways.to[way], item);
    }
    moves.endStep();
  }
  return moves;
}
