/**
 * `npx tsx bench/library.ts --rows 100`: compiles drawn requests with the library and with the built command, and counts the plan files that are the same, byte
 * for byte. A request that is refused has to be refused with the same message.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import type { CollectiveKind } from '../src/ir/collective.ts';
import { Random } from '../src/ir/random.ts';
import { drawnCommands } from './drawn-commands.ts';

/** The built library, as a program imports it: it starts workers, which sources cannot. */
const library: typeof import('../src/index.ts') = await import(new URL('../dist/index.js', import.meta.url).href);
const { CccError, collectiveRequest, compile, Machine } = library;
const command = fileURLToPath(new URL('../bin/ccc.js', import.meta.url));

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '100' }, seed: { type: 'string', default: '20261128' } },
});

/** The values of an option of a command line, in order. */
function valuesOf(words: readonly string[], option: string): readonly string[] {
  return words.flatMap((word, index) => (word === `--${option}` ? [words[index + 1]] : []));
}

/** The plan file that the library makes of a command line, or the message of its refusal. */
async function byLibrary(line: string): Promise<string> {
  const words = line.split(' ');
  const [, kind] = words;
  const one = (option: string): string | undefined => valuesOf(words, option)[0];
  const number = (option: string): number | undefined => (one(option) === undefined ? undefined : Number(one(option)));
  const [without, group] = [valuesOf(words, 'without'), valuesOf(words, 'group')];
  try {
    const machine = await Machine.load(one('topo') ?? '', {
      protocol: one('protocol'),
      ...(without.length === 0 ? {} : { without }),
      ...(group.length === 0 ? {} : { group }),
    });
    const request = collectiveRequest(kind as CollectiveKind, machine, {
      size: one('size'),
      op: one('op') === 'max' ? 'max' : 'sum',
      ordered: words.includes('--ordered'),
      inPlace: words.includes('--in-place'),
    });
    const outcome = await compile(request, {
      effort: one('effort') === 'quick' ? 'quick' : undefined,
      objective: one('objective') === 'latency' ? 'latency' : undefined,
      engine: one('engine'),
      chunks: number('chunks'),
      bulks: number('bulks'),
      seed: number('seed'),
    });
    return outcome.ok ? outcome.plan.text : `ccc: ${outcome.message}`;
  } catch (error) {
    if (error instanceof CccError) return `ccc: ${error.message}`;
    throw error;
  }
}

async function byCommand(line: string): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, [command, ...line.split(' ')], { maxBuffer: 2 ** 30 })).stdout;
  } catch (error) {
    if (!(error instanceof Error && 'stderr' in error)) throw error;
    return String(error.stderr).split('\n')[0];
  }
}

let [same, refused] = [0, 0];
const lines = drawnCommands(Number(options.rows), new Random(Number(options.seed)));
for (const line of lines) {
  const [mine, theirs] = await Promise.all([byLibrary(line), byCommand(line)]);
  if (mine === theirs) same++;
  else process.stdout.write(`ccc ${line}: not the same (${mine.slice(0, 60)} … ${theirs.slice(0, 60)})\n`);
  if (theirs.startsWith('ccc: ')) refused++;
}
process.stdout.write(`${lines.length} requests: ${same} the same byte for byte, ${refused} of them refused\n`);
process.exitCode = same === lines.length ? 0 : 1;
