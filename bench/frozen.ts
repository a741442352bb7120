/**
 * `npx tsx bench/frozen.ts --save FILE` compiles 220 drawn requests with the built command and keeps a digest of each plan; `--against FILE`
 * compiles them again and names every plan that is not the same; `--checkout DIR` asks another checkout's command. For changes of structure, which must leave every plan as it is. The digest
 * `programs` is of what ranks execute alone; `whole` is of the file, with its name, proof and report.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Random } from '../src/ir/random.ts';
import { drawnCommands } from './drawn-commands.ts';

interface Frozen {
  readonly request: string;
  readonly programs: string;
  readonly whole: string;
}

const { values: options } = parseArgs({
  options: {
    save: { type: 'string' },
    against: { type: 'string' },
    rows: { type: 'string', default: '220' },
    seed: { type: 'string', default: '20261128' },
    checkout: { type: 'string', default: fileURLToPath(new URL('../', import.meta.url)) },
    only: { type: 'string', default: '' },
  },
});
const command = join(options.checkout, 'bin/ccc.js');

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** A request that is refused is frozen as its message. */
async function freeze(request: string): Promise<Frozen> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [command, ...request.split(' ')], {
      maxBuffer: 2 ** 30,
    });
    const plan = JSON.parse(stdout);
    const { bulks, limits, programs } = plan;
    return {
      request,
      programs: digest(JSON.stringify({ bulks, limits, programs })),
      whole: digest(JSON.stringify(plan)),
    };
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    return { request, programs: `refused: ${stderr.split('\n')[0]}`, whole: '' };
  }
}

const all = drawnCommands(Number(options.rows), new Random(Number(options.seed)));
const requests = all.filter((request) => request.includes(options.only));
const found: Frozen[] = [];
const waiting = [...requests.entries()];
async function worker(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) found[next[0]] = await freeze(next[1]);
}
await Promise.all([worker(), worker()]);
if (options.save !== undefined) writeFileSync(options.save, `${JSON.stringify(found, null, 1)}\n`);
if (options.against !== undefined) {
  const before = new Map<string, Frozen>(
    (JSON.parse(readFileSync(options.against, 'utf8')) as Frozen[]).map((row) => [row.request, row]),
  );
  const changed = found.filter(({ request, programs }) => before.get(request)?.programs !== programs);
  for (const { request, programs } of changed) {
    process.stdout.write(`ccc ${request}: ${before.get(request)?.programs} → ${programs}\n`);
  }
  const renamed = found.filter(({ request, whole }) => before.get(request)?.whole !== whole).length;
  process.stdout.write(
    `${found.length} plans: ${changed.length} other programs, ${renamed} files that differ anywhere\n`,
  );
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  process.stdout.write(`${found.length} plans, ${found.filter(({ whole }) => whole === '').length} refused\n`);
}
