/** The interpreter of command lists refuses what no engine could run. */
import { describe, expect, it } from 'vitest';
import { CommandError, type CommandRun, runCommandLists } from './command-lists/index.ts';
import { bundleOf, drawn, listsOf, machines } from './lists.ts';

/** Of a document of command lists, what tests change. */
interface WrittenLists {
  format: string;
  readonly limits: { l2: number; readonly operators: Record<string, string[]> };
  readonly chipMap: number[];
  readonly chips: readonly { readonly queues: readonly { engine: string; commands: WrittenCommand[] }[] }[];
}

interface WrittenCommand {
  readonly from: { offset: number; shape: number[] };
  readonly to: { space: string };
  post?: { id: number }[];
  wait?: unknown;
}

describe('the interpreter', () => {
  const bundle = bundleOf('allreduce', machines['sg2260x4-ddr'], 4096, { bulks: 2 });

  async function changed(change: (document: WrittenLists) => unknown): Promise<() => CommandRun> {
    const document: WrittenLists = JSON.parse(await listsOf(bundle));
    change(document);
    return () => runCommandLists(JSON.stringify(document), () => {}, drawn(1));
  }

  function first(document: WrittenLists, engine: string): WrittenCommand {
    const queue = document.chips[0].queues.find((one) => one.engine === engine);
    if (queue === undefined) throw new Error(`chip 0 has no queue for ${engine}`);
    return queue.commands[0];
  }

  it.each<readonly [string, (document: WrittenLists) => unknown, string]>([
    ['an address between units', (d) => (first(d, 'send').from.offset += 64), 'not aligned to 128 bytes'],
    ['a length between units', (d) => (first(d, 'send').from.shape[3] -= 1), 'not aligned to 128 bytes'],
    ['an address outside', (d) => (first(d, 'send').from.offset = 2 ** 20), 'in a region of'],
    ['a number of ten bits', (d) => Object.assign(first(d, 'copy in').post?.[0] ?? {}, { id: 512 }), 'is out of range'],
    ['a shape of 17 bits', (d) => (first(d, 'send').from.shape[0] = 65536), 'is out of range'],
    ['a signal that is lost', (d) => delete first(d, 'copy in').post, 'stuck at'],
    ['a signal that nobody takes', (d) => delete first(d, 'send').wait, 'in use|nobody took'],
    ['an operator that the engine lacks', (d) => (d.limits.operators.add = ['f32']), 'no add of f16'],
    ['an L2 that is too small', (d) => (d.limits.l2 = 128), 'in an L2 of 128'],
    ['a chip for two ranks', (d) => (d.chipMap[1] = 0), 'a chip of its own'],
    ['a reduction into DDR', (d) => (first(d, 'copy').to.space = 'l2'), 'no region output in l2'],
    ['a message of another length', (d) => (first(d, 'send').from.shape[3] = 64), 'gets 128 bytes|not aligned|gets'],
    ['another format', (d) => (d.format = 'ccc-plan'), 'is not ccc-sg2260'],
  ])('refuses %s', async (_, change, message) => {
    const run = await changed(change);
    expect(run).toThrow(CommandError);
    expect(run).toThrow(new RegExp(message));
  });
});
