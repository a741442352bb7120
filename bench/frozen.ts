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

const kinds = ['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce', 'scatter', 'gather', 'alltoall'];
const rareKinds = ['scan', 'exscan', 'barrier'];
const machines = [
  ...['sg2260x4', 'sg2260x4-ddr', 'sg2260x8', 'dgx1', 'a100', 'h100', 'mi300x', 'a100:2', 'ring:5', 'ring:8', 'line:6'],
  ...[
    'full:4',
    'full:7',
    'switch:6',
    'torus:3x3',
    'torus:4x4',
    'mesh:3x4',
    'hypercube:3',
    'hypercube:4',
    'routed-line',
  ],
  ...['fattree:2,3,2', 'dragonfly:2,2,2', 'tree', 'mi250', 'dgx1-cluster:2', 'sg2260-cards:2', 'routed-ring:6'],
];
const sizes = ['1KiB', '64KiB', '1MiB', '8MiB', '64MiB', '1GiB'];
const extras = [
  '',
  '',
  '',
  '',
  '--in-place',
  '--op max',
  '--ordered',
  '--group 0,1,2',
  '--chunks 2',
  '--bulks 4',
  '--seed 3',
];
const machineExtras = ['', '', '', '--without link:0-1', '--objective latency', '--engine list'];

/** Command lines without `ccc`. Two of three are quick searches, which reach every engine too. */
function drawnCommands(count: number, random: Random): readonly string[] {
  const pick = (from: readonly string[]): string => from[random.below(from.length)];
  return Array.from({ length: count }, (_, row) => {
    const kind = row % 8 === 7 ? pick(rareKinds) : pick(kinds);
    const size = kind === 'barrier' ? '' : `--size ${pick(sizes)}`;
    const effort = random.below(3) === 0 ? '' : '--effort quick';
    const machine = pick(machines);
    const onMachine = /^(?:a100|h100|mi300x)/.test(machine) ? pick(['', '--protocol auto']) : pick(machineExtras);
    const words = ['compile', kind, `--topo ${machine}`, size, effort, pick(extras), onMachine];
    return words.filter((word) => word !== '').join(' ');
  });
}

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
