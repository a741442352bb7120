/** Command lists as text for readers: queue by queue, one line per command. */
import { type Dtype, dtypeBytes } from '../../ir/dtype.ts';
import { oneLine } from '../../ir/plain-text.ts';
import type { Plan } from '../../ir/plan.ts';
import { counted, formatBytes } from '../../ir/units.ts';
import type { EmittedCommand, EmittedCommandLists } from './commands.ts';
import { engineOperators, type ListMachine, spaceOf } from './document.ts';
import type { Rows } from './shapes.ts';

export function* listingText(plan: Plan, machine: ListMachine, lists: EmittedCommandLists): Iterable<string> {
  const { topology, dtype, size } = machine;
  const { kind, ranks, op } = plan.collective;
  const what = `${kind} of ${counted(ranks, 'rank')}, ${formatBytes(size)} of ${dtype} in ${counted(plan.bulks, 'bulk')}`;
  yield `${oneLine(plan.name)}: ${what}\n`;
  yield `${oneLine([topology.name, ...topology.notes].join('; '))}; chips ${topology.chips.join(' ')}\n`;
  for (const [rank, { regions }] of lists.regions.entries()) {
    const memory = regions.map(({ region, bytes }) => {
      return `${region} ${formatBytes(bytes)} in ${spaceOf(region, machine)}`;
    });
    yield `\nrank ${rank} on ${oneLine(topology.nodes[topology.chips[rank]].name)}: ${memory.join(', ')}\n`;
    for (const { rank: own, engine, peer, commands } of lists.queues) {
      if (own !== rank) continue;
      yield `  ${endText(engine, peer)}\n`;
      for (const command of commands()) yield `    ${lineOf(command, dtype, engineOperators[op])}\n`;
    }
  }
}

function endText(engine: string, peer: number | undefined): string {
  if (peer === undefined) return engine;
  return engine === 'send' ? `send to rank ${peer}` : `receive from rank ${peer}`;
}

function lineOf(
  { op, bulk, from, to, waits, posts }: EmittedCommand,
  dtype: Dtype,
  operator: string | undefined,
): string {
  const words = [
    `bulk ${bulk}`,
    ...(waits.length === 0 ? [] : [`wait ${waits.join(' ')},`]),
    op === 'reduce' || op === 'receive-reduce' ? `${op} ${operator}` : op,
    ...[from, to]
      .flatMap((rows) => (rows === undefined ? [] : [placeText(rows, dtype)]))
      .join(' to ')
      .split(' '),
    ...(posts.length === 0 ? [] : [`, post ${posts.join(' ')}`]),
  ];
  return words.join(' ').replace(' , ', ', ');
}

/** `output+4096 [2×512 every 1024]`: the first byte in the region, and the pattern in elements. */
function placeText({ region, offset, rows, bytes, stride }: Rows, dtype: Dtype): string {
  const width = bytes / dtypeBytes[dtype];
  const shape = rows === 1 ? `${width}` : `${rows}×${width} every ${stride / dtypeBytes[dtype]}`;
  return `${region}+${offset} [${shape}]`;
}
